//! `onceflow products why`: where a result comes from, what it is worth, and whether its bytes are sound.

use onceflow_engine::{Explained, ProductRegion, duration_words};
use onceflow_memo::{MemoAttribute, MemoAttributeKind, MemoEntry, MemoPart, MemoRole};
use onceflow_study::with_commas;
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::{Value, json};

use super::list::plain;
use super::{age, failed, open, product, size_words, unknown_key};
use crate::args::PinArgs;

/// More results than this are not explained at once.
const MOST: usize = 20;

/// Carries out `why`.
pub(super) fn run(args: &PinArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(&args.store)?;
    // One more says that there are more.
    let mut explained = store.explain(&args.key, MOST + 1).map_err(failed)?;
    if explained.is_empty() {
        return Err(unknown_key(&args.key));
    }
    let more = explained.len() > MOST;
    explained.truncate(MOST);
    let sound = explained.iter().all(|explained| explained.sound);
    let memo = |explained: &Explained| -> Result<Option<MemoEntry>, Failure> {
        let product = store.peek(explained.listed.key).map_err(failed)?;
        Ok(product.and_then(|product| MemoEntry::decode(&product.payload)))
    };
    let entries = explained.iter().map(memo).collect::<Result<Vec<_>, _>>()?;
    let explained: Vec<_> = explained.into_iter().zip(entries).collect();
    if args.store.json {
        let products: Vec<Value> = explained.iter().map(to_json).collect();
        terminal.json(&json!({ "version": 1, "products": products, "more": more }))?;
    } else {
        let texts: Vec<String> = explained.iter().map(text).collect();
        let end = if more { "\nMore keys begin with these digits: give more of them.\n" } else { "" };
        terminal.result(&format!("{}{end}", texts.join("\n")))?;
    }
    Ok(if sound { Exit::Ok } else { Exit::RowsFailed })
}

fn to_json((explained, memo): &(Explained, Option<MemoEntry>)) -> Value {
    let mut object = product(&explained.listed);
    let more = json!({
        "payload_bytes": explained.listed.payload_bytes, "shared": explained.listed.shared,
        "digest": explained.digest, "pack": explained.pack.display().to_string(), "offset": explained.offset,
        "stored_bytes": explained.stored_bytes, "compressed": explained.compressed, "sound": explained.sound,
    });
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
        object.extend(memo.iter().map(|entry| ("memo".to_owned(), memo_json(entry))));
    }
    object
}

/// What identified a command or a block, and what it gave.
fn memo_json(entry: &MemoEntry) -> Value {
    let attributes = entry.attributes.iter();
    let attributes = attributes.map(|a| json!({ "kind": a.kind.word(), "name": a.name, "value": a.value }));
    let parts = entry.parts.iter();
    let parts = parts.map(|part| json!({ "name": part_name(part), "bytes": part.bytes }));
    json!({
        "title": entry.title, "exit": entry.exit, "attributes": attributes.collect::<Vec<_>>(),
        "gave": parts.collect::<Vec<_>>(),
    })
}

fn part_name(part: &MemoPart) -> &str {
    match part.role {
        MemoRole::Output => "standard output",
        MemoRole::Error => "standard error",
        MemoRole::File | MemoRole::Product => &part.name,
    }
}

fn memo_text(entry: &MemoEntry) -> String {
    let mut text = format!("{:8}{}, exit code {}\n", "memo", plain(&entry.title), entry.exit);
    let shown = entry.attributes.iter().filter(|a| a.kind != MemoAttributeKind::Argument);
    for MemoAttribute { kind, name, value } in shown {
        let value = if value.is_empty() { String::new() } else { format!(" = {}", plain(value)) };
        text += &format!("{:8}{} {}{value}\n", "", kind.word(), plain(name));
    }
    for part in &entry.parts {
        text += &format!("{:8}gave {}, {}\n", "", plain(part_name(part)), size_words(part.bytes));
    }
    text
}

fn region_line(region: &ProductRegion) -> String {
    let ProductRegion { id, bounds } = region;
    format!(
        "{} of {}, {}, version {}, {} x {} pixels at {}, {}",
        plain(&id.key),
        plain(&id.namespace),
        id.kind,
        id.version,
        bounds.width(),
        bounds.height(),
        bounds.x(),
        bounds.y()
    )
}

fn text((explained, memo): &(Explained, Option<MemoEntry>)) -> String {
    let Explained { listed, .. } = explained;
    let ago = |time| duration_words(age(time));
    let uses = match listed.uses {
        0 => "never".to_owned(),
        uses => format!("{} times, the last {} ago", with_commas(uses.into()), ago(listed.used)),
    };
    let form = if explained.compressed { "compressed to" } else { "stored as" };
    let others = match listed.shared {
        0 | 1 => String::new(),
        shared => format!(", shared by {} keys", with_commas(shared.into())),
    };
    let sound = if explained.sound {
        "yes: the bytes are those that were written"
    } else {
        "no: products verify sets it aside, and it is computed again when it is needed"
    };
    let lines = [
        ("key", listed.key.to_string()),
        ("made", format!("{} ago by {}", ago(listed.created), plain(&listed.maker.user))),
        ("run", format!("{} (onceflow {})", plain(&listed.maker.run), plain(&listed.maker.program))),
        ("took", format!("{} to compute", duration_words(listed.seconds))),
        ("used", uses),
        ("pinned", if listed.pinned { "yes: it is never removed" } else { "no" }.to_owned()),
        (
            "bytes",
            format!(
                "{}, {form} {}{others}",
                size_words(listed.payload_bytes),
                size_words(explained.stored_bytes)
            ),
        ),
        ("digest", explained.digest.clone().unwrap_or_else(|| "unknown".to_owned())),
        ("in", format!("{} at byte {}", explained.pack.display(), explained.offset)),
        ("sound", sound.to_owned()),
    ];
    let region = listed.region.as_ref().map(|region| ("region", region_line(region)));
    let lines = lines.iter().chain(&region);
    let lines: String = lines.map(|(name, value)| format!("{name:8}{value}\n")).collect();
    lines + &memo.as_ref().map(memo_text).unwrap_or_default()
}
