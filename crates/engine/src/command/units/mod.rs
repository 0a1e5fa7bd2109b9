//! Programs that are declared to work unit by unit, on objects or on tiles: they are given only the units that are new.
//!
//! The declaration is a promise: of an object, that its pixels in the outputs follow from the object itself and from what the
//! other inputs hold in its box grown by the halo, and that the outputs are 0 outside objects; of a tile, that its pixels
//! follow from what all inputs hold in the tile grown by the halo. The first call with two units or more is made whole and
//! in two halves and compared, so that a wrong promise is found before anything of it is believed; and some later calls are made
//! whole as well, fewer and fewer.

mod busy;
mod canvas;
mod cut;
mod given;
mod keys;
mod known;
mod objects;
mod product;
mod promise;
mod tiles;

#[cfg(test)]
mod tests;

pub(super) use given::{Given, Program, whole};
pub(super) use known::Units;
