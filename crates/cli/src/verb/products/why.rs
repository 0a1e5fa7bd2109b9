//! `onceflow products why`: where a result comes from, what it is worth, and whether its bytes are sound.

use onceflow_engine::{Explained, duration_words};
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

fn to_json(explained: &Explained) -> Value {
    let mut object = product(&explained.listed);
    let more = json!({
        "payload_bytes": explained.listed.payload_bytes, "shared": explained.listed.shared,
        "digest": explained.digest, "pack": explained.pack.display().to_string(), "offset": explained.offset,
        "stored_bytes": explained.stored_bytes, "compressed": explained.compressed, "sound": explained.sound,
    });
    if let (Value::Object(object), Value::Object(more)) = (&mut object, more) {
        object.extend(more);
    }
    object
}

fn text(explained: &Explained) -> String {
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
    lines.iter().map(|(name, value)| format!("{name:8}{value}\n")).collect()
}
