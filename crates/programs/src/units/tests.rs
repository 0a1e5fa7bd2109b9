//! Programs of a few lines, given units under bounds of every size: outputs are those of the program alone, and it is given
//! each unit once.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use onceflow_kernels::dense::grey;
use onceflow_kernels::object_cache::{ObjectCache, ObjectCounts};
use onceflow_kernels::{Connectivity, label};
use onceflow_region::{Budget, Dense, Pixels, Region};
use onceflow_runtime::{Call, Done, OperationError};
use onceflow_study::{Canonical, Halo, OpRegion, OpSpec, ProgramCommand, RegionKind, Repeats};
use proptest::prelude::*;

use super::{Program, ProgramRun, UnitReuse};
use crate::task::ProgramTask;

const SIZE: (usize, usize) = (40, 30);

/// What a program makes of its inputs and of a number.
type Work = fn(&[&Dense], i64) -> Vec<Dense>;

/// A program that counts what it is given.
struct Small {
    task: ProgramTask,
    work: Work,
    /// Pixels that are not 0 in its last input, for each run.
    given: RefCell<Vec<usize>>,
    sizes: RefCell<Vec<(u64, u64)>>,
    fails: Cell<bool>,
}

impl Program for Small {
    fn task(&self) -> &ProgramTask {
        &self.task
    }

    fn size(&self, _: &Call<'_>) -> Result<(u64, u64), OperationError> {
        Ok((SIZE.0 as u64, SIZE.1 as u64))
    }

    fn once(&self, given: &ProgramRun<'_>) -> Result<Done, OperationError> {
        if self.fails.get() {
            return Err(OperationError::new("no"));
        }
        let images: Vec<&Dense> = given.call.inputs.iter().filter_map(|region| region.as_dense()).collect();
        let last = images.last().unwrap();
        assert_eq!((last.width() as u64, last.height() as u64), given.size);
        self.given.borrow_mut().push(last.as_u8().unwrap().iter().filter(|pixel| **pixel != 0).count());
        self.sizes.borrow_mut().push(given.size);
        Ok(Done::with((self.work)(&images, number(&given.call)).into_iter().map(Region::Dense).collect()))
    }
}

fn number(call: &Call<'_>) -> i64 {
    let Some(Canonical::Integer(number)) = call.parameters.first() else { panic!("a number") };
    *number
}

/// A program over the objects of `mask` beside the image `grey`, or over tiles.
fn small(work: Work, halo: u32, over: &str) -> Small {
    let mut command = ProgramCommand { command: vec!["small".into()], ..ProgramCommand::default() };
    match over {
        "objects" => command.declared.per_object = Some("mask".into()),
        _ => command.declared.per_tile = Some(16),
    }
    command.declared.halo = if halo == 0 { Halo::None } else { Halo::Pixels(halo) };
    let mut spec = OpSpec::new("command:small", "small", 1.0).sees(command.declared.halo);
    let region = |name: &str, kind| OpRegion { name: name.into(), kind };
    spec.inputs = vec![region("grey", RegionKind::U8), region("mask", RegionKind::Mask)];
    spec.outputs = vec![region("one", RegionKind::Mask), region("two", RegionKind::I32)];
    let task = ProgramTask {
        name: "small".into(),
        command,
        spec,
        files: Vec::new(),
        container: None,
        ends: Vec::new(),
        function: None,
    };
    Small { task, work, given: RefCell::default(), sizes: RefCell::default(), fails: Cell::new(false) }
}

fn seen(bytes: u64) -> Arc<ObjectCache> {
    Arc::new(ObjectCache::new(&Budget::new(u64::MAX), Budget::new(bytes)))
}

fn counts(seen: &ObjectCache) -> ObjectCounts {
    seen.counts().get("small").copied().unwrap_or_default()
}

fn u8s(pixels: &[u8], (width, height): (usize, usize)) -> Dense {
    Dense::new(width, height, 1, Pixels::U8(pixels.to_vec())).unwrap()
}

