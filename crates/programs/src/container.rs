//! Containers: the words before a command that runs in one. It has no network, and sees only its own folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use onceflow_study::{DeviceKind, Diagnostic};

use crate::environment::find;
use crate::error::ProgramError;
use crate::task::ProgramTask;

/// A container, and the program that starts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Container {
    program: PathBuf,
    image: ContainerImage,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum ContainerImage {
    /// A file; its processes are our children.
    File(PathBuf),
    /// The name of an image; its processes are children of a server.
    Name(String),
}

/// One start of a container.
pub(crate) struct ContainerStart<'a> {
    /// The folder it sees and starts in.
    pub(crate) folder: &'a Path,
    /// The variables of its environment.
    pub(crate) environment: &'a [(String, OsString)],
    /// The name by which the server knows it.
    pub(crate) name: &'a str,
    /// The limit of its memory, in bytes.
    pub(crate) memory: Option<u64>,
}

impl Container {
    /// The container of a task, when it declares one.
    ///
    /// # Errors
    /// When no program on this machine can start it.
    pub(crate) fn of(task: &ProgramTask) -> Result<Option<Self>, ProgramError> {
        let Some(name) = &task.command.container else { return Ok(None) };
        let (programs, image) = match &task.container {
            Some(file) => (["apptainer", "singularity"], ContainerImage::File(file.path.clone())),
            None => (["podman", "docker"], ContainerImage::Name(name.clone())),
        };
        let program = programs.iter().find_map(|program| find(program, Path::new(".")));
        let program = program.ok_or_else(|| missing(task, name, programs))?;
        Ok(Some(Self { program, image }))
    }

    /// The words before those of the command.
    pub(crate) fn words(&self, of: &ContainerStart<'_>, device: DeviceKind, serve: bool) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.program.clone().into()];
        let folder = of.folder.display();
        let mut add = |more: &[&str]| words.extend(more.iter().map(OsString::from));
        let gpu = device == DeviceKind::Gpu;
        match &self.image {
            ContainerImage::File(_) => {
                add(&["exec", "--containall", "--net", "--network", "none"]);
                add(&["--bind", &format!("{folder}:{folder}"), "--pwd", &folder.to_string()]);
                add(if gpu { &["--nv"] } else { &[] });
            }
            ContainerImage::Name(_) => {
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
            ContainerImage::File(path) => path.into(),
            ContainerImage::Name(name) => name.into(),
        });
        words
    }

    /// The program that ends a container which is not our child.
    pub(crate) fn server(&self) -> Option<String> {
        matches!(self.image, ContainerImage::Name(_)).then(|| self.program.display().to_string())
    }
}

/// Whether a container sees a variable: it has its own programs and libraries.
fn passes(name: &str) -> bool {
    !["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CONDA_PREFIX"].contains(&name)
}

/// The user and group that own the files a container makes: ours.
fn owner() -> Option<String> {
    #[cfg(unix)]
    return Some(format!("{}:{}", rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw()));
    #[cfg(not(unix))]
    None
}

fn missing(task: &ProgramTask, name: &str, [first, second]: [&str; 2]) -> ProgramError {
    let error = Diagnostic::error(format!("task `{}` runs in the container `{name}`", task.name));
    let error = error.expected_found(format!("the program {first} or {second}"), "neither on the PATH");
    ProgramError::Environment(Box::new(
        error.with_hint(format!("install {first}, or add its folder to PATH")),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(image: ContainerImage, serve: bool) -> String {
        let container = Container { program: "p".into(), image };
        let environment = [("HOME".into(), "/f".into()), ("PATH".into(), "/bin".into())];
        let of =
            ContainerStart { folder: Path::new("/f"), environment: &environment, name: "n", memory: Some(7) };
        let words = container.words(&of, DeviceKind::Cpu, serve);
        words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_container_sees_its_folder_and_no_network() {
        assert_eq!(
            words(ContainerImage::File("a.sif".into()), false),
            "p exec --containall --net --network none --bind /f:/f --pwd /f --env HOME=/f a.sif"
        );
        let owner = owner().map(|owner| format!(" --user {owner}")).unwrap_or_default();
        assert_eq!(
            words(ContainerImage::Name("a:1".into()), true),
            format!(
                "p run --rm --network none --name n --volume /f:/f --workdir /f --interactive --memory 7{owner} --env HOME=/f a:1"
            )
        );
    }
}
