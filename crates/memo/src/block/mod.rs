//! Blocks of a program: each begins with attributes and ends with products.

mod computing;
mod history;
mod macros;
mod publisher;
mod store;
mod value;
mod waiting;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use onceflow_products::ProductKey;

use crate::command::{as_part, changed, file_digest, to_file};
use crate::{MemoAttribute, MemoAttributeKind, MemoEntry, MemoError, MemoKey, MemoPart, MemoRole, kept};
use computing::ComputedBlock;

pub use store::BlockStore;
pub use value::BlockValue;

/// Raised when the fields of a key change their meaning.
const KIND: &str = "onceflow memo block v1";

/// A block that has begun.
#[derive(Debug)]
pub struct Block<'a> {
    of: &'a BlockStore,
    name: String,
    attributes: Vec<(MemoAttribute, Vec<u8>)>,
    /// The key and what is known of it, once that was asked.
    asked: Option<(ProductKey, Option<Arc<MemoEntry>>)>,
    products: Vec<MemoPart>,
    long: Vec<(usize, PathBuf)>,
    /// Files that are attributes, as they were when they were read.
    read: Vec<(PathBuf, String)>,
    inline: usize,
    begun: Instant,
    /// Its place among the blocks that are computed, from the first answer that it is not known.
    computing: Option<ComputedBlock<'a>>,
}

impl<'a> Block<'a> {
    fn new(of: &'a BlockStore, name: String) -> Self {
        Self {
            of,
            name,
            attributes: Vec::new(),
            asked: None,
            products: Vec::new(),
            long: Vec::new(),
            read: Vec::new(),
            inline: 0,
            begun: Instant::now(),
            computing: None,
        }
    }
}

