//! Red blood cells, which are no nuclei (t1).

use super::threshold::mask_where;
use crate::{Connectivity, Plane, View, select};

/// Pixels redder than blue in regions where red outweighs green `t2` times, and somewhere `t1` times.
pub fn red_blood_cells(normalized: View<'_, [u8; 3]>, t1: f64, t2: f64) -> Plane<u8> {
    let (surely, perhaps) = (redder_than_green(normalized, t1), redder_than_green(normalized, t2));
    let mut cells = select(perhaps.view(), surely.view(), Connectivity::Eight);
    remove_bluish(&mut cells, normalized);
    cells
}

/// Where red outweighs green so many times.
pub(super) fn redder_than_green(normalized: View<'_, [u8; 3]>, times: f64) -> Plane<u8> {
    let times = times as f32;
    mask_where(normalized, |[red, green, _]| ratio(red, green) > times)
}

/// Leaves what is redder than blue.
pub(super) fn remove_bluish(cells: &mut Plane<u8>, normalized: View<'_, [u8; 3]>) {
    for (cell, [red, _, blue]) in cells.pixels_mut().iter_mut().zip(normalized.rows().flatten()) {
        if ratio(*red, *blue) <= 1.0 {
            *cell = 0;
        }
    }
}

fn ratio(red: u8, other: u8) -> f32 {
    f32::from(red) / (f32::from(other) + f32::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ON;

    #[test]
    fn a_cell_needs_a_sure_pixel_and_more_red_than_blue() {
        let sure = [200, 20, 30];
        let perhaps = [90, 20, 30];
        let violet = [90, 20, 90];
        let white = [255; 3];
        let row = vec![perhaps, white, sure, perhaps, violet, perhaps, white, perhaps];
        let image = Plane::from_vec(row, 8, 1).unwrap();
        assert_eq!(red_blood_cells(image.view(), 5.0, 4.0).pixels(), [0, 0, ON, ON, 0, ON, 0, 0]);
        assert_eq!(red_blood_cells(image.view(), 12.0, 4.0).pixels(), [0; 8]);
    }

    #[test]
    fn thresholds_are_strict_and_corners_connect() {
        let (sure, perhaps, white) = ([200, 20, 30], [90, 20, 30], [255; 3]);
        let image = Plane::from_vec(vec![sure, white, white, perhaps], 2, 2).unwrap();
        assert_eq!(red_blood_cells(image.view(), 9.99, 4.0).pixels(), [ON, 0, 0, ON]);
        assert_eq!(red_blood_cells(image.view(), 9.99, 4.5).pixels(), [ON, 0, 0, 0]);
        assert_eq!(red_blood_cells(image.view(), 10.0, 4.0).pixels(), [0; 4]);
    }

    #[test]
    fn a_sure_pixel_counts_inside_a_region_only() {
        let image = Plane::from_vec(vec![[200, 40, 0]; 3], 3, 1).unwrap();
        assert_eq!(red_blood_cells(image.view(), 4.0, 6.0).pixels(), [0; 3]);
    }
}
