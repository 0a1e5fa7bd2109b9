//! OpenCV, scikit-image, SciPy and whom else a Python has, on the same tile.

use std::process::Command;

use onceflow_terminal::Failure;
use serde_json::Value;

use super::clock::BenchClock;
use super::folder::{ArrayFolder, PeerArray};
use super::tile::BenchTile;
use crate::python;

/// A Python that has them, and the folder in which it finds what it needs.
#[derive(Debug)]
pub(super) struct KernelPeers {
    python: String,
    folder: ArrayFolder,
}

/// What one of them took, and on how many pixels it found something else.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PeerTime {
    pub(super) operation: String,
    pub(super) peer: String,
    pub(super) milliseconds: f64,
    pub(super) differences: Option<u64>,
}

/// The peers' own segmentation: what the golden set of the kernels was made with.
const WORKFLOW: &str = include_str!("../../../kernels/tests/golden/make.py");

impl KernelPeers {
    /// The named Python, or the first of the usual ones, that answers; and who the peers are.
    pub(super) fn find(python: Option<&str>) -> Result<Option<(Self, String)>, Failure> {
        let mut peers = Self { python: String::new(), folder: ArrayFolder::create()? };
        peers.folder.write_text("peers.py", include_str!("peers.py"))?;
        peers.folder.write_text("workflow.py", WORKFLOW)?;
        for python in python::candidates(python) {
            peers.python = python;
            let name = peers.ask("names").ok().and_then(|answer| Some(answer["name"].as_str()?.to_owned()));
            if let Some(name) = name {
                return Ok(Some((peers, name)));
            }
        }
        Ok(None)
    }

    /// Where our results are compared.
    pub(super) fn folder(&self) -> &ArrayFolder {
        &self.folder
    }

    /// Hands them the inputs; our results must be there already.
    pub(super) fn measure(&self, tile: &BenchTile, clock: BenchClock) -> Result<Vec<PeerTime>, Failure> {
        for (name, array) in inputs(tile) {
            self.folder.write(name, array)?;
        }
        let answer = self.ask(clock.word())?;
        let list = answer["peers"].as_array().map_or(&[][..], Vec::as_slice);
        Ok(list.iter().filter_map(read).collect())
    }

    fn ask(&self, word: &str) -> Result<Value, Failure> {
        let mut command = Command::new(&self.python);
        // Libraries that bring threads of their own get one.
        for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
            command.env(variable, "1");
        }
        python::ask(command.arg(self.folder.path().join("peers.py")).arg(word), "")
    }
}

fn inputs(tile: &BenchTile) -> [(&'static str, PeerArray<'_>); 11] {
    [
        ("rgb", PeerArray::Colours(&tile.rgb)),
        ("normalized", PeerArray::Colours(&tile.normalized)),
        ("darkness", PeerArray::Bytes(&tile.darkness)),
        ("opened", PeerArray::Bytes(&tile.opened)),
        ("candidates", PeerArray::Bytes(&tile.candidates)),
        ("dark", PeerArray::Bytes(&tile.dark)),
        ("big", PeerArray::Bytes(&tile.big)),
        ("far", PeerArray::Heights(&tile.far)),
        ("levelled", PeerArray::Heights(&tile.levelled)),
        ("basins", PeerArray::Colours(&tile.basins)),
        ("markers", PeerArray::Labels(&tile.markers)),
    ]
}

fn read(entry: &Value) -> Option<PeerTime> {
    Some(PeerTime {
        operation: entry["operation"].as_str()?.into(),
        peer: entry["peer"].as_str()?.into(),
        milliseconds: entry["milliseconds"].as_f64()?,
        differences: entry["differences"].as_u64(),
    })
}
