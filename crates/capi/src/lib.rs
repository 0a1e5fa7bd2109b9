//! Blocks of C programs whose results are kept: the functions of `include/onceflow_memo.h`, in one shared library.
//!
//! Each function checks its pointers and lets no panic pass: what goes wrong is a return value, and words that
//! `onceflow_error` gives. A null store or block is no error: the program then computes everything, and nothing is kept.
#![allow(
    unsafe_code,
    reason = "a C program gives addresses, whose lengths and lives only its contract states"
)]

mod attributes;
mod call;
mod strings;

pub use attributes::onceflow_attributes;
pub use call::{onceflow_error, onceflow_version};

use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_memo::{Block, BlockStore, MemoError};

use call::{ErrorWords, called};
use strings::{bytes_at, text_at};

/// A store, as C sees it.
pub struct StoreHandle {
    store: Arc<BlockStore>,
}

/// A block that has begun. It keeps its store open.
pub struct BlockHandle {
    // Dropped before the store that it borrows from.
    block: Option<Block<'static>>,
    _store: Arc<BlockStore>,
}

/// Opens a store. A null folder is that of the user.
///
/// # Safety
/// The arguments are null or texts that end with a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_open(
    folder: *const c_char,
    program: *const c_char,
    version: *const c_char,
) -> *mut StoreHandle {
    let open = || -> Result<*mut StoreHandle, ErrorWords> {
        // SAFETY: as the caller promises.
        let (folder, program, version) = unsafe {
            (text_at(folder, "folder")?, text_at(program, "program")?, text_at(version, "version")?)
        };
        let folder = folder.map(PathBuf::from).or_else(BlockStore::folder_of_user);
        let folder = folder.ok_or("expected a folder of a store, found none; set ONCEFLOW_STORE")?;
        if folder.as_os_str() == "none" {
            return Ok(std::ptr::null_mut());
        }
        let program = program.ok_or("expected the name of the program, found null")?;
        let store = BlockStore::open(folder, program, version.unwrap_or_default())?;
        Ok(Box::into_raw(Box::new(StoreHandle { store: Arc::new(store) })))
    };
    called(std::ptr::null_mut(), open)
}

/// Waits until all is kept, and closes the store.
///
/// # Safety
/// `store` is null, or was opened and is not closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_close(store: *mut StoreHandle) -> c_int {
    let close = || -> Result<c_int, ErrorWords> {
        if store.is_null() {
            return Ok(0);
        }
        // SAFETY: it was made by `onceflow_open`, and is given back once.
        let store = unsafe { Box::from_raw(store) };
        store.store.flush()?;
        Ok(0)
    };
    called(-1, close)
}

/// Waits until all that ended is kept.
///
/// # Safety
/// `store` is null or open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_flush(store: *mut StoreHandle) -> c_int {
    // SAFETY: as the caller promises.
    let store = unsafe { store.as_ref() };
    called(-1, || {
        store.map_or(Ok(()), |store| store.store.flush())?;
        Ok(0)
    })
}

/// Adds a value to the history of a variable.
///
/// # Safety
/// `store` is null or open, `variable` a text, and `value` has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_history_add(
    store: *mut StoreHandle,
    variable: *const c_char,
    value: *const c_void,
    bytes: usize,
) -> c_int {
    let add = || -> Result<c_int, ErrorWords> {
        // SAFETY: as the caller promises.
        let (store, variable, value) =
            unsafe { (store.as_ref(), named(variable, "variable")?, bytes_at(value, bytes, "value")?) };
        if let Some(store) = store {
            store.store.record(&variable, value);
        }
        Ok(0)
    };
    called(-1, add)
}

/// Forgets the history of a variable.
///
/// # Safety
/// `store` is null or open, `variable` a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_history_clear(store: *mut StoreHandle, variable: *const c_char) -> c_int {
    let clear = || -> Result<c_int, ErrorWords> {
        // SAFETY: as the caller promises.
        let (store, variable) = unsafe { (store.as_ref(), named(variable, "variable")?) };
        if let Some(store) = store {
            store.store.forget(&variable);
        }
        Ok(0)
    };
    called(-1, clear)
}