impl Block<'_> {
    /// Adds an attribute. The order of attributes does not matter.
    pub fn attribute(&mut self, name: &str, value: &[u8]) -> &mut Self {
        self.add(MemoAttribute::new(MemoAttributeKind::Value, name, value), value)
    }

    /// Adds the content of a file as an attribute. It is read once while it stays as it is.
    ///
    /// # Errors
    /// When it cannot be read, or changes meanwhile.
    pub fn attribute_file(&mut self, path: &Path) -> Result<&mut Self, MemoError> {
        let (digest, stamp) = file_digest(&self.of.store, path)?;
        self.read.push((path.to_path_buf(), stamp));
        let name = path.display().to_string();
        Ok(self.add(MemoAttribute::of_digest(MemoAttributeKind::Read, name, &digest), &digest))
    }

    /// Adds all values of a variable until now: 32 bytes, however many there are.
    pub fn history(&mut self, variable: &str) -> &mut Self {
        let (digest, words) = self.of.histories().of(variable);
        let mut attribute = MemoAttribute::of_digest(MemoAttributeKind::History, variable, &digest);
        attribute.value = words;
        self.add(attribute, &digest)
    }

    fn add(&mut self, attribute: MemoAttribute, value: &[u8]) -> &mut Self {
        self.asked = None;
        self.attributes.push((attribute, value.to_vec()));
        self
    }

    /// Whether the products are known, so that the block need not be computed.
    ///
    /// # Errors
    /// When an attribute stands twice, this block is computed already and has begun itself, or the store cannot be read.
    pub fn known(&mut self) -> Result<bool, MemoError> {
        let (key, known) = if self.of.audit { (self.key()?, false) } else { self.asked()? };
        if !known && self.computing.is_none() {
            let computing = self.of.computing.begin(key);
            self.computing = Some(computing.ok_or_else(|| self.recursive())?);
        }
        Ok(known)
    }

    fn asked(&mut self) -> Result<(ProductKey, bool), MemoError> {
        self.ask().map(|(key, entry)| (key, entry.is_some()))
    }

    fn recursive(&self) -> MemoError {
        MemoError::RecursiveBlock { block: self.name.clone() }
    }

    /// The key: 32 bytes.
    ///
    /// # Errors
    /// When an attribute stands twice.
    pub fn key(&mut self) -> Result<ProductKey, MemoError> {
        if let Some((key, _)) = &self.asked {
            return Ok(*key);
        }
        self.attributes.sort();
        let same = |pair: &&[(MemoAttribute, Vec<u8>)]| {
            (pair[0].0.kind, &pair[0].0.name) == (pair[1].0.kind, &pair[1].0.name)
        };
        if let Some(pair) = self.attributes.windows(2).find(same) {
            return Err(MemoError::Twice { name: pair[0].0.name.clone() });
        }
        let mut key = MemoKey::new(KIND);
        key.field(self.of.program.as_bytes());
        key.field(self.of.version.as_bytes());
        key.field(self.name.as_bytes());
        key.count(self.attributes.len());
        for (attribute, value) in &self.attributes {
            key.field(&[attribute.kind as u8]);
            key.field(attribute.name.as_bytes());
            key.field(value);
        }
        Ok(key.finish())
    }

    fn ask(&mut self) -> Result<(ProductKey, Option<Arc<MemoEntry>>), MemoError> {
        if let Some(asked) = &self.asked {
            return Ok(asked.clone());
        }
        let key = self.key()?;
        let asked = (key, self.of.find(key)?);
        self.asked = Some(asked.clone());
        Ok(asked)
    }

    /// The bytes of a product of a known block; none when the block is not known.
    ///
    /// # Errors
    /// When the known block has no such product.
    pub fn product(&mut self, name: &str) -> Result<Option<Vec<u8>>, MemoError> {
        if self.of.audit {
            return Ok(None);
        }
        let Some(entry) = self.ask()?.1 else { return Ok(None) };
        let part = self.part(&entry, name, MemoRole::Product)?;
        let mut bytes = Vec::with_capacity(usize::try_from(part.bytes).unwrap_or_default().min(1 << 30));
        let whole = kept::content(&self.of.store, part, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        if whole { Ok(Some(bytes)) } else { Err(self.gone(name)) }
    }

    /// Restores a file of a known block; false when the block is not known.
    ///
    /// # Errors
    /// When the known block has no such file, or it cannot be written.
    pub fn restore(&mut self, name: &str, path: &Path) -> Result<bool, MemoError> {
        if self.of.audit {
            return Ok(false);
        }
        let Some(entry) = self.ask()?.1 else { return Ok(false) };
        let part = self.part(&entry, name, MemoRole::File)?;
        if to_file(&self.of.store, part, path)? { Ok(true) } else { Err(self.gone(name)) }
    }

    fn part<'e>(&self, entry: &'e MemoEntry, name: &str, role: MemoRole) -> Result<&'e MemoPart, MemoError> {
        let names = || entry.parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>().join(", ");
        entry.parts.iter().find(|part| part.name == name && part.role == role).ok_or_else(|| {
            MemoError::Product {
                block: self.name.clone(),
                name: name.to_owned(),
                expected: format!("one of the products that are kept ({})", names()),
                found: "another name; raise the version of the program when its products change".into(),
            }
        })
    }

    fn gone(&self, name: &str) -> MemoError {
        MemoError::Product {
            block: self.name.clone(),
            name: name.to_owned(),
            expected: "the bytes that were kept".into(),
            found: "that a collection removed them meanwhile; compute the block".into(),
        }
    }

    /// Adds a product that was computed.
    ///
    /// # Errors
    /// When a product of this name is there.
    pub fn give(&mut self, name: &str, bytes: &[u8]) -> Result<(), MemoError> {
        self.check_name(name)?;
        self.inline += bytes.len();
        self.products.push(MemoPart::new(MemoRole::Product, name, bytes.to_vec()));
        Ok(())
    }

    /// Adds a file that was written.
    ///
    /// # Errors
    /// When it cannot be read, or a product of this name is there.
    pub fn give_file(&mut self, name: &str, path: &Path) -> Result<(), MemoError> {
        self.check_name(name)?;
        let mut inline = self.inline;
        let part = MemoPart { name: name.to_owned(), ..as_part(path, &mut inline)? };
        self.inline = inline;
        if part.content.is_none() {
            self.long.push((self.products.len(), path.to_path_buf()));
        }
        self.products.push(part);
        Ok(())
    }

    /// Whether what it was computed from is what its attributes say.
    fn check_attributes(&self, key: ProductKey) -> Result<(), MemoError> {
        if let Some(path) = self.read.iter().find_map(|(path, stamp)| changed(path, stamp)) {
            return Err(MemoError::Changed { path });
        }
        match &self.computing {
            None if self.of.computing.is_computed_here(key) => Err(self.recursive()),
            None => Ok(()),
            Some(computing) => match computing.recorded() {
                Some(variable) => Err(MemoError::RecordedInside { block: self.name.clone(), variable }),
                None => Ok(()),
            },
        }
    }

    fn check_name(&self, name: &str) -> Result<(), MemoError> {
        match self.products.iter().any(|part| part.name == name) {
            true => Err(MemoError::Twice { name: name.to_owned() }),
            false => Ok(()),
        }
    }

    /// Ends the block: products that were computed are kept. A block that is dropped instead is not kept.
    ///
    /// # Errors
    /// When the store refuses, what it was computed from does not decide its result, or an audit finds that other bytes are kept
    /// for the same attributes.
    pub fn end(mut self) -> Result<(), MemoError> {
        let known = !self.of.audit && self.ask()?.1.is_some();
        if known || self.products.is_empty() {
            return Ok(());
        }
        let key = self.key()?;
        self.check_attributes(key)?;
        let seconds = self.begun.elapsed().as_secs_f64();
        let attributes = self.attributes.drain(..).map(|(attribute, _)| attribute).collect();
        let parts = std::mem::take(&mut self.products);
        let entry = MemoEntry { title: self.name.clone(), attributes, exit: 0, parts };
        if self.of.audit
            && let Some(kept) = self.of.find(key)?
        {
            return audited(&kept, &entry);
        }
        let maker = self.of.publisher.maker(&self.name);
        for (place, path) in &self.long {
            // The file is the caller's: it is read before the caller goes on.
            if !kept::publish_file(&self.of.store, &entry.parts[*place], path, seconds, &maker)? {
                return Err(MemoError::Changed { path: path.clone() });
            }
        }
        self.of.publisher.publish(key, entry, seconds, maker)
    }
}

fn audited(kept: &MemoEntry, new: &MemoEntry) -> Result<(), MemoError> {
    let by_name = |entry: &MemoEntry| -> HashMap<String, [u8; 32]> {
        entry.parts.iter().map(|part| (part.name.clone(), part.digest)).collect()
    };
    let (old, new_parts) = (by_name(kept), by_name(new));
    let differs =
        new.parts.iter().chain(&kept.parts).find(|part| old.get(&part.name) != new_parts.get(&part.name));
    match differs {
        None => Ok(()),
        Some(part) => Err(MemoError::Differs { block: new.title.clone(), name: part.name.clone() }),
    }
}
