//! The plan: everything a generator is told, in SI numbers and indices.
//!
//! Python compiles a profile into this; serde refuses unknown fields, so that a key that one side knows and
//! the other does not is an error and never a silent default.

use iowatt_trace::TraceSpec;
use serde::Deserialize;

/// A whole synthetic workload.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Name of the profile, in messages.
    pub name: String,
    /// Seed of every random stream.
    pub seed: u64,
    /// Which workload of a scenario this is; 0 by itself.
    pub workload: u32,
    /// Requests after which it ends.
    pub requests: Option<u64>,
    /// Time after which it ends.
    pub duration_s: Option<f64>,
    /// What requests look like and where they go.
    pub streams: Vec<StreamPlan>,
    /// When requests arrive, and of which streams they are.
    pub processes: Vec<ProcessPlan>,
    /// Rates over the day or the week; they multiply.
    pub envelopes: Vec<EnvelopePlan>,
    /// Phases in turn, over and over.
    pub phases: Vec<PhasePlan>,
}

/// One stream of like requests.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StreamPlan {
    /// Its name in the trace.
    pub name: String,
    /// Share of requests that read, 0..=1.
    pub read_fraction: f64,
    /// Sizes of reads; empty where it never reads.
    pub read_sizes: Vec<SizePlan>,
    /// Sizes of writes; empty where it never writes.
    pub write_sizes: Vec<SizePlan>,
    /// First byte of its range.
    pub start_bytes: u64,
    /// End of its range.
    pub end_bytes: u64,
    /// What offsets (from the start of the range) are multiples of; none: the size of the request.
    pub align_bytes: Option<u64>,
    /// The address law.
    pub access: AccessPlan,
    /// Runs: each arrival brings further requests after it.
    pub run: Option<RunPlan>,
}

/// Requests that follow one another closely.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunPlan {
    /// Mean requests of a run, the first included.
    pub mean_requests: f64,
    /// Whether the number is geometric; else it is the mean, or one of the two whole numbers around it.
    pub geometric: bool,
    /// Mean time from one to the next.
    pub gap_s: f64,
    /// Whether gaps are exponential; else they are equal.
    pub exponential: bool,
    /// Where those that follow go.
    pub addresses: FollowPlan,
}

/// Where a request goes that follows another in a run.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum FollowPlan {
    /// Where the one before it ended.
    Sequential,
    /// Where the one before it began, in its size.
    Same,
    /// Where the address law says.
    Law,
}

/// A size and its weight.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizePlan {
    /// Bytes.
    pub bytes: u32,
    /// Weight among the sizes of the direction.
    pub weight: f64,
}

/// Address laws.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "pattern", rename_all = "kebab-case")]
pub enum AccessPlan {
    /// Each request begins where the one before it ended.
    Sequential {
        /// Cursors that walk the range.
        cursors: u32,
        /// Mean bytes of a run; after it the cursor jumps to a uniformly drawn place. None: it never jumps.
        run_bytes: Option<f64>,
        /// Requests of one cursor before the next one's turn, on average.
        turn_requests: f64,
        /// Where cursors begin.
        begin: Begin,
    },
    /// Every aligned place is equally likely.
    Uniform,
    /// Extent of rank i with probability proportional to i^-exponent, uniform inside.
    Zipf {
        /// The exponent.
        exponent: f64,
        /// Bytes of an extent.
        extent_bytes: u64,
        /// Where ranks lie.
        order: Order,
    },
    /// The hottest fraction c of the range takes the share 1-(1-c)^k.
    Skew {
        /// The exponent k.
        k: f64,
        /// Bytes of an extent.
        extent_bytes: u64,
        /// Where hot extents lie.
        order: Order,
    },
    /// The hot band of vdbench.
    HotBand,
    /// A random walk on the leaves of a tree.
    HierarchicalReuse {
        /// Bytes of a leaf.
        leaf_bytes: u64,
        /// Chance to climb one more level before descending.
        climb: f64,
        /// Children of a node.
        fanout: u32,
    },
    /// Least-recently-used stack: reuse distances by a curve of hits.
    ReuseDistance {
        /// Bytes of a block.
        block_bytes: u64,
        /// Points of the curve, cumulative, with growing distances.
        hits: Vec<HitPlan>,
        /// Where blocks lie in order of first use.
        order: Order,
    },
    /// Extents by measured weights, with runs and near jumps.
    Density {
        /// Bytes of an extent.
        extent_bytes: u64,
        /// Numbers of the extents that are used, from the start of the range.
        extents: Vec<u64>,
        /// Their weights.
        weights: Vec<f64>,
        /// Lengths of sequential runs; empty: single requests.
        runs: Vec<RunLengthPlan>,
        /// Chance that a request goes on with the run of the one before it while that has more, 0..=1.
        stick: f64,
        /// Chance that a run begins near the end of the last one, 0..=1.
        near: f64,
        /// How far from it, then.
        jumps: Vec<JumpPlan>,
        /// Bytes of a block of `reuse`.
        block_bytes: u64,
        /// Where else a run begins: at blocks used before, by how long ago.
        reuse: Vec<DepthPlan>,
        /// Share of runs that begin at a place not used before, 0..=1.
        fresh: f64,
    },
}