/// Begins a block.
///
/// # Safety
/// `store` is null or open, `name` a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_begin(store: *mut StoreHandle, name: *const c_char) -> *mut BlockHandle {
    let begin = || -> Result<*mut BlockHandle, ErrorWords> {
        // SAFETY: as the caller promises.
        let (store, name) = unsafe { (store.as_ref(), named(name, "name")?) };
        let Some(store) = store else { return Ok(std::ptr::null_mut()) };
        let store = Arc::clone(&store.store);
        // SAFETY: the block borrows from what the Arc beside it keeps alive and in its place; it is dropped first.
        let lasting: &'static BlockStore = unsafe { &*Arc::as_ptr(&store) };
        let block = Some(lasting.begin(name));
        Ok(Box::into_raw(Box::new(BlockHandle { block, _store: store })))
    };
    called(std::ptr::null_mut(), begin)
}

/// Does something with a block; a null one is no error.
///
/// # Safety
/// `block` is null, or has begun and has not ended.
unsafe fn with_block(
    block: *mut BlockHandle,
    work: impl FnOnce(&mut Block<'static>) -> Result<c_int, ErrorWords>,
) -> c_int {
    called(-1, || {
        // SAFETY: as the caller promises.
        match unsafe { block.as_mut() }.and_then(|block| block.block.as_mut()) {
            Some(block) => work(block),
            None => Ok(0),
        }
    })
}

/// Adds bytes as an attribute.
///
/// # Safety
/// `block` is null or has begun, `name` is a text, and `value` has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_attribute(
    block: *mut BlockHandle,
    name: *const c_char,
    value: *const c_void,
    bytes: usize,
) -> c_int {
    let add = |block: &mut Block<'static>| {
        // SAFETY: as the caller promises.
        let (name, value) = unsafe { (named(name, "name")?, bytes_at(value, bytes, "value")?) };
        block.attribute(&name, value);
        Ok(0)
    };
    // SAFETY: as the caller promises.
    unsafe { with_block(block, add) }
}

/// Adds a text as an attribute.
///
/// # Safety
/// `block` is null or has begun, `name` and `value` are texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_attribute_text(
    block: *mut BlockHandle,
    name: *const c_char,
    value: *const c_char,
) -> c_int {
    let add = |block: &mut Block<'static>| {
        // SAFETY: as the caller promises.
        let (name, value) = unsafe { (named(name, "name")?, named(value, "value")?) };
        block.attribute(&name, value.as_bytes());
        Ok(0)
    };
    // SAFETY: as the caller promises.
    unsafe { with_block(block, add) }
}

/// Adds a number as an attribute.
///
/// # Safety
/// `block` is null or has begun, `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_attribute_real(
    block: *mut BlockHandle,
    name: *const c_char,
    value: f64,
) -> c_int {
    // SAFETY: as the caller promises; the number is ours.
    unsafe { onceflow_attribute(block, name, value.to_le_bytes().as_ptr().cast(), 8) }
}

/// Adds a whole number as an attribute.
///
/// # Safety
/// `block` is null or has begun, `name` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_attribute_integer(
    block: *mut BlockHandle,
    name: *const c_char,
    value: i64,
) -> c_int {
    // SAFETY: as the caller promises; the number is ours.
    unsafe { onceflow_attribute(block, name, value.to_le_bytes().as_ptr().cast(), 8) }
}

/// Adds the content of a file as an attribute.
///
/// # Safety
/// `block` is null or has begun, `path` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_attribute_file(block: *mut BlockHandle, path: *const c_char) -> c_int {
    let add = |block: &mut Block<'static>| {
        // SAFETY: as the caller promises.
        let path = unsafe { named(path, "path")? };
        block.attribute_file(Path::new(&path))?;
        Ok(0)
    };
    // SAFETY: as the caller promises.
    unsafe { with_block(block, add) }
}

