//! Whole inputs, in the forms that published studies use.

use super::read_dakota_input;
use crate::{
    Design, Distribution, Domain, GridDesign, LatinHypercube, Method, MorrisDesign, ParameterKind, Problem,
    SaltelliDesign, SourceText, Trajectories, Value,
};

fn read(text: &str) -> (Problem, String) {
    let (problem, remarks) = read_dakota_input(&SourceText::new("d.in", text)).unwrap();
    (problem, remarks.to_string())
}

fn refuse(text: &str) -> String {
    read_dakota_input(&SourceText::new("d.in", text)).unwrap_err().to_string()
}

const TWO: &str = "variables\n continuous_design = 2\n  lower_bounds 0 0\n  upper_bounds 1 2\n";

fn design(method: &str) -> (Method, String) {
    let (problem, remarks) = read(&format!("method\n {method}\n{TWO}"));
    (problem.design.unwrap().method, remarks)
}

/// The screening of a level-set workflow with a control factor, in the layout its authors published.
const SCREEN: &str = "#  DAKOTA INPUT FILE

method
  psuade_moat
\tsamples = 80
\tpartitions = 20
\tseed = 500

model
  single

variables
  continuous_design = 7
    lower_bounds    \t0.3\t0.0\t1.0\t50.0\t5.0\t5.0\t0.0
    upper_bounds     \t1.5\t1.0  \t20.0\t400.0\t30.0\t150.0\t1.0
    descriptors       \t'ratio'   'weight'  'small'   'large'    'kernel'\t'rounds'\t'dummy'

interface,
\tfork
#\t  asynchronous
\t  analysis_driver = 'simulator_script'
\t  work_directory directory_tag

responses
  response_functions = 1
  no_gradients
  no_hessians\t
";

#[test]
fn a_published_screening_is_read_as_dakota_runs_it() {
    let (problem, remarks) = read(SCREEN);
    let morris = MorrisDesign { trajectories: 10, values: 22, kind: Trajectories::Plain };
    assert_eq!(problem.design, Some(Design { method: Method::Morris(morris), seed: 500 }));
    assert_eq!(problem.outputs, ["response_fn_1"]);
    let names: Vec<_> = problem.space.parameters().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["ratio", "weight", "small", "large", "kernel", "rounds", "dummy"]);
    assert_eq!(problem.space.parameters()[3].domain, Domain::Continuous { from: 50.0, to: 400.0 });
    assert_eq!(
        remarks,
        "d.in:9:1: note: the block `model` is skipped\n\
         d.in:18:1: note: the block `interface` is skipped\n\
         d.in:6:2: warning: partitions must be odd: 21 are taken for 20, which is 22 values"
    );
}

#[test]
fn each_method_becomes_its_design() {
    let saltelli = SaltelliDesign { base: 200, second_order: false, replicates: SaltelliDesign::REPLICATES };
    let latin = |kind| Method::LatinHypercube { rows: 30, kind };
    let cases = [
        ("dace random samples = 200 seed = 500 variance_based_decomp", Method::Saltelli(saltelli)),
        (
            "sampling sample_type lhs samples 200 seed 1 variance_based_decomp vbd_sampling_method pick_and_freeze",
            Method::Saltelli(saltelli),
        ),
        ("variance_based_decomp samples=200 sampling", Method::Saltelli(saltelli)),
        ("sampling samples=30", latin(LatinHypercube::Plain)),
        ("sampling sample_type random samples=30", Method::MonteCarlo { rows: 30 }),
        ("sampli sample_t incremental_lhs samples=30", latin(LatinHypercube::Nested)),
        ("dace lhs samples 30", latin(LatinHypercube::Plain)),
        ("dace oas samples 30", latin(LatinHypercube::Plain)),
        ("fsu_quasi_mc halton samples 30", Method::Halton { rows: 30, scrambled: false }),
        ("nond_sampling samples 30 binned variance_based_decomp", latin(LatinHypercube::Plain)),
        ("multidim_parameter_study partitions 4 4", Method::Grid(GridDesign { values: 5, fraction: 1 })),
        (
            "psuade_moat",
            Method::Morris(MorrisDesign { trajectories: 10, values: 4, kind: Trajectories::Plain }),
        ),
        (
            "psuade_moat samples 10 partitions 3",
            Method::Morris(MorrisDesign { trajectories: 4, values: 4, kind: Trajectories::Plain }),
        ),
    ];
    for (text, method) in cases {
        assert_eq!(design(text).0, method, "{text}");
    }
    assert!(design("psuade_moat samples 10").1.contains("multiple of 3: 12 are taken for 10"));
    assert!(design("dace oas samples 30").1.contains("a Latin hypercube is used instead"));
    assert!(
        design("id_method = 'UQ' sampling samples=30 rng rnum2").1.contains("skipped: id_method, rng, rnum2")
    );
}