/// Each object on its own: where the grey image is above a limit that depends on the number, the object's size, and the sum
/// of the grey image in its box grown by 2; and its size with that
/// sum.
fn of_objects(images: &[&Dense], number: i64) -> Vec<Dense> {
    let (image, mask) = (images[0].as_u8().unwrap(), images[1]);
    let (width, height) = (mask.width(), mask.height());
    let labels = label(grey(mask).unwrap(), Connectivity::Eight).plane;
    let (mut one, mut two) = (vec![0; width * height], vec![0; width * height]);
    for object in 1..=labels.pixels().iter().copied().max().unwrap_or(0) {
        let places: Vec<usize> = (0..width * height).filter(|at| labels.pixels()[*at] == object).collect();
        let columns: Vec<usize> = places.iter().map(|at| at % width).collect();
        let (left, right) = (columns.iter().min().unwrap(), columns.iter().max().unwrap());
        let (top, bottom) = (places[0] / width, places[places.len() - 1] / width);
        let mut sum = 0;
        for y in top.saturating_sub(2)..(bottom + 3).min(height) {
            for x in left.saturating_sub(2)..(right + 3).min(width) {
                sum += i64::from(image[y * width + x]) * (1 + (x - left.saturating_sub(2)) as i64 % 3);
            }
        }
        for at in &places {
            if i64::from(image[*at]) * 3 + sum % 97 > 60 * number {
                one[*at] = 255;
            }
            two[*at] = places.len() as i32 * 1000 + (sum % 991) as i32 - number as i32 * 7;
        }
    }
    vec![u8s(&one, (width, height)), Dense::new(width, height, 1, Pixels::I32(two)).unwrap()]
}

/// The same of all objects together.
fn of_all(images: &[&Dense], number: i64) -> Vec<Dense> {
    let mut made = of_objects(images, number);
    let count = images[1].as_u8().unwrap().iter().filter(|pixel| **pixel != 0).count() as i32;
    let two = made[1].as_i32().unwrap().iter().map(|value| if *value == 0 { 0 } else { value + count });
    made[1] = Dense::new(made[0].width(), made[0].height(), 1, Pixels::I32(two.collect())).unwrap();
    made
}

/// Pixels grown by one, which leave their objects.
fn grown(images: &[&Dense], _: i64) -> Vec<Dense> {
    let (width, height) = (images[1].width(), images[1].height());
    let mut sums = sums(images[1].as_u8().unwrap(), width, height, 1);
    let one: Vec<u8> = sums.iter().map(|sum| if *sum > 0 { 255 } else { 0 }).collect();
    sums.fill(0);
    vec![u8s(&one, (width, height)), Dense::new(width, height, 1, Pixels::I32(sums)).unwrap()]
}

/// Sums over squares around each pixel, as far as the image goes.
fn of_squares(images: &[&Dense], number: i64) -> Vec<Dense> {
    let (width, height) = (images[1].width(), images[1].height());
    let two = sums(images[0].as_u8().unwrap(), width, height, 2);
    let masked = sums(images[1].as_u8().unwrap(), width, height, 1);
    let one: Vec<u8> =
        masked.iter().map(|sum| if i64::from(*sum) > 255 * number { 255 } else { 0 }).collect();
    vec![u8s(&one, (width, height)), Dense::new(width, height, 1, Pixels::I32(two)).unwrap()]
}

fn sums(pixels: &[u8], width: usize, height: usize, by: usize) -> Vec<i32> {
    let sum = |(x, y): (usize, usize)| {
        let rows = y.saturating_sub(by)..(y + by + 1).min(height);
        let columns = || x.saturating_sub(by)..(x + by + 1).min(width);
        rows.flat_map(|y| columns().map(move |x| i32::from(pixels[y * width + x]))).sum()
    };
    (0..width * height).map(|at| sum((at % width, at / width))).collect()
}

/// What becomes of a call: the same as of the program alone, or an error.
fn run(units: &UnitReuse, program: &Small, image: &[u8], mask: &[u8], number: i64) -> Result<(), String> {
    let inputs = [image, mask].map(|pixels| Arc::new(Region::Dense(u8s(pixels, SIZE))));
    let parameters = [Canonical::Integer(number)];
    let call =
        Call { inputs: &inputs, digests: &[], wanted: false, parameters: &parameters, ..Call::default() };
    let images: Vec<&Dense> = inputs.iter().filter_map(|region| region.as_dense()).collect();
    let expected = (program.work)(&images, number);
    let done = units.run(program, &call).map_err(|error| error.message)?;
    assert_eq!(done.outputs.len(), expected.len());
    for (found, expected) in done.outputs.iter().zip(expected) {
        assert!(found.is_same(&Region::Dense(expected)));
    }
    Ok(())
}

/// Masks that follow each other: rectangles, rings and diagonals come and go, touch, nest and reach the border.
#[derive(Clone, Debug)]
struct Step {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
    form: u8,
    grey: Option<(usize, u8)>,
    number: i64,
}

