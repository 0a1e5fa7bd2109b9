//! Where work takes place: the images of a study and the parts they are cut into.

use onceflow_reuse::NodeId;
use onceflow_study::Scope;

/// The images and their parts, by size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartLayout {
    /// Pixels of each image.
    pub images: Vec<u64>,
    /// The parts, in the order in which they are worked on.
    pub parts: Vec<PartSite>,
}

/// One part of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartSite {
    /// The image it is cut from.
    pub image: usize,
    /// Its pixels, those around it that its tasks must see included.
    pub pixels: u64,
}

/// A node at one place: what is run, kept and released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Instance {
    /// The node of the plan.
    pub node: NodeId,
    /// The number of the part or image, by the scope of the node's task; 0 for the study.
    pub site: usize,
}

impl PartLayout {
    /// The site of a scope to which a part belongs.
    pub fn site(&self, scope: Scope, part: usize) -> usize {
        match scope {
            Scope::Part => part,
            Scope::Image => self.parts[part].image,
            Scope::Study => 0,
        }
    }

    /// Pixels that one instance of a scope covers.
    pub fn pixels(&self, scope: Scope, site: usize) -> u64 {
        match scope {
            Scope::Part => self.parts[site].pixels,
            Scope::Image => self.images[site],
            Scope::Study => self.images.iter().fold(0, |sum: u64, pixels| sum.saturating_add(*pixels)),
        }
    }
}
