//! A bound of memory that is too small is refused with one that works, and a tight one changes no byte.

use onceflow_engine::EngineError;

use crate::asked::{Answered, Asked, IMAGES, LEVELS, METRICS, PARAMETERS, QUICK};

#[test]
fn the_bound_that_a_refusal_names_works_and_gives_the_same_bytes() {
    let head = "name = \"memory\"\nworkflow = \"nuclei\"\n";
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\n";
    let phase = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 3\n";
    let asked = Asked::new(&format!("{head}{IMAGES}{parts}{PARAMETERS}{METRICS}{phase}{QUICK}"));
    for level in LEVELS {
        let expected = Answered::of(&asked.run(level, 1));
        let needed = match asked.run_in(1000, level, 1) {
            Err(EngineError::Memory { needed, limit: 1000, .. }) => needed,
            other => panic!("{other:?}"),
        };
        let run = asked.run_in(needed, level, 1).unwrap_or_else(|error| panic!("{level:?}: {error}"));
        assert!(Answered::of(&run) == expected, "{level:?}");
        assert!(run.answer.work.peak_reserved <= needed);
        assert!(asked.run_in(needed / 2, level, 1).is_err(), "{level:?}: half of {needed} works too");
    }
}