fn step() -> impl Strategy<Value = Step> {
    let change = prop_oneof![3 => Just(None), 1 => (0..SIZE.0 * SIZE.1, any::<u8>()).prop_map(Some)];
    (0..SIZE.0, 0..SIZE.1, 1usize..12, 1usize..12, 0u8..4, change, 1i64..4).prop_map(
        |(left, top, width, height, form, grey, number)| Step {
            left,
            top,
            width,
            height,
            form,
            grey,
            number,
        },
    )
}

impl Step {
    fn draw(&self, mask: &mut [u8]) {
        let (right, bottom) = ((self.left + self.width).min(SIZE.0), (self.top + self.height).min(SIZE.1));
        for y in self.top..bottom {
            for x in self.left..right {
                let edge = x == self.left || y == self.top || x + 1 == right || y + 1 == bottom;
                let on = match self.form {
                    0 => Some(255),
                    1 => edge.then_some(255),
                    2 => (x - self.left == y - self.top).then_some(255),
                    _ => Some(0),
                };
                mask[y * SIZE.0 + x] = on.unwrap_or(mask[y * SIZE.0 + x]);
            }
        }
    }
}

fn noise() -> Vec<u8> {
    (0..SIZE.0 * SIZE.1).map(|at| (at * at * 31 % 251) as u8).collect()
}

/// Objects by all that decides about them, by brute force.
fn decisive(image: &[u8], mask: &[u8], number: i64) -> Vec<(Vec<usize>, Vec<u8>, i64)> {
    let labels = label(grey(&u8s(mask, SIZE)).unwrap(), Connectivity::Eight).plane;
    let objects = 1..=labels.pixels().iter().copied().max().unwrap_or(0);
    let object = |object| {
        let places: Vec<usize> = (0..mask.len()).filter(|at| labels.pixels()[*at] == object).collect();
        let near = |at: &usize| {
            let bounds = |of: fn(usize) -> usize| {
                let all = || places.iter().map(|at| of(*at));
                all().min().unwrap().saturating_sub(2)..=all().max().unwrap() + 2
            };
            bounds(|at| at % SIZE.0).contains(&(at % SIZE.0))
                && bounds(|at| at / SIZE.0).contains(&(at / SIZE.0))
        };
        let seen = (0..mask.len()).filter(near).map(|at| image[at]).collect();
        (places, seen, number)
    };
    objects.map(object).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn objects_are_made_once_and_outputs_are_those_of_the_program(steps in proptest::collection::vec(step(), 1..14)) {
        for bytes in [u64::MAX, 20_000, 2_000, 300, 0] {
            let (program, seen) = (small(of_objects, 2, "objects"), seen(bytes));
            let units = UnitReuse::of(&program.task, Some(&seen)).unwrap();
            let (mut image, mut mask) = (noise(), vec![0; SIZE.0 * SIZE.1]);
            let (mut known, mut again, mut painted) = (BTreeSet::new(), 0, 0u32);
            for step in &steps {
                step.draw(&mut mask);
                if let Some((at, value)) = step.grey {
                    image[at] = value;
                }
                let checked = units.promise.lock().unwrap().is_some();
                program.given.borrow_mut().clear();
                prop_assert_eq!(run(&units, &program, &image, &mask, step.number), Ok(()));
                let all = decisive(&image, &mask, step.number);
                let new: Vec<_> = all.iter().filter(|object| known.insert((*object).clone())).collect();
                // The first call with two objects is made whole and in halves, whatever is known.
                if !checked && all.len() >= 2 {
                    again += all.len() - new.len();
                } else if bytes == u64::MAX {
                    let pixels: usize = new.iter().map(|object| object.0.len()).sum();
                    let mut expected = if new.is_empty() { vec![] } else { vec![pixels] };
                    // A call that takes over something is made whole as well, now and then.
                    painted += u32::from(new.len() < all.len());
                    if new.len() < all.len() && painted.is_power_of_two() {
                        expected.push(all.iter().map(|object| object.0.len()).sum());
                    }
                    prop_assert_eq!(&*program.given.borrow(), &expected);
                }
            }
            let found = counts(&seen);
            if bytes == u64::MAX {
                prop_assert_eq!(found.asked - found.found, (known.len() + again) as u64);
            }
        }
    }

    #[test]
    fn tiles_are_made_once_and_outputs_are_those_of_the_program(steps in proptest::collection::vec(step(), 1..14)) {
        for bytes in [u64::MAX, 20_000, 0] {
            let (program, seen) = (small(of_squares, 2, "tiles"), seen(bytes));
            let units = UnitReuse::of(&program.task, Some(&seen)).unwrap();
            let (mut image, mut mask) = (vec![9; SIZE.0 * SIZE.1], vec![0; SIZE.0 * SIZE.1]);
            for step in &steps {
                step.draw(&mut mask);
                if let Some((at, value)) = step.grey {
                    image[at] = value;
                }
                prop_assert_eq!(run(&units, &program, &image, &mask, step.number), Ok(()));
                program.given.borrow_mut().clear();
                prop_assert_eq!(run(&units, &program, &image, &mask, step.number), Ok(()));
                // Made whole to be compared, or not at all.
                prop_assert!(bytes < u64::MAX || program.given.borrow().len() <= 1);
            }
            let found = counts(&seen);
            prop_assert_eq!(found.asked, 2 * 6 * steps.len() as u64);
            prop_assert!(bytes < u64::MAX || found.whole >= steps.len() as u64 - 1);
        }
    }
}

