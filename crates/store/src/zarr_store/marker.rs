//! The marker of a region: its identifier, the folder of its files, and the digests of files without checksums.
//!
//! It stands among the attributes of the region's `zarr.json`, which ends with a digest of itself. That file gets the name
//! by which regions are found last, so that a region without one does not exist.

use onceflow_region::{Digest, Digester, RegionId, RegionKind};
use serde_json::{Map, Value, json};

use crate::zarr::json::{self, BadMetadata};

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
    /// What Zarr knows of the folder: an array, or a group.
    pub(super) metadata: Value,
}

/// The form of markers.
const VERSION: u64 = 2;

/// The attribute of the marker.
const MARKER: &str = "onceflow_region";

/// What stands before the digest, and behind it.
const BEFORE: &str = ",\"onceflow_digest\":\"";
const BEHIND: &str = "\"}}";

impl Marker {
    /// The bytes of the region's metadata with the marker, and a digest of all that comes before it.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut metadata = self.metadata.as_object().cloned().unwrap_or_default();
        let attributes = metadata.remove("attributes");
        let mut attributes = attributes.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
        attributes.insert(MARKER.to_owned(), self.to_json());
        metadata.insert("attributes".to_owned(), Value::Object(attributes));
        let text = Value::Object(metadata).to_string();
        // The attributes come last, and are never empty.
        let text = text.strip_suffix("}}").unwrap_or(&text);
        format!("{text}{BEFORE}{}{BEHIND}", digest_of(text.as_bytes())).into_bytes()
    }

    fn to_json(&self) -> Value {
        let files: Map<String, Value> =
            self.files.iter().map(|(name, digest)| (name.clone(), json!(digest.to_string()))).collect();
        json!({
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
    }

    /// Reads a region's metadata and its marker.
    pub(super) fn parse(bytes: &[u8]) -> Result<Marker, BadMetadata> {
        let changed = || BadMetadata::new("a marker with its digest", "one that was changed");
        let lines = bytes.strip_suffix(BEHIND.as_bytes()).ok_or_else(changed)?;
        let (text, digest) = lines.split_last_chunk::<64>().ok_or_else(changed)?;
        let text = text.strip_suffix(BEFORE.as_bytes()).ok_or_else(changed)?;
        if digest_of(text).to_string().as_bytes() != digest {
            return Err(changed());
        }
        let metadata = json::parse(bytes)?;
        let marker = metadata.get("attributes").and_then(|attributes| attributes.get(MARKER));
        Marker::from_json(marker.unwrap_or(&Value::Null), &metadata)
    }

    fn from_json(value: &Value, metadata: &Value) -> Result<Marker, BadMetadata> {
        if value.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(json::wrong("a marker of version 2", value.get("version")));
        }
        let wrong = |key: &str| json::wrong(key, value.get(key));
        let number = |key: &str| value.get(key).and_then(Value::as_u64).ok_or_else(|| wrong(key));
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
                timestamp: value
                    .get("timestamp")
                    .and_then(Value::as_i64)
                    .ok_or_else(|| wrong("timestamp"))?,
                version: u32::try_from(number("region_version")?).map_err(|_| wrong("region_version"))?,
            },
            staged: number("staged")?,
            folder: json::text(value, "folder")?.to_owned(),
            bytes: number("bytes")?,
            header: value.get("header").cloned().ok_or_else(|| wrong("header"))?,
            files: files
                .collect::<Option<_>>()
                .ok_or_else(|| json::wrong("digests of files", value.get("files")))?,
            metadata: metadata.clone(),
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
