//! The same bytes on any number of threads and instruction set, after a break, and for any asked number of iterations.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use onceflow_kernels::registration::{
    LevelProblem, LevelRun, LevelState, Optimiser, Pyramid, Similarity, StateError, Transform, warped,
};
use onceflow_kernels::{Cpu, Isa};
use onceflow_region::Pixels;

use crate::scenes::Pair;

fn cpus() -> Vec<Cpu> {
    let threads = [1, 2, 16].map(|threads| NonZeroUsize::new(threads).unwrap());
    let sets = Isa::available();
    sets.into_iter().flat_map(|isa| threads.map(|threads| Cpu { isa, threads })).collect()
}

fn start(problem: &LevelProblem<'_>) -> Vec<f64> {
    vec![0.0; problem.lattice.coefficients()]
}

fn run_to(problem: LevelProblem<'_>, iterations: u32, cpu: Cpu) -> LevelState {
    let mut run = LevelRun::new(problem, start(&problem), cpu).unwrap();
    run.run(iterations, &mut |_| ControlFlow::Continue(()));
    run.into_state()
}

#[test]
fn threads_and_instructions_change_no_byte() {
    // Large enough that threads are used.
    let pair = Pair::new([40, 34, 36], 6);
    for similarity in [Similarity::default(), Similarity::Ssd] {
        let problem = pair.problem(7.0, similarity);
        let expected = run_to(problem, 4, Cpu { isa: Isa::PORTABLE, threads: NonZeroUsize::MIN });
        assert!(expected.iteration() > 0);
        let transform = |state: &LevelState| Transform {
            fixed: *problem.full,
            affine: problem.affine,
            lattice: problem.lattice,
            coefficients: state.coefficients().to_vec(),
        };
        let products = |state: &LevelState, cpu: Cpu| {
            let transform = transform(state);
            let values = Pixels::F32(pair.moving.values().to_vec());
            let made = warped(&transform, pair.moving.grid(), &values, None, None, cpu).unwrap();
            let planes = 0..problem.full.size()[2];
            (made, transform.displacements(planes.clone(), cpu), transform.determinants(planes, cpu))
        };
        let made = products(&expected, Cpu::default());
        for cpu in cpus() {
            let found = run_to(problem, 4, cpu);
            assert!(found.to_bytes() == expected.to_bytes(), "{cpu:?}");
            assert!(products(&found, cpu) == made, "{cpu:?}");
        }
    }
    let steps = |cpu| Pyramid::new(pair.fixed.clone(), 3, cpu);
    assert!(cpus().into_iter().all(|cpu| steps(cpu) == steps(Cpu::default())));
}

#[test]
fn a_saved_state_goes_on_with_the_same_bytes() {
    let pair = Pair::new([24, 26, 20], 17);
    for optimiser in [Optimiser::Lbfgs, Optimiser::Cg, Optimiser::Descent] {
        let problem = LevelProblem { optimiser, ..pair.problem(8.0, Similarity::default()) };
        let whole = run_to(problem, 20, Cpu::default());
        for stop in [0, 1, 9, 19] {
            let saved = run_to(problem, stop, Cpu::default()).to_bytes();
            let state = LevelState::from_bytes(&saved).unwrap();
            assert_eq!((state.iteration(), state.to_bytes()), (stop, saved));
            let mut run = LevelRun::resume(problem, state, Cpu::default()).unwrap();
            run.run(20, &mut |_| ControlFlow::Continue(()));
            assert!(run.state().to_bytes() == whole.to_bytes(), "{optimiser} from {stop}");
        }
    }
}

#[test]
fn a_level_passes_through_the_states_of_shorter_ones() {
    let pair = Pair::new([24, 26, 20], 18);
    let problem = pair.problem(8.0, Similarity::Ssd);
    let mut seen = Vec::new();
    let mut run = LevelRun::new(problem, start(&problem), Cpu::default()).unwrap();
    run.run(40, &mut |state| {
        seen.push(state.to_bytes());
        ControlFlow::Continue(())
    });
    for iterations in [1, 5, 20] {
        assert!(run_to(problem, iterations, Cpu::default()).to_bytes() == seen[iterations as usize - 1]);
    }
    // A level that ended by itself gives the same for every larger number.
    let all = run_to(problem, 4000, Cpu::default());
    assert!(all.ended().is_some() && all.iteration() < 4000);
    assert!(run_to(problem, all.iteration() + 7, Cpu::default()).to_bytes() == all.to_bytes());
}

#[test]
fn an_observer_stops_a_level() {
    let pair = Pair::new([24, 26, 20], 18);
    let problem = pair.problem(8.0, Similarity::Ssd);
    let mut run = LevelRun::new(problem, start(&problem), Cpu::default()).unwrap();
    let stop = |state: &LevelState| {
        if state.iteration() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert_eq!(run.run(20, &mut { stop }), None);
    assert!(run.state().to_bytes() == run_to(problem, 3, Cpu::default()).to_bytes());
}

#[test]
fn damaged_states_are_refused() {
    let pair = Pair::new([24, 26, 20], 18);
    let problem = pair.problem(12.0, Similarity::Ssd);
    let bytes = run_to(problem, 3, Cpu::default()).to_bytes();
    assert_eq!(LevelState::from_bytes(b"something else"), Err(StateError::Other));
    for length in [8, 9, 16, 47, 48, bytes.len() - 8, bytes.len() - 1] {
        assert_eq!(LevelState::from_bytes(&bytes[..length]), Err(StateError::Damaged), "{length}");
    }
    for at in (8..48).step_by(8) {
        let mut changed = bytes.clone();
        changed[at + 7] = 0xff;
        assert_eq!(LevelState::from_bytes(&changed), Err(StateError::Damaged));
    }
    // Counts that fit the length, but no level.
    let word = |number: u64| number.to_le_bytes();
    let crafted = [b"ofstate1".to_vec(), [0, 1 << 60, 0, 1, 0].map(word).concat(), vec![0; 56]].concat();
    assert_eq!(LevelState::from_bytes(&crafted), Err(StateError::Damaged));
    let other = pair.problem(6.0, Similarity::Ssd);
    let state = LevelState::from_bytes(&bytes).unwrap();
    assert!(LevelRun::resume(other, state, Cpu::default()).is_none());
}
