//! Metadata of Zarr and OME-Zarr that are strange or hostile: each is refused by name, before anything is read or made room for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;

use onceflow_imageio::{OmeZarr, open};
use onceflow_region::Source;
use serde_json::{Value, json};

use support::boxed;

/// Files in memory: the metadata of an image and of its only array.
fn files(group: &Value, array: &Value) -> BTreeMap<String, Arc<[u8]>> {
    let bytes = |value: &Value| Arc::from(value.to_string().into_bytes());
    BTreeMap::from([("zarr.json".to_owned(), bytes(group)), ("0/zarr.json".to_owned(), bytes(array))])
}

fn group(axes: &str) -> Value {
    let axes: Vec<Value> =
        axes.chars().map(|name| json!({"name": name.to_string(), "unit": "nanometer"})).collect();
    let scale: Vec<f64> = axes.iter().map(|_| 500.0).collect();
    json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", "multiscales": [{
        "axes": axes, "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": scale}]}],
    }]}}})
}

fn array(shape: &[u64]) -> Value {
    let chunk: Vec<u64> = shape.iter().map(|side| (*side).clamp(1, 64)).collect();
    json!({"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "uint8", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]})
}

fn look(axes: &str, shape: &[u64]) -> Result<OmeZarr, String> {
    OmeZarr::from_files("image", files(&group(axes), &array(shape))).map_err(|error| error.to_string())
}

#[test]
fn planes_are_images_and_stacks_are_refused() {
    for (axes, shape, channels) in [
        ("yx", &[5, 4][..], 1),
        ("cyx", &[3, 5, 4], 3),
        ("zyx", &[1, 5, 4], 1),
        ("tczyx", &[1, 3, 1, 5, 4], 3),
        ("yxc", &[5, 4, 3], 3),
    ] {
        let image = look(axes, shape).unwrap();
        let info = image.info();
        assert_eq!(
            (info.width, info.height, info.channels, info.um_per_pixel),
            (4, 5, channels, Some(0.5)),
            "{axes}"
        );
        assert_eq!(image.read(boxed(0, 0, 4, 5)).unwrap().channels(), channels as usize);
    }
    for (axes, shape, expected) in [
        (
            "zyx",
            &[2, 5, 4][..],
            "expected an image of one plane (one depth, one time), found axes zyx with [2, 5, 4] places",
        ),
        ("tczyx", &[3, 1, 1, 5, 4], "one plane"),
        ("cyx", &[4, 5, 4], "1 channel (grey) or 3 (colour)"),
        ("zx", &[5, 4], "axes y and x"),
        ("yx", &[5, 4, 3], "an array of 2 axes, found an array of shape [5, 4, 3]"),
    ] {
        let error = look(axes, shape).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn three_stains_are_no_colours() {
    let mut group = group("cyx");
    let channels = ["0000FF", "00FF00", "FF0000"].map(|colour| json!({"color": colour}));
    group["attributes"]["ome"]["omero"] = json!({"channels": channels});
    let error = OmeZarr::from_files("image", files(&group, &array(&[3, 5, 4]))).unwrap_err().to_string();
    assert!(
        error.contains("expected red, green and blue as the three channels, found channels shown as 0000FF"),
        "{error}"
    );
}

/// Metadata with one thing changed.
fn changed(pointer: &str, value: Value) -> String {
    let mut array = json!({"zarr_format": 3, "node_type": "array", "shape": [64, 64], "data_type": "uint8", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [32, 32]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [16, 16], "codecs": [{"name": "bytes"}],
            "index_codecs": [{"name": "bytes"}, {"name": "crc32c"}]}}]});
    *array.pointer_mut(pointer).unwrap() = value;
    OmeZarr::from_files("image", files(&group("yx"), &array)).map_or_else(
        |error| error.to_string(),
        |image| {
            image
                .read(boxed(0, 0, image.info().width.min(9), 1))
                .map_or_else(|error| error.to_string(), |_| "read".to_owned())
        },
    )
}

#[test]
fn hostile_metadata_are_refused_by_name() {
    let inner = "/codecs/0/configuration";
    for (pointer, value, expected) in [
        ("/shape", json!([64, 64]), "read"),
        ("/shape", json!([1u64 << 47, 1u64 << 47]), "read"),
        ("/shape", json!([u64::MAX, 64]), "at most"),
        ("/shape", json!([0, 64]), "expected a box with pixels within"),
        ("/shape", json!([-1, 64]), "whole numbers"),
        ("/shape", json!([[[[]]]]), "whole numbers"),
        ("/chunk_grid/configuration/chunk_shape", json!([0, 32]), "whole chunks fill"),
        (
            "/chunk_grid/configuration/chunk_shape",
            json!([1u64 << 40, 1u64 << 40]),
            "at most 1048576 chunks in a shard",
        ),
        ("/chunk_grid/configuration/chunk_shape", json!([33, 32]), "whole chunks fill"),
        ("/chunk_grid/name", json!("rectangular"), "regular"),
        ("/chunk_key_encoding/configuration/separator", json!("/../"), "the separator / or ."),
        ("/chunk_key_encoding/name", json!("../.."), "default or v2"),
        ("/codecs/0/configuration/chunk_shape", json!([0, 16]), "chunks of 1 byte to 256 MiB"),
        ("/codecs/0/configuration/chunk_shape", json!([u64::MAX, u64::MAX]), "chunks of 1 byte to 256 MiB"),
        ("/codecs/0/configuration/codecs", json!([{"name": "sharding_indexed"}]), "the codec bytes"),
        (
            "/codecs/0/configuration/codecs",
            json!([{"name": "bytes"}, {"name": "lzma"}]),
            "the codecs zstd, gzip",
        ),
        (
            "/codecs/0/configuration/codecs",
            json!([{"name": "transpose", "configuration": {"order": [0, 0]}}, {"name": "bytes"}]),
            "every axis once",
        ),
        ("/codecs/0/configuration/codecs", json!([]), "the codec bytes"),
        ("/codecs", json!([{"name": "bytes"}, {"name": "sharding_indexed"}]), "the codecs zstd, gzip"),
        ("/data_type", json!("complex128"), "data_type complex128"),
        ("/fill_value", json!(256), "a fill_value of u8, found 256"),
        ("/fill_value", json!("NaN"), "a fill_value of u8"),
        ("/zarr_format", json!(2), "zarr_format 3, found 2"),
        ("/node_type", json!("group"), "node_type \"array\""),
    ] {
        let found = changed(pointer, value.clone());
        assert!(found.contains(expected), "{pointer} = {value}: {found}");
    }
    assert!(changed(inner, json!(null)).contains("chunk_shape as a list, found nothing"));
    let deep = "[".repeat(100_000);
    let files = BTreeMap::from([("zarr.json".to_owned(), Arc::from(deep.into_bytes()))]);
    assert!(OmeZarr::from_files("image", files).unwrap_err().to_string().contains("expected JSON"));
}

#[test]
fn paths_of_scales_stay_within() {
    for path in ["../0", "/etc", "a/../../b", "", ".", "a\\..\\b"] {
        let mut group = group("yx");
        group["attributes"]["ome"]["multiscales"][0]["datasets"][0]["path"] = json!(path);
        let error = OmeZarr::from_files("image", files(&group, &array(&[4, 4]))).unwrap_err().to_string();
        assert!(error.contains("expected the path of a folder within"), "{path}: {error}");
    }
}

/// A chunk of a few bytes that promises more than there is memory.
#[test]
fn promises_of_compressed_chunks_are_not_believed() {
    let mut array = array(&[64, 64]);
    array["codecs"] =
        json!([{"name": "bytes"}, {"name": "zstd", "configuration": {"level": 1, "checksum": false}}]);
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
    frame.extend_from_slice(&(1u64 << 60).to_le_bytes());
    frame.extend_from_slice(&[1, 0, 0]);
    let mut files = files(&group("yx"), &array);
    files.insert("0/c/0/0".to_owned(), Arc::from(frame));
    let image = OmeZarr::from_files("image", files).unwrap();
    let error = image.read(boxed(0, 0, 64, 64)).unwrap_err().to_string();
    assert!(error.contains("cannot be unpacked"), "{error}");
}

#[test]
fn other_folders_are_refused_by_name() {
    let place = tempfile::tempdir().unwrap();
    let refused = || open(place.path()).unwrap_err().to_string();
    assert!(refused().contains("found a folder without zarr.json"), "{}", refused());
    std::fs::write(place.path().join(".zattrs"), "{}").unwrap();
    assert!(refused().contains("found a folder without zarr.json"), "{}", refused());
    let old = json!({"multiscales": [{"version": "0.3", "axes": ["y", "x"], "datasets": [{"path": "0"}]}]});
    std::fs::write(place.path().join(".zattrs"), old.to_string()).unwrap();
    assert!(refused().contains("or 0.4 with Zarr v2, found \"0.3\""), "{}", refused());
    for (ome, expected) in [
        (
            json!({"version": "0.6", "multiscales": []}),
            "the OME-Zarr version 0.5, or 0.4 with Zarr v2, found \"0.6\"",
        ),
        (json!({"version": "0.5", "plate": {}}), "a plate of many"),
        (json!({"version": "0.5", "bioformats2raw.layout": 3}), "its folder 0"),
        (json!({}), "expected an image (multiscales), found none"),
    ] {
        let group = json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome}});
        std::fs::write(place.path().join("zarr.json"), group.to_string()).unwrap();
        assert!(refused().contains(expected), "{}", refused());
    }
}
