//! What the machine allows: workers and memory, where neither the command nor the study says.

use std::fs;
use std::path::{Path, PathBuf};

/// Threads that this process may use at once: processors, as far as affinity, control group and batch job allow.
pub fn available_workers() -> usize {
    let machine = std::thread::available_parallelism().map_or(1, usize::from);
    batch_processors(variable).map_or(machine, |job| job.min(machine))
}

/// Three quarters of the memory this process may use; 2 GiB where the system does not say.
pub fn available_memory() -> u64 {
    let bounds = [machine_memory(), cgroup_memory(Path::new("/")), batch_memory(variable)];
    bounds.into_iter().flatten().min().map_or(2 << 30, |bytes| bytes / 4 * 3)
}

/// Most bytes this process has had resident, when the system tells.
pub fn peak_resident() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Processors of a job of Slurm on this node: those of its task, else all that it has here.
fn batch_processors(variable: impl Fn(&str) -> Option<String>) -> Option<usize> {
    let number = |name: &str| variable(name)?.trim().parse::<usize>().ok().filter(|n| *n > 0);
    number("SLURM_CPUS_PER_TASK").or_else(|| number("SLURM_CPUS_ON_NODE"))
}

/// Memory of a job of Slurm on this node, which it gives in mebibytes; 0 means all of the node.
fn batch_memory(variable: impl Fn(&str) -> Option<String>) -> Option<u64> {
    let mebibytes = |name: &str| {
        let number = variable(name)?.trim().parse::<u64>().ok().filter(|n| *n > 0)?;
        number.checked_mul(1 << 20)
    };
    let of_node = mebibytes("SLURM_MEM_PER_NODE");
    of_node.or_else(|| mebibytes("SLURM_MEM_PER_CPU")?.checked_mul(batch_processors(&variable)? as u64))
}

fn machine_memory() -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// The tightest bound of the control group of this process and of those around it; `max` means none.
fn cgroup_memory(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    groups.lines().filter_map(|line| group_file(root, line)).flat_map(|file| bounds_up(&file)).min()
}

/// `0::/a/b` is a group of the second version, `5:memory:/a/b` one of the first.
fn group_file(root: &Path, line: &str) -> Option<(PathBuf, &'static str)> {
    let mut fields = line.splitn(3, ':');
    let (_, controllers, path) = (fields.next()?, fields.next()?, fields.next()?);
    let inside = path.trim_start_matches('/');
    match controllers {
        "" => Some((root.join("sys/fs/cgroup").join(inside), "memory.max")),
        _ if controllers.split(',').any(|controller| controller == "memory") => {
            Some((root.join("sys/fs/cgroup/memory").join(inside), "memory.limit_in_bytes"))
        }
        _ => None,
    }
}

/// The bounds of a group and of all groups around it. In a container its path may not be there, and the root is its own.
fn bounds_up((group, file): &(PathBuf, &'static str)) -> Vec<u64> {
    let above = group.ancestors().take_while(|path| path.components().any(|c| c.as_os_str() == "cgroup"));
    above.filter_map(|path| fs::read_to_string(path.join(file)).ok()?.trim().parse().ok()).collect()
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

    fn job<'a>(variables: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |asked| variables.iter().find(|(name, _)| *name == asked).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn a_batch_job_bounds_processors_and_memory() {
        let per_node = [("SLURM_CPUS_ON_NODE", "64"), ("SLURM_MEM_PER_NODE", "2048")];
        assert_eq!(batch_processors(job(&per_node)), Some(64));
        assert_eq!(batch_memory(job(&per_node)), Some(2 << 30));
        let per_task =
            [("SLURM_CPUS_PER_TASK", "8"), ("SLURM_CPUS_ON_NODE", "64"), ("SLURM_MEM_PER_CPU", "512")];
        assert_eq!(batch_processors(job(&per_task)), Some(8));
        assert_eq!(batch_memory(job(&per_task)), Some(4 << 30));
        assert_eq!(batch_memory(job(&[("SLURM_MEM_PER_NODE", "0")])), None, "all of the node");
        for nonsense in ["", "-1", "many", "99999999999999999999"] {
            assert_eq!(batch_processors(job(&[("SLURM_CPUS_PER_TASK", nonsense)])), None);
            assert_eq!(batch_memory(job(&[("SLURM_MEM_PER_NODE", nonsense)])), None);
        }
    }

    #[test]
    fn the_tightest_control_group_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(cgroup_memory(root.path()), None);
        write("proc/self/cgroup", "0::/slurm/job_7/step\n");
        write("sys/fs/cgroup/slurm/job_7/step/memory.max", "max\n");
        assert_eq!(cgroup_memory(root.path()), None);
        write("sys/fs/cgroup/slurm/job_7/memory.max", "1000\n");
        write("sys/fs/cgroup/slurm/memory.max", "5000\n");
        assert_eq!(cgroup_memory(root.path()), Some(1000));
        write("proc/self/cgroup", "5:cpu,memory:/job\n4:pids:/job\n");
        write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "700\n");
        assert_eq!(cgroup_memory(root.path()), Some(700));
        write("proc/self/cgroup", "0::/not/seen/in/here\n");
        write("sys/fs/cgroup/memory.max", "900\n");
        assert_eq!(cgroup_memory(root.path()), Some(900), "a container sees its own group as the root");
    }
}
