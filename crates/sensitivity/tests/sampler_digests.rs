//! Bytes of samples do not change unnoticed: published studies and finished runs rely on them.
//!
//! A digest that changes on purpose makes every earlier sample of its method impossible to extend: say so in the
//! change log.
#![allow(clippy::unwrap_used, missing_docs)]

mod spaces;

use onceflow_sensitivity::{Sample, sample};
use onceflow_study::{Distribution, Domain, Parameter, Space};
use spaces::{constrained_space, continuous, design, grid, methods, words};

fn mixed_space() -> Space {
    let with = |name: &str, domain, distribution, group: Option<&str>| Parameter {
        distribution,
        group: group.map(str::to_owned),
        ..Parameter::new(name, domain)
    };
    let line = continuous(f64::NEG_INFINITY, f64::INFINITY);
    let parameters = vec![
        with("u", continuous(-1.0, 3.0), Distribution::Uniform, None),
        with("n", line, Distribution::Normal { mean: 1.0, sd: 2.0 }, Some("g")),
        with("l", continuous(0.1, 10.0), Distribution::LogUniform, None),
        with("i", Domain::Integers { from: 1, to: 9 }, Distribution::Uniform, Some("g")),
        with("w", words(3), Distribution::Weights(vec![1.0, 2.0, 1.0]), None),
        with(
            "s",
            continuous(0.0, 9.0),
            Distribution::Weibull { shape: 1.5, scale: 2.0, location: 0.0 },
            None,
        ),
    ];
    Space::new(parameters, Vec::new()).unwrap()
}

/// FNV-1a over the words of all rows.
fn digest(space: &Space, made: &Sample) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        bytes.iter().for_each(|byte| hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3));
    };
    for (place, row) in made.rows.iter().enumerate() {
        add(row.role.text(space).as_bytes());
        for word in [row.id, row.base, row.replicate, row.duplicate_of.unwrap_or(u64::MAX)] {
            add(&word.to_le_bytes());
        }
        made.numbers(place).iter().for_each(|x| add(&x.to_bits().to_le_bytes()));
    }
    hash
}

#[test]
fn samples_are_what_they_were() {
    let (mixed, constrained) = (mixed_space(), constrained_space(true));
    let mut found = Vec::new();
    for method in methods(12).into_iter().chain([grid(3, 4)]) {
        let of = |space: &Space| {
            sample(space, &design(method.clone(), 2026)).map(|made| digest(space, &made)).ok()
        };
        found.push((method.word(), of(&mixed), of(&constrained)));
    }
    assert_eq!(found, EXPECTED, "{found:#x?}");
}

const EXPECTED: [(&str, Option<u64>, Option<u64>); 17] = [
    ("mc", Some(0xCD47_B414_B982_C447), Some(0xCEC8_7AE1_5940_BF7C)),
    ("lhs", Some(0xAC0C_C4C5_0D96_896E), Some(0x868C_3D27_8438_0EAE)),
    ("lhs", Some(0x1E43_0938_432C_97B5), Some(0xE3F0_41E1_CB50_AC26)),
    ("lhs", Some(0x674C_7EBE_36F2_0EAE), Some(0x6311_D6C6_7F87_D414)),
    ("lhs", Some(0x81BD_90D9_A944_359E), None),
    ("halton", Some(0xD2C1_1009_5BE3_4D8A), Some(0x87B9_FC28_C57B_0B99)),
    ("halton", Some(0x375A_7FDF_5FC8_2228), Some(0xAE85_BF3C_D2EB_9E77)),
    ("hammersley", Some(0xAF93_463C_3864_C190), None),
    ("hammersley", Some(0x38F0_91D0_E563_DD77), None),
    ("sobol", Some(0x08B8_E8FE_54F7_D01C), Some(0x55A4_5C98_11DD_F4E2)),
    ("sobol", Some(0x83C7_C6C8_EC55_3690), Some(0x41C7_7515_E0FC_5EF3)),
    ("morris", Some(0x1FAF_97CE_F600_18F5), Some(0xB27D_205D_5A14_B57F)),
    ("morris", Some(0x53F9_D8D4_C595_0681), Some(0xA58D_5A54_BB30_6739)),
    ("morris", Some(0x7584_3616_F371_8389), Some(0x706F_D682_E883_7D44)),
    ("saltelli", Some(0xB630_F40D_BB64_9BC8), Some(0xF7A0_E17F_9130_ADAF)),
    ("saltelli", Some(0x33D7_B0F9_F78E_B347), Some(0xDDFB_4667_1A51_9C83)),
    ("grid", Some(0x6671_A48C_C3C4_21E2), Some(0x2A24_2D48_8FD1_1F35)),
];