#[test]
fn every_type_of_variable_is_read() {
    let (problem, _) = read(
        "variables,
        normal_uncertain 2 means 1 2 std_deviations .5 1. lower_bounds 0 -inf upper_bounds 2 inf nuv_descriptors 'n1' 'n2'
        lognormal_uncertain 1 lambdas 0 zetas 1
        loguniform_uncertain 1 luuv_lower_bounds 1 luuv_upper_bounds 100 initial_point 10
        triangular_uncertain 1 modes 2 lower_bounds 1 upper_bounds 5
        weibull_uncertain 1 alphas 1.5 betas 2
        discrete_design_range 1 lower_bounds 3 upper_bounds 9 initial_point 5
        discrete_design_set
          integer 2 num_set_values 2 3 set_values 4 8 1 2 3
          string 1 elements 'otsu' 'triangle' initial_point 'otsu' descriptors 'threshold'
          real 1 elements .5 .25
        discrete_uncertain_set string 1 elements 'a' 'b' set_probabilities .2 .8
        uniform_uncertain 1 lower_bounds 0 upper_bounds 1
        active all
        ",
    );
    let shown: Vec<String> = problem.space.parameters().iter().map(|p| p.name.clone()).collect();
    let expected = [
        "ddriv_1",
        "ddsiv_1",
        "ddsiv_2",
        "threshold",
        "ddsrv_1",
        "n1",
        "n2",
        "lnuv_1",
        "uuv_1",
        "luuv_1",
        "tuv_1",
        "wuv_1",
        "dussv_1",
    ];
    assert_eq!(shown, expected);
    let of = |name: &str| &problem.space.parameters()[problem.space.index_of(name).unwrap()];
    assert_eq!(of("n1").distribution, Distribution::Normal { mean: 1.0, sd: 0.5 });
    assert_eq!(of("n1").domain, Domain::Continuous { from: 0.0, to: 2.0 });
    assert_eq!(of("n2").domain, Domain::Continuous { from: f64::NEG_INFINITY, to: f64::INFINITY });
    assert_eq!(of("lnuv_1").domain, Domain::Continuous { from: 0.0, to: f64::INFINITY });
    assert_eq!(of("luuv_1").default, Some(Value::Real(10.0)));
    assert_eq!(of("tuv_1").distribution, Distribution::Triangular { peak: 2.0 });
    assert_eq!(of("wuv_1").distribution, Distribution::Weibull { shape: 1.5, scale: 2.0, location: 0.0 });
    assert_eq!(
        (of("ddriv_1").domain.clone(), of("ddriv_1").kind),
        (Domain::Integers { from: 3, to: 9 }, ParameterKind::Integer)
    );
    assert_eq!(of("ddriv_1").default, Some(Value::Integer(5)));
    assert_eq!(of("ddsiv_2").domain, Domain::Values(vec![1.0, 2.0, 3.0]));
    assert_eq!(of("threshold").domain, Domain::Categories(vec!["otsu".into(), "triangle".into()]));
    assert_eq!(of("threshold").default, Some(Value::Text("otsu".into())));
    assert_eq!(of("dussv_1").distribution, Distribution::Weights(vec![0.2, 0.8]));
}

