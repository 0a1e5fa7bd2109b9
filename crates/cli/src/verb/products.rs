//! `onceflow products`: the store of results of earlier runs.

mod export;
mod list;
mod why;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use onceflow_engine::{
    Collected, Collection, Listed, ProductError, ProductRegion, ProductStore, StoreStatistics, Verified,
    duration_words, memory_words,
};
use onceflow_study::{Diagnostic, with_commas};
use onceflow_terminal::{Exit, Failure, Terminal};
use serde_json::{Value, json};

use crate::args::{GcArgs, ListArgs, PinArgs, ProductsArgs, ProductsVerb, StoreArgs};
use crate::settings::store_folder;

/// Carries out a verb of `products`.
pub(crate) fn run(args: &ProductsArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    match &args.verb {
        ProductsVerb::Ls(args) => ls(args, terminal),
        ProductsVerb::Stats(args) => stats(args, terminal),
        ProductsVerb::Verify(args) => verify(args, terminal),
        ProductsVerb::Gc(args) => gc(args, terminal),
        ProductsVerb::Pin(args) => pin(args, true, terminal),
        ProductsVerb::Unpin(args) => pin(args, false, terminal),
        ProductsVerb::Why(args) => why::run(args, terminal),
        ProductsVerb::Export(args) => export::run(args, terminal),
    }
}

fn ls(args: &ListArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(&args.store)?;
    let query = list::query(args);
    let listed = match &query {
        None => store.list(),
        Some((query, within)) => store.regions(query, within.as_ref(), usize::MAX),
    };
    let listed = listed.map_err(failed)?;
    if args.store.json {
        let products: Vec<Value> = listed.iter().map(product).collect();
        terminal.json(&json!({ "version": 1, "products": products }))?;
        return Ok(Exit::Ok);
    }
    let table = if query.is_some() { list::regions } else { list::table };
    terminal.result(&table(&listed, onceflow_terminal::columns()))?;
    Ok(Exit::Ok)
}

fn product(listed: &Listed) -> Value {
    let mut product = json!({
        "key": listed.key.to_string(), "bytes": listed.bytes, "seconds": listed.seconds, "created_ms": listed.created,
        "used_ms": listed.used, "uses": listed.uses, "pinned": listed.pinned, "run": listed.maker.run,
        "user": listed.maker.user, "program": listed.maker.program,
    });
    if let Some(ProductRegion { id, bounds }) = &listed.region {
        product["region"] = json!({
            "image": id.namespace, "name": id.key, "kind": id.kind.word(), "time": id.timestamp,
            "version": id.version, "x": bounds.x(), "y": bounds.y(), "width": bounds.width(),
            "height": bounds.height(),
        });
    }
    product
}

fn stats(args: &StoreArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(args)?;
    let statistics = store.statistics().map_err(failed)?;
    if args.json {
        terminal.json(&statistics_json(&store, &statistics))?;
    } else {
        terminal.result(&statistics_text(&store, &statistics))?;
    }
    Ok(Exit::Ok)
}

fn statistics_json(store: &ProductStore, s: &StoreStatistics) -> Value {
    json!({
        "version": 1, "store": store.folder().display().to_string(), "products": s.products, "pinned": s.pinned,
        "bytes": { "products": s.product_bytes, "overhead": s.pack_bytes.saturating_sub(s.product_bytes),
                   "packs": s.pack_bytes, "limit": s.limit },
        "results": { "different": s.blobs, "bytes": s.payload_bytes }, "former_bytes": s.former_bytes,
        "packs": s.packs, "lookups": s.lookups, "hits": s.hits, "misses": s.misses,
        "seconds_saved": s.seconds_saved, "damaged": s.damaged, "conflicts": s.conflicts,
    })
}

fn statistics_text(store: &ProductStore, s: &StoreStatistics) -> String {
    let overhead = s.pack_bytes.saturating_sub(s.product_bytes);
    let number = |n: u64| with_commas(n.into());
    let mut text = format!("store      {}\n", store.folder().display());
    text += &format!(
        "results    {}, {} of them different, {} pinned\n",
        number(s.products),
        number(s.blobs),
        number(s.pinned)
    );
    text += &format!(
        "size       {} = results {} + overhead {}; at most {}\n",
        size_words(s.pack_bytes),
        size_words(s.product_bytes),
        size_words(overhead),
        size_words(s.limit)
    );
    text += &format!(
        "lookups    {} = hits {} + misses {}\n",
        number(s.lookups),
        number(s.hits),
        number(s.misses)
    );
    if s.former_bytes > 0 {
        text += &format!("copy       {} of an older form, until products gc\n", size_words(s.former_bytes));
    }
    text += &format!("saved      {} of computing\n", duration_words(s.seconds_saved));
    if s.damaged > 0 {
        let folder = store.folder().join("quarantine");
        text += &format!("damaged    {}, set aside in {}\n", number(s.damaged), folder.display());
    }
    if s.conflicts > 0 {
        text += &format!("conflicts  {}: results that did not repeat\n", number(s.conflicts));
    }
    text
}

