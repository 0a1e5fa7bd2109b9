//! Containers: what stands before a command that runs in one. It sees no network, and of our files its own folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use onceflow_study::{Device, Diagnostic};

use super::own::OwnTask;
use super::program::find;
use crate::EngineError;

/// Who starts a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Container {
    program: PathBuf,
    image: Image,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Image {
    /// A file, which runs as a child of ours.
    File(PathBuf),
    /// The name of an image, which runs as a child of a server.
    Name(String),
}

/// What is started, with its container.
pub(super) struct Contained<'a> {
    /// The folder it may see, where it begins.
    pub(super) folder: &'a Path,
    /// Its environment, which is not ours.
    pub(super) environment: &'a [(String, OsString)],
    /// A name by which a server knows it.
    pub(super) name: &'a str,
    /// Bytes that it may take.
    pub(super) memory: Option<u64>,
}

impl Container {
    /// The container of a task, when it has one and there is somebody to start it.
    ///
    /// # Errors
    /// When nobody on this machine can.
    pub(super) fn of(task: &OwnTask) -> Result<Option<Self>, EngineError> {
        let Some(name) = &task.command.container else { return Ok(None) };
        let (programs, image) = match &task.container {
            Some(file) => (["apptainer", "singularity"], Image::File(file.path.clone())),
            None => (["podman", "docker"], Image::Name(name.clone())),
        };
        let program = programs.iter().find_map(|program| find(program, Path::new(".")));
        let program = program.ok_or_else(|| missing(task, name, programs))?;
        Ok(Some(Self { program, image }))
    }

    /// The words before those of the command.
    pub(super) fn words(&self, of: &Contained<'_>, device: Device, serve: bool) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.program.clone().into()];
        let folder = of.folder.display();
        let mut add = |more: &[&str]| words.extend(more.iter().map(OsString::from));
        let gpu = device == Device::Gpu;
        match &self.image {
            Image::File(_) => {
                add(&["exec", "--containall", "--net", "--network", "none"]);
                add(&["--bind", &format!("{folder}:{folder}"), "--pwd", &folder.to_string()]);
                add(if gpu { &["--nv"] } else { &[] });
            }
            Image::Name(_) => {
                add(&["run", "--rm", "--network", "none", "--name", of.name]);
                add(&["--volume", &format!("{folder}:{folder}"), "--workdir", &folder.to_string()]);
                add(if serve { &["--interactive"] } else { &[] });
                add(if gpu { &["--gpus", "all"] } else { &[] });
                let memory = of.memory.map(|bytes| bytes.to_string());
                add(&memory.iter().flat_map(|bytes| ["--memory", bytes]).collect::<Vec<_>>());
                add(&owner().iter().flat_map(|owner| ["--user", owner]).collect::<Vec<_>>());
            }
        }
        for (name, value) in of.environment.iter().filter(|(name, _)| passes(name)) {
            words.extend(["--env".into(), OsString::from(format!("{name}={}", value.to_string_lossy()))]);
        }
        words.push(match &self.image {
            Image::File(path) => path.into(),
            Image::Name(name) => name.into(),
        });
        words
    }

    /// Who must be asked to end a container that is not a child of ours.
    pub(super) fn server(&self) -> Option<String> {
        matches!(self.image, Image::Name(_)).then(|| self.program.display().to_string())
    }
}

/// Programs and libraries of a container are its own.
fn passes(name: &str) -> bool {
    !["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CONDA_PREFIX"].contains(&name)
}

/// Files that a container makes belong to us.
fn owner() -> Option<String> {
    #[cfg(unix)]
    return Some(format!("{}:{}", rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw()));
    #[cfg(not(unix))]
    None
}

fn missing(task: &OwnTask, name: &str, [first, second]: [&str; 2]) -> EngineError {
    let error = Diagnostic::error(format!("task `{}` runs in the container `{name}`", task.name));
    let error = error.expected_found(format!("the program {first} or {second}"), "neither on the PATH");
    EngineError::Environment(Box::new(error.with_hint(format!("install {first}, or add its folder to PATH"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(image: Image, serve: bool) -> String {
        let container = Container { program: "p".into(), image };
        let environment = [("HOME".into(), "/f".into()), ("PATH".into(), "/bin".into())];
        let of = Contained { folder: Path::new("/f"), environment: &environment, name: "n", memory: Some(7) };
        let words = container.words(&of, Device::Cpu, serve);
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_container_sees_its_folder_and_no_network() {
        assert_eq!(
            words(Image::File("a.sif".into()), false),
            "p exec --containall --net --network none --bind /f:/f --pwd /f --env HOME=/f a.sif"
        );
        let owner = owner().map(|owner| format!(" --user {owner}")).unwrap_or_default();
        assert_eq!(
            words(Image::Name("a:1".into()), true),
            format!(
                "p run --rm --network none --name n --volume /f:/f --workdir /f --interactive --memory 7{owner} --env HOME=/f a:1"
            )
        );
    }
}