/// Runs of so many requests.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunLengthPlan {
    /// Mean requests of a run of this kind, at least 1.
    pub requests: f64,
    /// Its weight among runs.
    pub weight: f64,
}

/// Reuse of blocks at a range of depths of the least-recently-used stack of the whole workload.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthPlan {
    /// Least depth, from 1: the block used last.
    pub from_blocks: u64,
    /// Greatest.
    pub to_blocks: u64,
    /// Share of runs that begin there, 0..=1.
    pub fraction: f64,
}

/// Jumps of a range of lengths.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JumpPlan {
    /// Whether they lead forward.
    pub forward: bool,
    /// Shortest, bytes.
    pub from_bytes: u64,
    /// All are shorter than this.
    pub below_bytes: u64,
    /// Weight among jumps.
    pub weight: f64,
}

/// A point of a curve of hits.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HitPlan {
    /// Blocks of an LRU cache.
    pub blocks: u64,
    /// Share of references that hit it, 0..=1.
    pub fraction: f64,
}

/// Where sequential cursors begin.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Begin {
    /// All at the start of the range.
    Start,
    /// Evenly spread over it.
    Spread,
    /// At random places.
    Random,
}

/// Where extents of falling heat lie.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The hottest first, at the start of the range.
    Ascending,
    /// In a pseudo-random order that the seed gives.
    Scattered,
}

/// An arrival process and the streams that share it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProcessPlan {
    /// The law of its gaps.
    pub law: LawPlan,
    /// A rate that changes at random.
    pub modulation: Option<ModulationPlan>,
    /// Streams (by index) and their weights.
    pub members: Vec<MemberPlan>,
    /// Mean number of successive requests of one stream before another draw.
    pub stay: f64,
}

/// A stream of a process.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemberPlan {
    /// Index of the stream.
    pub stream: usize,
    /// Its weight.
    pub weight: f64,
}

/// Laws of arrival.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "law", rename_all = "kebab-case")]
pub enum LawPlan {
    /// Equal gaps.
    Constant {
        /// Requests a second.
        rate: f64,
    },
    /// Exponential gaps.
    Poisson {
        /// Requests a second.
        rate: f64,
    },
    /// Each gap is exponential with the rate of a phase drawn for it.
    HyperExponential {
        /// The phases.
        phases: Vec<HyperPhasePlan>,
    },
    /// Bursts: batches of requests a fixed spacing apart, exponential gaps between them.
    Batch {
        /// Requests a second, over all.
        rate: f64,
        /// Mean requests of a batch (geometric).
        mean_requests: f64,
        /// Between requests of a batch.
        spacing_s: f64,
    },
    /// Counts of a window divided again and again, unevenly (a multiplicative cascade).
    Cascade {
        /// Requests a second, over all.
        rate: f64,
        /// The longest window whose count is divided.
        window_s: f64,
        /// How uneven each halving is, the widest first, by the count: of 2 to 3 requests, of 4 to 7, ..., the
        /// last of all more. 0: each for itself, 1: all in one half, below 0: they keep apart.
        unevenness: Vec<Vec<f64>>,
    },
    /// The stamps of a recorded trace.
    Recorded {
        /// The trace; unused where Python hands in its rows.
        trace: Box<TraceSpec>,
        /// Time compression: 2.0 arrives twice as fast.
        speed: f64,
    },
    /// No stamps: a closed loop issues requests on completions.
    Closed,
}

/// A phase of a hyper-exponential law.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HyperPhasePlan {
    /// Its weight.
    pub weight: f64,
    /// Its rate, per second.
    pub rate: f64,
}

/// States between which a rate changes at random.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModulationPlan {
    /// The states, visited in turn.
    pub states: Vec<StatePlan>,
    /// The law of their sojourns.
    pub sojourn: SojournPlan,
}

/// A state of a modulation.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatePlan {
    /// What the rate is multiplied by.
    pub factor: f64,
    /// Mean time in it.
    pub mean_s: f64,
}

/// How long a state lasts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "law", rename_all = "kebab-case")]
pub enum SojournPlan {
    /// Exactly its mean.
    Fixed,
    /// Exponential.
    Exponential,
    /// Pareto with this shape, above 1: sums of such on-off processes are self-similar.
    Pareto {
        /// The shape.
        shape: f64,
    },
}

/// A rate over a period that repeats.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvelopePlan {
    /// The period, in seconds.
    pub period_s: f64,
    /// Factors of equal parts of the period.
    pub factors: Vec<f64>,
}

/// A phase.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhasePlan {
    /// Its length, in seconds.
    pub duration_s: f64,
    /// What rates are multiplied by.
    pub factor: f64,
    /// Weights of all streams, in their order; none: as without phases.
    pub weights: Option<Vec<f64>>,
}