fn verify(args: &StoreArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(args)?;
    let Verified { sound, bytes, damaged } = store.verify(|_, _| {}).map_err(failed)?;
    if args.json {
        let damaged: Vec<String> = damaged.iter().map(ToString::to_string).collect();
        terminal.json(&json!({ "version": 1, "sound": sound, "bytes": bytes, "damaged": damaged }))?;
    } else {
        let mut text = format!("{} results are sound, {}\n", with_commas(sound.into()), size_words(bytes));
        for key in &damaged {
            text += &format!("damaged {key}: set aside, computed again when it is needed\n");
        }
        terminal.result(&text)?;
    }
    Ok(if damaged.is_empty() { Exit::Ok } else { Exit::RowsFailed })
}

fn gc(args: &GcArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let store = open(&args.store)?;
    let collection = Collection { older_than: args.older_than, size: args.size.map(|size| size.0) };
    let collected = if args.dry_run {
        let victims = store.victims(&collection).map_err(failed)?;
        let before = store.statistics().map_err(failed)?;
        let bytes = victims.iter().map(|victim| victim.bytes).sum();
        let (removed, packs) = (victims.len() as u64, before.pack_bytes);
        Collected { removed, bytes, kept: before.products - removed, packs: (packs, packs) }
    } else {
        store.collect(&collection).map_err(failed)?
    };
    if args.store.json {
        let (before, after) = collected.packs;
        terminal.json(&json!({
            "version": 1, "dry_run": args.dry_run, "removed": collected.removed, "bytes": collected.bytes,
            "kept": collected.kept, "packs_before": before, "packs_after": after,
        }))?;
    } else {
        let verb = if args.dry_run { "would remove" } else { "removed" };
        terminal.result(&format!(
            "{verb} {} results, {}; {} stay\n",
            with_commas(collected.removed.into()),
            size_words(collected.bytes),
            with_commas(collected.kept.into())
        ))?;
    }
    Ok(Exit::Ok)
}

fn pin(args: &PinArgs, pinned: bool, terminal: &Terminal) -> Result<Exit, Failure> {
    let count = open(&args.store)?.pin(&args.key, pinned).map_err(failed)?;
    if count == 0 {
        return Err(unknown_key(&args.key));
    }
    if args.store.json {
        terminal.json(&json!({ "version": 1, "pinned": pinned, "products": count }))?;
    } else {
        terminal.result(&format!("{} {count} results\n", if pinned { "pinned" } else { "unpinned" }))?;
    }
    Ok(Exit::Ok)
}

fn unknown_key(digits: &str) -> Failure {
    let error = Diagnostic::error(format!("no result has a key that begins with `{digits}`"));
    Failure::bad_input(error.with_hint("onceflow products ls lists the keys"))
}

/// The store that the settings name. One that is not there is not made.
fn open(args: &StoreArgs) -> Result<ProductStore, Failure> {
    let folder = store_folder(args.store.as_deref(), args.store_size)?;
    let there = folder.filter(|folder| folder.path().join("format").is_file());
    let Some(folder) = there else { return Err(no_store(args)) };
    folder.open().map_err(failed)
}

fn no_store(args: &StoreArgs) -> Failure {
    let place =
        args.store.as_ref().map_or_else(|| "the user's cache folder".into(), |p| p.display().to_string());
    let error = Diagnostic::error(format!("there is no store of results in {place}"));
    let error = error.expected_found("the folder of a store, which onceflow run makes", "none");
    Failure::bad_input(error.with_hint("run a study first, or name a folder after --store"))
}

fn failed(error: ProductError) -> Failure {
    let diagnostic = Diagnostic::error(error.to_string());
    match error {
        ProductError::Format { .. } | ProductError::Newer { .. } => Failure::bad_input(diagnostic),
        _ => Failure::environment(diagnostic),
    }
}

/// Seconds since a time.
fn age(created: u64) -> f64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.saturating_sub(Duration::from_millis(created)).as_secs_f64()
}

fn size_words(bytes: u64) -> String {
    memory_words(bytes, 0)
}
