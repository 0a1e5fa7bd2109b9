//! Memory of a process and all its descendants, where the system reports it.

use std::fs;

/// Resident bytes of a process and all its descendants; none where the system does not report them.
///
/// Pages of files and of shared memory count once. Pages that children share with their parent since they were forked
/// would count twice: when the sum is above `limit`, it is taken again by shares.
pub(super) fn resident(process: u32, limit: u64) -> Option<u64> {
    let family = family(process);
    let sum = sum(&family)?;
    if sum <= limit {
        return Some(sum);
    }
    let shares = family.iter().map(|id| field(&format!("/proc/{id}/smaps_rollup"), "Pss:"));
    // A process that ended meanwhile has no memory.
    Some(shares.flatten().sum::<u64>()).filter(|shares| *shares > 0).or(Some(sum))
}

fn sum(family: &[u32]) -> Option<u64> {
    let (mut own, mut shared, mut told) = (0u64, 0u64, false);
    for id in family {
        let Ok(status) = fs::read_to_string(format!("/proc/{id}/status")) else { continue };
        let bytes = |name: &str| kibibytes(&status, name).unwrap_or(0);
        told |= kibibytes(&status, "RssAnon:").is_some();
        own = own.saturating_add(bytes("RssAnon:"));
        shared = shared.max(bytes("RssFile:").saturating_add(bytes("RssShmem:")));
    }
    told.then_some(own.saturating_add(shared))
}

/// A process and all its descendants.
fn family(process: u32) -> Vec<u32> {
    let mut family = vec![process];
    let mut next = 0;
    while let Some(id) = family.get(next).copied() {
        next += 1;
        for thread in fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten() {
            // A thread that ended meanwhile has no children.
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            family.extend(children.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
        }
        // No program has that many; a list that grows while it is read must not be read for ever.
        if family.len() > MOST {
            break;
        }
    }
    family
}

const MOST: usize = 10_000;

fn field(path: &str, name: &str) -> Option<u64> {
    kibibytes(&fs::read_to_string(path).ok()?, name)
}

/// `RssAnon:     1234 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_takes_memory_is_seen_to() {
        let own = std::process::id();
        let before = resident(own, 0).unwrap();
        let pixels = std::hint::black_box(vec![1u8; 64 << 20]);
        let after = resident(own, 0).unwrap();
        assert!(after > before + (32 << 20) && pixels[pixels.len() / 2] == 1, "{before} {after}");
    }

    #[test]
    fn children_count_too() {
        let mut child = std::process::Command::new("sleep").arg("5").spawn().unwrap();
        assert!(family(std::process::id()).contains(&child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
