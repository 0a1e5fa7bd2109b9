//! The part of the Python package that describes and runs functions: it is in this program, so that plain Python is enough.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::{Map, Value, json};

use crate::environment;

/// What Python is told to run: it takes its modules from the first line of its input.
pub(crate) const BOOT: &str = include_str!("boot.py");

macro_rules! modules {
    ($($name:literal = $file:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../py/python/onceflow/", $file)))),*]
    };
}

/// Modules by name, those of the package as users install it.
const MODULES: [(&str, &str); 14] = modules! {
    "onceflow" = "bare.py",
    "onceflow.describe" = "describe.py",
    "onceflow.errors" = "errors.py",
    "onceflow.here" = "here.py",
    "onceflow.homes" = "homes.py",
    "onceflow.keys" = "keys.py",
    "onceflow.options" = "options.py",
    "onceflow.packages" = "packages.py",
    "onceflow.regions" = "regions.py",
    "onceflow.signature" = "signature.py",
    "onceflow.syntax" = "syntax.py",
    "onceflow.task" = "task.py",
    "onceflow.values" = "values.py",
    "onceflow.worker" = "worker.py",
};

/// The first line of input of a Python that runs one of the modules.
pub(crate) fn first_line(main: &str) -> String {
    // To read functions, the package itself is not needed, which would load NumPy.
    let reads_only = main == DESCRIBE;
    let text =
        |name: &str, source: &str| if reads_only && name == "onceflow" { "" } else { source }.to_owned();
    let modules: Map<String, Value> =
        MODULES.into_iter().map(|(name, source)| (name.to_owned(), text(name, source).into())).collect();
    format!("{}\n", json!({ "main": main, "modules": modules }))
}

/// The module that describes functions.
pub(super) const DESCRIBE: &str = "onceflow.describe";

/// The module that runs one.
pub(crate) const WORKER: &str = "onceflow.worker";

/// The variable that names the program to use as Python.
pub(super) const VARIABLE: &str = "ONCEFLOW_PYTHON";

/// The Python that this library is part of.
static OWN: OnceLock<PathBuf> = OnceLock::new();

/// Says which Python this library is part of: functions run there, unless the environment names another one. The first call
/// counts.
pub fn use_python(program: PathBuf) {
    let _first_stays = OWN.set(program);
}

/// The program that runs Python: the one that is named, that of [`use_python`], or the first of its usual names on the path.
pub(super) fn interpreter() -> Option<PathBuf> {
    let find = |name: &str| environment::find(name, Path::new("."));
    match std::env::var_os(VARIABLE).filter(|name| !name.is_empty()) {
        Some(named) => find(&named.to_string_lossy()),
        None => OWN.get().cloned().or_else(|| ["python3", "python"].into_iter().find_map(find)),
    }
}
