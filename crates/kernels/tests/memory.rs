//! Work that is given its memory takes no more of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]
#![allow(unsafe_code, reason = "an allocator that counts is one")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use onceflow_kernels::nuclei::{
    MaskScratch, Parameters, SegmentScratch, SegmentationStatus, clumps_into, grow_into, segment_into,
};
use onceflow_kernels::{
    Connectivity, Cpu, MorphologyScratch, ON, Plane, Runs, StructuringElement, fill_holes_into,
    filter_area_into, label_into, open_into, select_into,
};

/// Counts allocations that are as large as a part of an image.
struct Counting;

static LARGE: AtomicUsize = AtomicUsize::new(0);

/// Bytes from which on an allocation counts: an eighth of a byte per pixel of the image below.
const LIMIT: usize = SIDE * SIDE / 8;

const SIDE: usize = 512;

/// The counter is one for all tests.
static ALONE: Mutex<()> = Mutex::new(());

fn count(size: usize) {
    if size >= LIMIT {
        LARGE.fetch_add(1, Relaxed);
    }
}

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Large allocations of the first time, and of the second.
fn large_allocations(mut work: impl FnMut()) -> (usize, usize) {
    let mut counted = || {
        let before = LARGE.load(Relaxed);
        work();
        LARGE.load(Relaxed) - before
    };
    (counted(), counted())
}

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn cpus() -> [Cpu; 2] {
    [1, 2].map(|threads| Cpu { threads: NonZeroUsize::new(threads).unwrap(), ..Cpu::default() })
}

/// Dark disks, some of which touch, on bright tissue.
fn tissue() -> Plane<[u8; 3]> {
    let pixel = |at: usize| {
        let (x, y) = (at % SIDE, at / SIDE);
        let (dx, dy) = ((x % 24).abs_diff(12), (y % 21).abs_diff(10));
        let squared = dx * dx + dy * dy;
        let wave = ((x * 7 + y * 3) % 11) as u8;
        if squared < 90 + (x / 24) % 3 * 30 { [40 + wave, 30, 90] } else { [190 + wave, 150, 200] }
    };
    Plane::from_vec((0..SIDE * SIDE).map(pixel).collect(), SIDE, SIDE).unwrap()
}

fn mask() -> Plane<u8> {
    let pixels = tissue().pixels().iter().map(|pixel| if pixel[0] < 100 { ON } else { 0 }).collect();
    Plane::from_vec(pixels, SIDE, SIDE).unwrap()
}

#[test]
fn a_segmentation_takes_memory_only_once() {
    let _alone = alone();
    let image = tissue();
    for cpu in cpus() {
        let (mut target, mut scratch) = (Plane::filled(0, SIDE, SIDE), SegmentScratch::default());
        let mut found = (SegmentationStatus::Background, 0);
        let (first, again) = large_allocations(|| {
            let parameters = Parameters::default();
            found = segment_into(cpu, image.view(), &parameters, target.view_mut(), &mut scratch);
        });
        assert!(found.0 == SegmentationStatus::Ok && found.1 > 100, "{found:?}");
        assert!(first >= 6, "the counter sees {first} allocations where there must be some");
        assert_eq!(again, 0, "with {cpu:?}");
    }
}

#[test]
fn tasks_and_operations_take_memory_only_once() {
    let _alone = alone();
    let (mask, eight) = (mask(), Connectivity::Eight);
    for cpu in cpus() {
        let (mut target, mut labels) = (Plane::filled(0, SIDE, SIDE), Plane::filled(0u32, SIDE, SIDE));
        let (mut scratch, mut components) = (MaskScratch::default(), Vec::new());
        let (mut runs, mut rows) = (Runs::default(), MorphologyScratch::default());
        let (_, again) = large_allocations(|| {
            let view = mask.view();
            grow_into(cpu, [view; 3], 3, target.view_mut(), &mut scratch);
            clumps_into(cpu, view, 30, target.view_mut(), &mut scratch);
            fill_holes_into(cpu, view, eight, target.view_mut(), &mut runs);
            select_into(cpu, view, view, eight, target.view_mut(), &mut runs);
            filter_area_into(cpu, view, 2, None, eight, target.view_mut(), &mut runs);
            label_into(cpu, view, eight, labels.view_mut(), &mut components, &mut runs);
            open_into(cpu, view, StructuringElement::Disk19, target.view_mut(), &mut rows);
        });
        assert_eq!(again, 0, "with {cpu:?}");
    }
}
