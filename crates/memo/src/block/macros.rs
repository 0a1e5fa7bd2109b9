//! The value of a block in one expression.

use super::{Block, BlockStore, BlockValue};
use crate::MemoError;

/// Takes the value of a block from a store, or computes and keeps it. The value is any [`BlockValue`]; attributes are names with
/// anything that has bytes; in brackets stand the variables whose values of all passes identify the block too.
///
/// ```
/// use onceflow_memo::{BlockStore, MemoError, block};
///
/// let folder = tempfile::tempdir()?;
/// let store = BlockStore::open(folder.path(), "example", "1")?;
/// let mut computed = 0;
/// for _ in 0..2 {
///     let sum: f64 = block!(store, "sum", from = 1.0_f64, to = "last"; {
///         computed += 1;
///         42.0
///     })?;
///     assert_eq!(sum, 42.0);
/// }
/// assert_eq!(computed, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! block {
    ($store:expr, $name:expr $(, $attribute:ident = $value:expr)* $(, [$($variable:ident),+])?; $body:block) => {{
        let mut block = $store.begin($name);
        $( block.attribute(stringify!($attribute), &$crate::BlockValue::to_block_bytes(&$value)); )*
        $( $( block.history(stringify!($variable)); )+ )?
        $crate::BlockStore::value(block, || $body)
    }};
}

impl BlockStore {
    /// The value of a block: the one that is kept, or the computed one.
    ///
    /// # Errors
    /// When the store cannot be used, or what is kept is no value of this type.
    pub fn value<V: BlockValue>(mut block: Block<'_>, compute: impl FnOnce() -> V) -> Result<V, MemoError> {
        const VALUE: &str = "value";
        if block.known()?
            && let Some(bytes) = block.product(VALUE)?
        {
            return V::from_block_bytes(&bytes).ok_or_else(|| MemoError::Product {
                block: block.name.clone(),
                name: VALUE.into(),
                expected: format!("a value of type {}", std::any::type_name::<V>()),
                found: format!("{} bytes of another type; raise the version of the program", bytes.len()),
            });
        }
        let value = compute();
        block.give(VALUE, &value.to_block_bytes())?;
        block.end()?;
        Ok(value)
    }
}
