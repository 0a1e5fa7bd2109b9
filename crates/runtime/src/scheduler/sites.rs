//! All places of work and the order in which they open: the study, then each image before its parts.
//!
//! A site opens when the wider one is settled, so that what it inherits is final; it closes when its own work and all
//! below it is over.

use onceflow_reuse::Plan;
use onceflow_study::Scope;

use super::shape::FlowShape;
use super::site::{Site, Surroundings};
use crate::{KnownFrom, PartLayout};

/// The sites of a run.
#[derive(Debug)]
pub(super) struct Sites {
    places: Vec<SiteSlot>,
    /// The place of each part and each image that has parts.
    part: Vec<u32>,
    image: Vec<u32>,
    /// The first place that was never opened.
    next: usize,
    templates: [Site; 3],
    open: usize,
    opened_parts: usize,
}

/// A site in the order of sites.
#[derive(Debug)]
struct SiteSlot {
    scope: Scope,
    index: usize,
    wider: Option<u32>,
    /// Sites right below it that are not closed.
    below: usize,
    opened: bool,
    site: Option<Box<Site>>,
}

impl Sites {
    pub(super) fn new(plan: &Plan, shape: &FlowShape, layout: &PartLayout) -> Self {
        let templates = Scope::ALL.map(|scope| Site::template(plan, shape, scope));
        let (parts, images) = (layout.parts.len(), layout.images.len());
        let mut sites = Self {
            places: Vec::with_capacity(parts + images + 1),
            part: Vec::with_capacity(parts),
            image: vec![u32::MAX; images],
            next: 0,
            templates,
            open: 0,
            opened_parts: 0,
        };
        for (part, place) in layout.parts.iter().enumerate() {
            sites.add_part(part, place.image);
        }
        sites
    }

    /// Opens the first site that can be opened, and says where it stands.
    pub(super) fn open_next(
        &mut self,
        known: impl Fn(Scope, usize) -> Vec<(usize, KnownFrom)>,
        around: &mut Surroundings<'_, '_>,
    ) -> Option<u32> {
        while self.places.get(self.next).is_some_and(|place| place.opened) {
            self.next += 1;
        }
        let at = (self.next..self.places.len()).find(|at| self.can_open(*at))?;
        let wider = self.places[at].wider.and_then(|wider| self.places[wider as usize].site.as_deref());
        let SiteSlot { scope, index, .. } = self.places[at];
        let site = self.templates[scope as usize].open(wider, &known(scope, index), around);
        self.places[at].opened = true;
        self.places[at].site = Some(Box::new(site));
        self.open += 1;
        self.opened_parts += usize::from(scope == Scope::Part);
        Some(at as u32)
    }

    /// How many parts were never opened.
    pub(super) fn unopened(&self) -> usize {
        self.part.len() - self.opened_parts
    }

    /// Where the site of a scope with that number stands.
    pub(super) fn sequence(&self, scope: Scope, index: usize) -> Option<u32> {
        match scope {
            Scope::Part => self.part.get(index).copied(),
            Scope::Image => self.image.get(index).copied(),
            Scope::Study => (index == 0).then_some(0),
        }
    }

    /// The number of a site among those of its scope.
    pub(super) fn index(&self, sequence: u32) -> usize {
        self.places[sequence as usize].index
    }

    pub(super) fn site(&self, sequence: u32) -> Option<&Site> {
        self.places.get(sequence as usize)?.site.as_deref()
    }

    pub(super) fn site_mut(&mut self, sequence: u32) -> Option<&mut Site> {
        self.places.get_mut(sequence as usize)?.site.as_deref_mut()
    }

    /// The sites that are open.
    pub(super) fn opened(&self) -> impl Iterator<Item = &Site> {
        self.places.iter().filter_map(|place| place.site.as_deref())
    }

    /// Takes a site out when its work and all below it is over; while parts may still come, wide sites stay.
    pub(super) fn take_closed(&mut self, sequence: u32, growing: bool) -> Option<Box<Site>> {
        let place = &mut self.places[sequence as usize];
        if growing && place.scope != Scope::Part {
            return None;
        }
        let over =
            place.below == 0 && place.site.as_ref().is_some_and(|site| site.is_settled() && site.is_quiet());
        let site = place.site.take_if(|_| over)?;
        self.open -= 1;
        if let Some(wider) = place.wider {
            self.places[wider as usize].below -= 1;
        }
        Some(site)
    }

    /// The site around another.
    pub(super) fn wider(&self, sequence: u32) -> Option<u32> {
        self.places[sequence as usize].wider
    }

    /// The site of an equal or wider scope that a site lies in.
    pub(super) fn around(&self, sequence: u32, scope: Scope) -> Option<u32> {
        let mut place = sequence;
        while self.places[place as usize].scope != scope {
            place = self.places[place as usize].wider?;
        }
        Some(place)
    }

    /// Whether every site has been opened and closed.
    pub(super) fn all_closed(&self) -> bool {
        self.open == 0 && self.places[self.next..].iter().all(|place| place.opened)
    }

    fn can_open(&self, at: usize) -> bool {
        let place = &self.places[at];
        let settled = |wider: u32| self.site(wider).is_some_and(Site::is_settled);
        !place.opened && place.wider.is_none_or(settled)
    }

    /// The wide sites, each before the one around it.
    pub(super) fn wide(&self) -> Vec<u32> {
        let images = self.image.iter().copied().filter(|place| *place != u32::MAX);
        images.chain((!self.places.is_empty()).then_some(0)).collect()
    }

    /// A part of an image comes after all others.
    pub(super) fn add_part(&mut self, part: usize, image: usize) {
        if self.places.is_empty() {
            self.add(Scope::Study, 0, None);
        }
        if self.image[image] == u32::MAX {
            self.image[image] = self.add(Scope::Image, image, Some(0));
        }
        let place = self.add(Scope::Part, part, Some(self.image[image]));
        self.part.push(place);
    }

    fn add(&mut self, scope: Scope, index: usize, wider: Option<u32>) -> u32 {
        if let Some(wider) = wider {
            self.places[wider as usize].below += 1;
        }
        self.places.push(SiteSlot { scope, index, wider, below: 0, opened: false, site: None });
        self.places.len() as u32 - 1
    }
}