/// Three objects far from each other.
fn three() -> Vec<u8> {
    let mut mask = vec![0; SIZE.0 * SIZE.1];
    for (left, top) in [(3, 3), (20, 8), (30, 20)] {
        let step = Step { left, top, width: 4, height: 3, form: 0, grey: None, number: 1 };
        step.draw(&mut mask);
    }
    mask
}

#[test]
fn a_wrong_promise_is_found_with_the_first_call_and_stays_found() {
    for (work, halo, over, expected) in [
        (of_all as Work, 2, "objects", "when it is given half of them"),
        (of_objects, 0, "objects", "further than its halo of 0 pixels"),
        (grown, 2, "objects", "its `one` is not 0 at 2, 2, outside the objects"),
        (of_squares, 1, "tiles", "further than its halo of 1 pixels"),
    ] {
        let (program, seen) = (small(work, halo, over), seen(u64::MAX));
        let units = UnitReuse::of(&program.task, Some(&seen)).unwrap();
        let said = || run(&units, &program, &noise(), &three(), 1).unwrap_err();
        assert!(said().contains(expected) && said().contains("remove \"per_"), "{}", said());
        let runs = program.given.borrow().len();
        said();
        assert_eq!(program.given.borrow().len(), runs, "it is not run again");
    }
}

#[test]
fn the_first_call_is_made_whole_and_in_halves_of_every_other_object() {
    let (program, seen) = (small(of_objects, 2, "objects"), seen(u64::MAX));
    let units = UnitReuse::of(&program.task, Some(&seen)).unwrap();
    run(&units, &program, &noise(), &three(), 1).unwrap();
    assert_eq!(*program.given.borrow(), [36, 24, 12]);
    run(&units, &program, &noise(), &three(), 1).unwrap();
    run(&units, &program, &noise(), &vec![0; SIZE.0 * SIZE.1], 1).unwrap();
    assert_eq!(
        program.given.borrow()[3..],
        [36],
        "what was taken over is compared; there is nothing new, or nothing at all"
    );
    let found = counts(&seen);
    assert_eq!((found.asked, found.found, found.whole), (6, 3, 1));
    assert_eq!((found.pixels_asked, found.pixels_found), (72, 36));
}

#[test]
fn equal_tiles_are_equal_wherever_they_are_and_new_ones_are_given_in_rectangles() {
    let (program, seen) = (small(of_squares, 2, "tiles"), seen(u64::MAX));
    let units = UnitReuse::of(&program.task, Some(&seen)).unwrap();
    let (image, empty) = (vec![9; SIZE.0 * SIZE.1], vec![0; SIZE.0 * SIZE.1]);
    run(&units, &program, &image, &empty, 1).unwrap();
    // The part, and its halves with what is around them: 16 of 40 columns and 2 more, 24 and 2 more.
    assert_eq!(*program.sizes.borrow(), [(40, 30), (18, 30), (26, 30)]);
    program.sizes.borrow_mut().clear();
    let mut mask = empty.clone();
    mask[SIZE.0 + 37] = 255;
    mask[20 * SIZE.0 + 37] = 255;
    run(&units, &program, &image, &mask, 1).unwrap();
    assert_eq!(
        *program.sizes.borrow(),
        [(10, 30), (40, 30)],
        "two tiles one above the other are one rectangle"
    );
}

