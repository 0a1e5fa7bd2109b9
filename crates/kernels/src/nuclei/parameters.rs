//! The workflow's parameters.

use crate::Connectivity;

/// What a user may change, with the names of the published workflow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// A background pixel's blue is above this.
    pub blue: i64,
    /// Its green is above this.
    pub green: i64,
    /// Its red is above this.
    pub red: i64,
    /// Red over green somewhere in a red blood cell.
    pub t1: f64,
    /// Red over green everywhere in it.
    pub t2: f64,
    /// Neighbours in the reconstruction (RC).
    pub recon_connectivity: Connectivity,
    /// Neighbours in the background when holes are filled (FH).
    pub fill_holes_connectivity: Connectivity,
    /// How much darker than its surroundings a candidate is.
    pub g1: i64,
    /// Smallest candidate.
    pub min_size: i64,
    /// One more than the largest candidate.
    pub max_size: i64,
    /// How much darker than its surroundings a nucleus is.
    pub g2: i64,
    /// Smallest object that is parted.
    pub min_size_pl: i64,
    /// Neighbours among the markers of the flood (WC).
    pub watershed_connectivity: Connectivity,
    /// Smallest nucleus.
    pub min_size_seg: i64,
    /// One more than the largest nucleus.
    pub max_size_seg: i64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            blue: 220,
            green: 220,
            red: 220,
            t1: 5.0,
            t2: 4.0,
            recon_connectivity: Connectivity::Eight,
            fill_holes_connectivity: Connectivity::Four,
            g1: 80,
            min_size: 11,
            max_size: 1000,
            g2: 45,
            min_size_pl: 30,
            watershed_connectivity: Connectivity::Eight,
            min_size_seg: 21,
            max_size_seg: 1000,
        }
    }
}
