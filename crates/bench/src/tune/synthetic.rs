//! Synthetic slides with their truth.

use onceflow_engine::parse_synthetic;
use onceflow_kernels::Plane;
use onceflow_terminal::Failure;

use crate::kernels::normalize;
use crate::program::failed;

/// The normalized colours and the labels of tissue with a name such as `synth:500x500?seed=1&slide=1`.
pub(super) fn synthetic(name: &str) -> Result<(Plane<[u8; 3]>, Plane<u32>), Failure> {
    let tissue = parse_synthetic(name).map_err(failed)?.ok_or_else(|| failed("no tissue"))?;
    let side = |length: u64| usize::try_from(length).map_err(failed);
    let (width, height) = (side(tissue.width())?, side(tissue.height())?);
    let tile = tissue.render(0, 0, width, height).map_err(failed)?;
    let colours = Plane::from_vec(tile.rgb.as_chunks().0.to_vec(), width, height);
    let both = colours.zip(Plane::from_vec(tile.labels, width, height));
    let (colours, labels) = both.ok_or_else(|| failed("tissue without pixels"))?;
    Ok((normalize(&colours), labels))
}
