//! The parameters of the shipped workflow as tuners see them, with the ranges that `onceflow init` writes.

use onceflow_kernels::Connectivity;
use onceflow_kernels::nuclei::Parameters;
use onceflow_study::{Domain, Parameter, Space, SpaceError, Value};

/// Name, first value, last value, step, default, and the task that reads it: a neighbourhood has no step.
type Axis = (&'static str, f64, f64, f64, f64, usize);

/// In the order in which the workflow declares them.
const AXES: [Axis; 15] = [
    ("blue", 210.0, 240.0, 10.0, 220.0, 0),
    ("green", 210.0, 240.0, 10.0, 220.0, 0),
    ("red", 210.0, 240.0, 10.0, 220.0, 0),
    ("T1", 2.5, 7.5, 0.5, 5.0, 1),
    ("T2", 2.5, 7.5, 0.5, 4.0, 1),
    ("reconConnectivity", 4.0, 8.0, 0.0, 8.0, 2),
    ("fillHolesConnectivity", 4.0, 8.0, 0.0, 4.0, 3),
    ("G1", 5.0, 80.0, 5.0, 80.0, 3),
    ("minSize", 2.0, 40.0, 2.0, 11.0, 4),
    ("maxSize", 900.0, 1500.0, 50.0, 1000.0, 4),
    ("G2", 2.0, 40.0, 2.0, 45.0, 5),
    ("minSizePl", 5.0, 80.0, 5.0, 30.0, 6),
    ("watershedConnectivity", 4.0, 8.0, 0.0, 8.0, 7),
    ("minSizeSeg", 2.0, 40.0, 2.0, 21.0, 8),
    ("maxSizeSeg", 900.0, 1500.0, 50.0, 1000.0, 8),
];

/// The space of the 15 parameters.
pub(super) fn nuclei_space() -> Result<Space, SpaceError> {
    let parameter = |(name, from, to, step, default, _): &Axis| {
        let domain = if *step == 0.0 {
            Domain::Values(vec![*from, *to])
        } else {
            Domain::Steps { from: *from, to: *to, step: *step }
        };
        Parameter { default: Some(Value::Real(*default)), ..Parameter::new(*name, domain) }
    };
    Space::new(AXES.iter().map(parameter).collect(), Vec::new())
}

/// How early the workflow reads each parameter.
pub(super) fn nuclei_stages() -> Vec<usize> {
    AXES.iter().map(|axis| axis.5).collect()
}

/// The values as the kernels take them; `None` unless there is a number for each.
pub(super) fn nuclei_parameters(values: &[f64]) -> Option<Parameters> {
    let at: &[f64; 15] = values.try_into().ok()?;
    let whole = |place: usize| at[place] as i64;
    let near = |place: usize| if at[place] == 8.0 { Connectivity::Eight } else { Connectivity::Four };
    Some(Parameters {
        blue: whole(0),
        green: whole(1),
        red: whole(2),
        t1: at[3],
        t2: at[4],
        recon_connectivity: near(5),
        fill_holes_connectivity: near(6),
        g1: whole(7),
        min_size: whole(8),
        max_size: whole(9),
        g2: whole(10),
        min_size_pl: whole(11),
        watershed_connectivity: near(12),
        min_size_seg: whole(13),
        max_size_seg: whole(14),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_space_has_as_many_points_as_the_ranges_that_init_writes() {
        let space = nuclei_space().unwrap();
        let points: f64 = space.parameters().iter().map(|p| p.domain.count().unwrap() as f64).product();
        assert_eq!(format!("{points:.2e}"), "2.14e13");
        let defaults: Vec<f64> = AXES.iter().map(|axis| axis.4).collect();
        assert_eq!(nuclei_parameters(&defaults), Some(Parameters::default()));
    }
}