/// Adds all values of a variable until now as an attribute.
///
/// # Safety
/// `block` is null or has begun, `variable` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_attribute_history(
    block: *mut BlockHandle,
    variable: *const c_char,
) -> c_int {
    let add = |block: &mut Block<'static>| {
        // SAFETY: as the caller promises.
        let variable = unsafe { named(variable, "variable")? };
        block.history(&variable);
        Ok(0)
    };
    // SAFETY: as the caller promises.
    unsafe { with_block(block, add) }
}

/// Whether the products are known: 1, 0, or -1 after an error.
///
/// # Safety
/// `block` is null or has begun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_known(block: *mut BlockHandle) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { with_block(block, |block| Ok(c_int::from(block.known()?))) }
}

/// Takes a product of a known block into memory, or gives one that was computed.
///
/// # Safety
/// `block` is null or has begun, `name` is a text, and `value` has so many bytes, which may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_product(
    block: *mut BlockHandle,
    name: *const c_char,
    value: *mut c_void,
    bytes: usize,
) -> c_int {
    let product = |block: &mut Block<'static>| {
        // SAFETY: as the caller promises.
        let name = unsafe { named(name, "name")? };
        let Some(known) = block.product(&name)? else {
            // SAFETY: as the caller promises.
            block.give(&name, unsafe { bytes_at(value, bytes, "value")? })?;
            return Ok(0);
        };
        if known.len() != bytes {
            return Err(ErrorWords::from(format!(
                "product `{name}`: expected {} bytes as they were kept, found room for {bytes}; raise the version of the program",
                known.len()
            )));
        }
        if bytes > 0 {
            // SAFETY: there is room for so many bytes, as the caller promises, and none of it is ours.
            unsafe { std::ptr::copy_nonoverlapping(known.as_ptr(), value.cast::<u8>(), bytes) };
        }
        Ok(0)
    };
    // SAFETY: as the caller promises.
    unsafe { with_block(block, product) }
}

/// Restores a file of a known block, or gives one that was written.
///
/// # Safety
/// `block` is null or has begun, `name` and `path` are texts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_product_file(
    block: *mut BlockHandle,
    name: *const c_char,
    path: *const c_char,
) -> c_int {
    let product = |block: &mut Block<'static>| {
        // SAFETY: as the caller promises.
        let (name, path) = unsafe { (named(name, "name")?, named(path, "path")?) };
        let path = Path::new(&path);
        if !block.restore(&name, path)? {
            block.give_file(&name, path)?;
        }
        Ok(0)
    };
    // SAFETY: as the caller promises.
    unsafe { with_block(block, product) }
}

/// Ends a block: what was computed is kept.
///
/// # Safety
/// `block` is null, or has begun and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_end(block: *mut BlockHandle) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { ended(block, |block| block.end()) }
}

/// Ends a block of which nothing is kept.
///
/// # Safety
/// `block` is null, or has begun and has not ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn onceflow_abandon(block: *mut BlockHandle) -> c_int {
    let abandon = |block: Block<'static>| {
        drop(block);
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { ended(block, abandon) }
}

/// # Safety
/// `block` is null, or has begun and has not ended.
unsafe fn ended(block: *mut BlockHandle, end: impl FnOnce(Block<'static>) -> Result<(), MemoError>) -> c_int {
    called(-1, || {
        if block.is_null() {
            return Ok(0);
        }
        // SAFETY: it was made by `onceflow_begin`, and is given back once.
        let mut whole = unsafe { Box::from_raw(block) };
        whole.block.take().map_or(Ok(()), end)?;
        Ok(0)
    })
}

/// A text that must be there.
///
/// # Safety
/// `text` is null or a text that ends with a zero byte.
unsafe fn named(text: *const c_char, what: &str) -> Result<String, ErrorWords> {
    // SAFETY: as the caller promises.
    let text = unsafe { text_at(text, what)? };
    text.ok_or_else(|| ErrorWords::from(format!("expected a text as the argument `{what}`, found null")))
}
