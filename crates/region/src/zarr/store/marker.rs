//! The marker of a region: who it is, where its files are, and what must be in those that have no checksums of their own.
//!
//! It is written last, so that a region without one does not exist. It ends with a digest of itself.

use serde_json::{Map, Value, json};

use super::super::json::{self, Wrong};
use crate::digest::Digester;
use crate::{Digest, RegionId, RegionKind};

/// What is known of a stored region without its content.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Marker {
    pub(super) id: RegionId,
    /// When it was staged: the larger, the later.
    pub(super) staged: u64,
    /// The folder of its files.
    pub(super) folder: String,
    /// Bytes that it takes in memory.
    pub(super) bytes: u64,
    /// Sizes and places, as its kind has them.
    pub(super) header: Value,
    /// The files that are read whole, with the digests of their bytes.
    pub(super) files: Vec<(String, Digest)>,
}

/// The form of markers.
const VERSION: u64 = 1;

impl Marker {
    /// The bytes of the marker's file: a line of JSON, and a line with its digest.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let files: Map<String, Value> =
            self.files.iter().map(|(name, digest)| (name.clone(), json!(digest.to_string()))).collect();
        let text = json!({
            "version": VERSION,
            "namespace": self.id.namespace,
            "key": self.id.key,
            "kind": self.id.kind.word(),
            "timestamp": self.id.timestamp,
            "region_version": self.id.version,
            "staged": self.staged,
            "folder": self.folder,
            "bytes": self.bytes,
            "header": self.header,
            "files": files,
        })
        .to_string();
        format!("{text}\n{}\n", digest_of(text.as_bytes())).into_bytes()
    }

    /// Reads a marker.
    pub(super) fn parse(bytes: &[u8]) -> Result<Marker, Wrong> {
        let text = bytes.strip_suffix(b"\n").and_then(|lines| {
            let end = lines.iter().position(|&byte| byte == b'\n')?;
            let (text, digest) = (&lines[..end], &lines[end + 1..]);
            (digest == digest_of(text).to_string().as_bytes()).then_some(text)
        });
        let text = text.ok_or_else(|| Wrong::new("a marker with its digest", "one that was changed"))?;
        Marker::from_json(&json::parse(text)?)
    }

    fn from_json(value: &Value) -> Result<Marker, Wrong> {
        if value.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(json::wrong("a marker of version 1", value.get("version")));
        }
        let number = |key: &str| {
            value.get(key).and_then(Value::as_u64).ok_or_else(|| json::wrong(key, value.get(key)))
        };
        let kind = RegionKind::from_word(json::text(value, "kind")?);
        let files = value.get("files").and_then(Value::as_object);
        let files = files
            .into_iter()
            .flatten()
            .map(|(name, digest)| Some((name.clone(), digest.as_str()?.parse().ok()?)));
        Ok(Marker {
            id: RegionId {
                namespace: json::text(value, "namespace")?.to_owned(),
                key: json::text(value, "key")?.to_owned(),
                kind: kind.ok_or_else(|| json::wrong("a kind of region", value.get("kind")))?,
                timestamp: value.get("timestamp").and_then(Value::as_i64).unwrap_or_default(),
                version: u32::try_from(number("region_version")?).unwrap_or_default(),
            },
            staged: number("staged")?,
            folder: json::text(value, "folder")?.to_owned(),
            bytes: number("bytes")?,
            header: value.get("header").cloned().unwrap_or_default(),
            files: files
                .collect::<Option<_>>()
                .ok_or_else(|| json::wrong("digests of files", value.get("files")))?,
        })
    }

    /// The digest that a file must have.
    pub(super) fn digest(&self, name: &str) -> Option<Digest> {
        self.files.iter().find(|(its, _)| its == name).map(|(_, digest)| *digest)
    }
}

/// The digest of the bytes of a file.
pub(super) fn digest_of(bytes: &[u8]) -> Digest {
    let mut digester = Digester::new("onceflow region 2026-11 stored file v1");
    digester.bytes(bytes);
    digester.finish()
}
