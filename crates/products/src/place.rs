//! Where a store may be, how large it may be, and what it has in its folder.

use std::path::Path;

/// Folders of a store.
pub(crate) const PACKS: &str = "packs";
pub(crate) const LEASES: &str = "leases";
pub(crate) const QUARANTINE: &str = "quarantine";
pub(crate) const INDEX: &str = "index3.sqlite";

/// The file that says where the packs are when they are elsewhere, and the file there that says whose they are.
pub(crate) const BLOBS: &str = "blobs";
pub(crate) const OWNER: &str = "owner";

/// The file that a process locks while it repairs or migrates.
pub(crate) const LOCK: &str = "lock";

/// A store takes at most this share of the free disk, and at most this many bytes.
const SHARE: u64 = 10;
const MOST: u64 = 50 << 30;

/// The size limit of a store that has none of its own: a tenth of the free disk, at most 50 GiB.
pub fn default_limit(folder: &Path) -> u64 {
    free_bytes(folder).map_or(MOST, |free| (free / SHARE).min(MOST))
}

/// The file system of a folder when several machines may share it: SQLite's index cannot be there.
#[cfg(target_os = "linux")]
pub fn is_on_network(folder: &Path) -> Option<&'static str> {
    let kind = rustix::fs::statfs(folder).ok()?.f_type;
    network_name(u32::try_from(kind as u64 & 0xffff_ffff).ok()?)
}

/// The file system of a folder when several machines may share it.
#[cfg(not(target_os = "linux"))]
pub fn is_on_network(_: &Path) -> Option<&'static str> {
    None
}

/// The network file system with this magic number (`man 2 statfs`, and the sources of Lustre, BeeGFS and GPFS).
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn network_name(magic: u32) -> Option<&'static str> {
    Some(match magic {
        0x6969 => "NFS",
        0x517b | 0xfe53_4d42 => "SMB",
        0xff53_4d42 => "CIFS",
        0x0bd0_0bd0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x1983_0326 => "BeeGFS",
        0x00c3_6400 => "Ceph",
        0x5346_414f => "AFS",
        0x0102_1997 => "9P",
        0x2030_528e => "OrangeFS",
        _ => return None,
    })
}

#[cfg(target_os = "linux")]
fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(target_os = "linux"))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0x0bd0_0bd0), Some("Lustre"));
        let (ext4, tmpfs, xfs) = (0xef53, 0x0102_1994, 0x5846_5342);
        assert!([ext4, tmpfs, xfs].into_iter().all(|magic| network_name(magic).is_none()));
    }

    #[test]
    fn a_temporary_folder_is_local_and_has_a_limit() {
        let folder = std::env::temp_dir();
        assert_eq!(is_on_network(&folder), None);
        assert!((1..=MOST).contains(&default_limit(&folder)));
    }
}
