//! Which instances of a stage run together: the published merging algorithms and our own.
//!
//! Instances in one bucket share their equal tasks; instances in different buckets do not, since buckets may run on
//! different machines. More in a bucket means more reuse, less parallelism and more memory.

mod auto;
mod buckets;
mod merging;
mod naive;
mod packing;
mod rtma;
mod sca;
mod schedule;
mod tree;
mod trtma;
mod work;

pub use buckets::{Buckets, ChainCosts, bucket_cost, tree_cost};
pub use merging::{MergeError, Merging, merge};
pub use sca::MOST_INSTANCES as MOST_FOR_SCA;
pub use schedule::makespan;
pub use tree::ReuseTree;
pub use trtma::{Pruning, SmallBucket};
pub use work::MergeWork;
