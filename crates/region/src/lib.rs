//! Boxes in space, regions, parts, the memory budget, stores and image files.