#[test]
fn moments_of_a_log_normal_are_turned_into_those_of_the_logarithm() {
    let moments = |lists: &str| match &read(&format!("variables lognormal_uncertain 1 {lists}"))
        .0
        .space
        .parameters()[0]
        .distribution
    {
        Distribution::LogNormal { mean, sd } => (*mean, *sd),
        other => panic!("{other:?}"),
    };
    // A log-normal with mean m and standard deviation s has these log moments by definition; check by going back.
    let (mean, sd) = moments("means 3 std_deviations 2");
    assert!(((mean + sd * sd / 2.0).exp() - 3.0).abs() < 1e-12);
    assert!((((sd * sd).exp_m1()).sqrt() * 3.0 - 2.0).abs() < 1e-12);
    let (mean, sd) = moments("means 3 error_factors 2");
    assert!(((1.645 * sd).exp() - 2.0).abs() < 1e-12);
    assert!(((mean + sd * sd / 2.0).exp() - 3.0).abs() < 1e-12);
}

#[test]
fn sampling_leaves_design_variables_alone_when_there_are_uncertain_ones() {
    let mixed = format!("{TWO} uniform_uncertain 1 lower_bounds 0 upper_bounds 1");
    let count = |text: String| read(&text).0.space.parameters().len();
    assert_eq!(count(format!("method sampling samples 5 {mixed}")), 1);
    assert_eq!(count(format!("method sampling samples 5 {mixed} active all")), 3);
    assert_eq!(count(format!("method dace random samples 5 {mixed}")), 3);
    assert_eq!(count(format!("method sampling samples 5 {mixed} active design")), 2);
}

#[test]
fn a_grid_of_unequal_sides_is_cut_by_values() {
    let text = "method multidim_parameter_study partitions 0 1 2 1
        variables continuous_design 3 lower_bounds 210 2.5 0 upper_bounds 240 7.5 1
        discrete_design_range 1 lower_bounds 1 upper_bounds 5";
    let (problem, remarks) = read(text);
    let domains: Vec<_> = problem.space.parameters().iter().map(|p| p.domain.clone()).collect();
    let values = |v: &[f64]| Domain::Values(v.to_vec());
    assert_eq!(domains, [values(&[2.5, 7.5]), values(&[0.0, 0.5, 1.0]), values(&[1.0, 5.0])]);
    assert!(remarks.contains("`cdv_1` has 0 partitions and stays at its lower end"));
    assert_eq!(problem.space.grid_rows(&GridDesign { values: 2, fraction: 1 }), 12);
    assert!(
        refuse("method multidim partitions 3 variables discrete_design_range 1 lower 1 upper 5")
            .contains("divisor of 4")
    );
    assert!(
        refuse("method multidim partitions 3 3 variables discrete_design_range 1 lower 1 upper 5")
            .contains("1 whole numbers")
    );
    assert!(
        refuse("method multidim partitions 0 variables discrete_design_range 1 lower 1 upper 5")
            .contains("single point")
    );
}

/// A short text must not become many gigabytes of values.
#[test]
fn a_grid_too_fine_to_be_written_out_is_refused() {
    let text = "method multidim partitions 19*65535 65534
        variables continuous_design 20 lower_bounds 20*0 upper_bounds 20*1";
    assert!(refuse(text).contains("the grid is too fine; expected at most 1048576 partitions in all"));
}

#[test]
fn whole_numbers_beyond_what_counts_exactly_are_not_cut_to_fit() {
    let range = "variables discrete_design_range 1 lower 0 upper";
    assert!(refuse(&format!("{range} 1e30")).contains("expected whole numbers, found 1000000000"));
    let (problem, _) = read(&format!("{range} 9 initial_point 1e30"));
    assert_eq!(problem.space.parameters()[0].default, Some(Value::Real(1e30)));
}

#[test]
fn mistakes_are_pointed_at() {
    let cases = [
        (
            "method npsol_sqp",
            "d.in:1:8: error: this method is not supported; expected one of psuade_moat, sampling, dace, fsu_quasi_mc, multidim_parameter_study, found `npsol_sqp`",
        ),
        ("method", "d.in:1:1: error: this block names no known method"),
        ("method sampling", "the method has no `samples`"),
        ("method sampling samples 0", "samples above 0"),
        ("method sampling samples 2.5", "one whole number of 0 or more, found 2.5"),
        ("method sampling samples 5 samples 6", "`samples` stands twice"),
        ("method sampling samp 5", "ambiguous abbreviation of a keyword; expected one of sampling, samples"),
        (
            "method dace box_behnken samples 5",
            "`dace` needs a kind of sample; expected one of random, lhs, oas, oa_lhs, found box_behnken",
        ),
        ("method dace random lhs psuade_moat samples 5", "two methods in one block"),
        ("method sampling samples 4 method sampling samples 5", "there are several blocks `method`"),
        ("responses no_gradients", "there are no responses"),
        ("responses response_functions 2 descriptors 'a'", "expected 2 texts in quotes, found 1"),
        ("responses response_functions 99999999", "too many responses"),
    ];
    for (text, expected) in cases {
        let refused = refuse(&format!("{text}\n{TWO}"));
        assert!(refused.contains(expected), "{text}: {refused}");
    }
}

