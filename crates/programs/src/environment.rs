//! The path of a program, and the variables of its environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use onceflow_study::DeviceKind;

/// Finds a program as a shell would; one with a slash in its name is looked for in `folder`.
pub(crate) fn find(name: &str, folder: &Path) -> Option<PathBuf> {
    if name.contains('/') {
        let path = folder.join(name);
        return is_program(&path).then_some(path);
    }
    let paths = std::env::var_os("PATH")?;
    let found =
        std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|path| is_program(path))?;
    // The program starts in another folder than ours.
    std::path::absolute(found).ok()
}

/// The environment of a program: enough to find its libraries, with its own folder as home; equal for all tasks.
pub(crate) fn environment(home: &Path, device: DeviceKind) -> BTreeMap<String, OsString> {
    let mut variables = BTreeMap::new();
    let passed = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "CONDA_PREFIX"];
    let gpu: &[&str] = match device {
        DeviceKind::Gpu => {
            &["CUDA_VISIBLE_DEVICES", "CUDA_HOME", "NVIDIA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"]
        }
        DeviceKind::Cpu => &[],
    };
    for name in passed.iter().chain(gpu) {
        if let Some(value) = std::env::var_os(name) {
            variables.insert((*name).to_owned(), value);
        }
    }
    variables.entry("LANG".into()).or_insert_with(|| "C.UTF-8".into());
    for name in ["HOME", "TMPDIR"] {
        variables.insert(name.into(), home.as_os_str().to_owned());
    }
    // Workers are the parallelism of a run: a program that uses all cores in each of them is slower, not faster.
    for name in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        variables.insert(name.into(), "1".into());
    }
    // Sets of Python keep their order from run to run.
    variables.insert("PYTHONHASHSEED".into(), "0".into());
    variables.insert("PYTHONDONTWRITEBYTECODE".into(), "1".into());
    variables
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
