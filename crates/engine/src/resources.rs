//! What the machine allows: workers and memory, where neither the command nor the study says.

use std::fs;

/// Threads that this process may use at once: processors, as far as affinity and cgroup allow.
pub fn available_workers() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Three quarters of the memory this process may use; 2 GiB where the system does not say.
pub fn available_memory() -> u64 {
    let bounds = [machine_memory(), cgroup_memory()];
    bounds.into_iter().flatten().min().map_or(2 << 30, |bytes| bytes / 4 * 3)
}

/// Most bytes this process has had resident, when the system tells.
pub fn peak_resident() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

fn machine_memory() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// The bound of the control group: `max` means none.
fn cgroup_memory() -> Option<u64> {
    let files = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    files.iter().find_map(|file| fs::read_to_string(file).ok()?.trim().parse().ok())
}

/// The number after a word such as `VmHWM:   1234 kB`, in bytes.
fn kibibytes(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(word))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_system_is_read() {
        let text = "Name:\tx\nVmHWM:\t    1234 kB\nVmRSS:\t 1 kB\n";
        assert_eq!(kibibytes(text, "VmHWM:"), Some(1234 * 1024));
        assert_eq!(kibibytes(text, "VmPeak:"), None);
        assert_eq!(kibibytes("VmHWM: 18446744073709551615 kB", "VmHWM:"), None);
    }

    #[test]
    fn something_is_always_available() {
        assert!(available_workers() >= 1);
        assert!(available_memory() > 0);
    }
}