#[test]
fn mistakes_in_variables_are_pointed_at() {
    let cases = [
        ("", "there is nothing to vary; expected one of continuous_design"),
        (
            "continuous_design = 15\n lower_bounds 1 2\n upper_bounds 2 3",
            "d.in:2:2: error: `lower_bounds` has the wrong length; expected 15 values, one for each variable, found 2",
        ),
        ("continuous_design 1 lower_bounds 0", "these variables have no `upper_bounds`"),
        (
            "continuous_design 1 lowr_bounds 0 upper_bounds 1",
            "`lowr_bounds` is skipped; did you mean `lower_bounds`?",
        ),
        (
            "continuous_design 2 lower 0 3 upper 1 2",
            "d.in:1:39: error: the values of `cdv_2` are not a valid range; expected from < to, found 3..2",
        ),
        ("continuous_design 1 lower 'a' upper 2", "expected numbers, found 'a'"),
        (
            "continuous_design 2 lower 0 0 upper 2 2 descriptors 'a' 'a'",
            "two parameters have the same name; expected different names, found `a` twice",
        ),
        ("continuous_design 1 lower 0 upper 2 descriptors ''", "a parameter has no name"),
        ("continuous_design 0", "invalid number of variables"),
        (
            "continuous_design 1 lower 0 upper 1 continuous_design 1 lower 0 upper 1",
            "repeated type of variable",
        ),
        ("beta_uncertain 1 alphas 1 betas 2", "this type of variable is not supported"),
        ("loguniform_uncertain 1 lower 0 upper 2", "expected a lower end above 0, found 0"),
        ("normal_uncertain 1 means 0 std_deviations -1", "expected a standard deviation above 0, found -1"),
        ("triangular_uncertain 1 modes 7 lower 0 upper 2", "a peak between the ends, found 7"),
        ("weibull_uncertain 1 alphas 0 betas 2", "a shape above 0"),
        ("discrete_design_range 1 lower 0.5 upper 2", "expected whole numbers, found 0.5"),
        (
            "discrete_design_set integer 2 elements 1 2 3",
            "elements_per_variable, or a multiple of 2 elements",
        ),
        (
            "discrete_design_set integer 2 elements 1 2 3 elements_per 1 1",
            "2 lengths that add up to 3, found 2 that add up to 2",
        ),
        ("discrete_design_set integer 1 elements 1 2.5", "expected whole numbers, found 2.5"),
        ("discrete_design_set string 1 elements 1 2", "expected texts in quotes, found 1"),
        ("discrete_design_set real 1 elements 1", "at least two different values"),
        ("discrete_uncertain_set real 1 elements 1 2 set_prob 1", "2 probabilities"),
        ("discrete_uncertain_set real 1 elements 1 2 set_prob 0 0", "weights with a sum above 0"),
    ];
    for (text, expected) in cases {
        let refused = refuse(&format!("variables {text}"));
        assert!(refused.contains(expected), "{text}: {refused}");
    }
    assert!(refuse("").contains("expected a block `variables`"));
    assert!(refuse("5 variables").contains("a value before the first keyword"));
    assert!(refuse("samples 5").contains("text before the first block"));
}

#[test]
fn blocks_may_be_abbreviated_and_stand_in_any_order() {
    let (problem, _) = read(
        "resp num_resp 2 desc 'a' 'b'\nvar continuous_d 1 lower 0 upper 1\nenv tabular_data\nmeth psuade_moat samples 4",
    );
    assert_eq!(problem.outputs, ["a", "b"]);
    assert!(problem.design.is_some());
}