#[test]
fn what_fails_is_tried_again_and_what_never_repeats_is_never_cut() {
    let (mut program, seen) = (small(of_objects, 2, "objects"), seen(u64::MAX));
    let units = UnitReuse::of(&program.task, Some(&seen)).unwrap();
    program.fails.set(true);
    assert_eq!(run(&units, &program, &noise(), &three(), 1), Err("no".into()));
    program.fails.set(false);
    assert_eq!(run(&units, &program, &noise(), &three(), 1), Ok(()));
    program.task.spec.repeats = Repeats::Never;
    assert!(UnitReuse::of(&program.task, Some(&seen)).is_none());
    assert!(UnitReuse::of(&small(of_objects, 2, "objects").task, None).is_none());
}

/// Each object on its own, unless the number is 3.
fn of_all_at_three(images: &[&Dense], number: i64) -> Vec<Dense> {
    if number == 3 { of_all(images, number) } else { of_objects(images, number) }
}

#[test]
fn a_promise_that_is_broken_with_other_values_is_found_when_it_is_relied_on() {
    let (program, seen) = (small(of_all_at_three, 2, "objects"), seen(u64::MAX));
    let units = UnitReuse::of(&program.task, Some(&seen)).unwrap();
    run(&units, &program, &noise(), &three(), 1).unwrap();
    run(&units, &program, &noise(), &three(), 3).unwrap();
    let mut more = three();
    more[SIZE.0 * SIZE.1 - 1] = 255;
    let said = run(&units, &program, &noise(), &more, 3).unwrap_err();
    assert!(said.contains("rows before this one may be wrong"), "{said}");
    assert!(run(&units, &program, &noise(), &three(), 1).is_err(), "nothing of it is believed any more");
}

#[test]
fn labels_are_objects_by_their_numbers() {
    let numbers = [1, 1, 2, 0, 1, 2, 2, 0, 0, 0, 0, 7];
    let labels = Dense::new(4, 3, 1, Pixels::U32(numbers.to_vec())).unwrap();
    let found = super::objects::objects(&labels).unwrap();
    let runs = |at: usize| found[at].runs.iter().map(|r| (r.y, r.start, r.end)).collect::<Vec<_>>();
    assert_eq!(found.iter().map(|unit| unit.label).collect::<Vec<_>>(), [1, 2, 7]);
    assert_eq!(
        (runs(0), runs(1), runs(2)),
        (vec![(0, 0, 2), (1, 0, 1)], vec![(0, 2, 3), (1, 1, 3)], vec![(2, 3, 4)],)
    );
}

/// A program that takes its time, with workers beside each other.
struct Slow {
    task: ProgramTask,
    given: std::sync::Mutex<Vec<usize>>,
}

impl Program for Slow {
    fn task(&self) -> &ProgramTask {
        &self.task
    }

    fn size(&self, _: &Call<'_>) -> Result<(u64, u64), OperationError> {
        Ok((SIZE.0 as u64, SIZE.1 as u64))
    }

    fn once(&self, given: &ProgramRun<'_>) -> Result<Done, OperationError> {
        let images: Vec<&Dense> = given.call.inputs.iter().filter_map(|region| region.as_dense()).collect();
        let set = images[1].as_u8().unwrap().iter().filter(|pixel| **pixel != 0).count();
        self.given.lock().unwrap().push(set);
        std::thread::sleep(std::time::Duration::from_millis(60));
        Ok(Done::with(of_objects(&images, number(&given.call)).into_iter().map(Region::Dense).collect()))
    }
}

#[test]
fn workers_wait_for_what_another_makes_and_work_side_by_side_where_nothing_is_kept() {
    for (bytes, at_most) in [(u64::MAX, 3 * 36), (0, 4 * 36)] {
        let slow = Slow { task: small(of_objects, 2, "objects").task, given: std::sync::Mutex::default() };
        let units = UnitReuse::of(&slow.task, Some(&seen(bytes))).unwrap();
        *units.promise.lock().unwrap() = Some(Ok(()));
        let inputs = [noise(), three()].map(|pixels| Arc::new(Region::Dense(u8s(&pixels, SIZE))));
        let expected = of_objects(&[inputs[0].as_dense().unwrap(), inputs[1].as_dense().unwrap()], 1);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let parameters = [Canonical::Integer(1)];
                    let call = Call {
                        inputs: &inputs,
                        digests: &[],
                        wanted: false,
                        parameters: &parameters,
                        ..Call::default()
                    };
                    let done = units.run(&slow, &call).unwrap();
                    assert!(done.outputs[1].is_same(&Region::Dense(expected[1].clone())));
                });
            }
        });
        assert!(slow.given.lock().unwrap().iter().sum::<usize>() <= at_most);
    }
}
