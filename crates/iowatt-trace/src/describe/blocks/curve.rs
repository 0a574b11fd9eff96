//! What the depths say: the miss-ratio curve of an LRU cache, reuse distances and first touches.

use serde::Serialize;

use super::depths::{CHANNELS, Depths, Edges, Weights};

/// Reuse within the trace, by LRU stack depth in blocks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReuseFigures {
    /// What the figures rest on.
    pub sample: Sample,
    /// First touches: these miss in a cache of any size.
    pub first_touch: Ratios,
    /// References by stack depth.
    pub histogram: ReuseHistogram,
    /// Miss ratios of a fully associative LRU cache that reads and writes both fill.
    pub miss_ratio: MissRatios,
}

/// What was followed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// `exact` or `sampled`.
    pub method: &'static str,
    /// Share of the address space that is followed in the end.
    pub rate: f64,
    /// Regions of 16 blocks followed in the end.
    pub regions: u64,
    /// Blocks followed in the end.
    pub blocks: u64,
    /// Block references of the trace.
    pub references: u64,
}

/// Ratios over requests (one misses when any of its blocks does), bytes and block references.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratios {
    /// Of all requests.
    pub requests: f64,
    /// Of all bytes.
    pub bytes: f64,
    /// Of reads; `None` without reads.
    pub read_requests: Option<f64>,
    /// Of bytes read.
    pub read_bytes: Option<f64>,
    /// Of writes.
    pub write_requests: Option<f64>,
    /// Of bytes written.
    pub write_bytes: Option<f64>,
    /// Of block references.
    pub references: f64,
}

/// Block references by LRU stack depth, in columns: a depth of 1 is the block referenced last. Shares of all
/// reads' (writes') block references; the rest are first touches.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReuseHistogram {
    /// Least depth of the row, blocks.
    pub from_blocks: Vec<u64>,
    /// Greatest.
    pub to_blocks: Vec<u64>,
    /// Share of the references of reads.
    pub read_share: Vec<f64>,
    /// Share of the references of writes.
    pub write_share: Vec<f64>,
}

/// Miss ratios by cache size, in columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MissRatios {
    /// Size of the cache.
    pub cache_bytes: Vec<u64>,
    /// Of all requests.
    pub requests: Vec<f64>,
    /// Of all bytes.
    pub bytes: Vec<f64>,
    /// Of reads; empty without reads.
    pub read_requests: Vec<f64>,
    /// Of bytes read.
    pub read_bytes: Vec<f64>,
    /// Of writes; empty without writes.
    pub write_requests: Vec<f64>,
    /// Of bytes written.
    pub write_bytes: Vec<f64>,
    /// Of block references.
    pub references: Vec<f64>,
    /// Standard error of `requests` by disjoint sub-samples; zero where exact.
    pub requests_standard_error: Vec<f64>,
    /// Standard error of `bytes`.
    pub bytes_standard_error: Vec<f64>,
}

/// Hits in caches of the size of each edge, corrected so that the sample has as many references as the trace
/// (SHARDS-adj: Waldspurger et al. 2015 put the difference into the least depth).
pub(super) fn hits(depths: &[&Depths], scale: f64, truth: &Weights) -> Vec<Weights> {
    let sum = |of: &dyn Fn(&Depths) -> Weights| {
        let mut sum = [0.0; CHANNELS];
        for (which, depths) in depths.iter().enumerate() {
            let scale = if which == 0 { 1.0 } else { scale };
            (0..CHANNELS).for_each(|at| sum[at] += scale * of(depths)[at]);
        }
        sum
    };
    let total = sum(&Depths::total);
    let mut hits: Weights = std::array::from_fn(|at| truth[at] - total[at]);
    let edges = depths[0].bins().len() - 1;
    (0..edges)
        .map(|bin| {
            let here = sum(&|depths| depths.bins()[bin]);
            (0..CHANNELS).for_each(|at| hits[at] += here[at]);
            hits
        })
        .collect()
}

/// All, reads, writes of a pair of channels, as miss ratios of the hits.
fn ratio(hits: &Weights, truth: &Weights, channel: usize, kind: usize) -> f64 {
    let of = |weights: &Weights| match kind {
        0 => weights[channel] + weights[channel + 1],
        kind => weights[channel + kind - 1],
    };
    (1.0 - of(hits) / of(truth).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0)
}

const REQUESTS: usize = 0;
const BYTES: usize = 2;
const REFERENCES: usize = 4;

/// The figures; `groups` are the hits by disjoint sub-samples, none where all is exact.
pub(super) fn figures(
    edges: &Edges,
    depths: &Depths,
    groups: &[Vec<Weights>],
    truth: &Weights,
    sample: Sample,
) -> ReuseFigures {
    let hits = hits(&[depths], 1.0, truth);
    let filled = depths.bins().iter().rposition(|bin| bin.iter().any(|&w| w > 0.0)).unwrap_or(0);
    // One point beyond the deepest reuse shows where the curve ends, and all that were asked for.
    let shown = |edge: usize| edge <= filled + 1 || edges.asked(edges.all()[edge]);
    let mut miss_ratio = MissRatios::default();
    for edge in (0..edges.all().len()).filter(|&edge| shown(edge)) {
        let of = |channel, kind| ratio(&hits[edge], truth, channel, kind);
        miss_ratio.cache_bytes.push(edges.all()[edge]);
        miss_ratio.requests.push(of(REQUESTS, 0));
        miss_ratio.bytes.push(of(BYTES, 0));
        miss_ratio.references.push(of(REFERENCES, 0));
        if truth[REQUESTS] > 0.0 {
            miss_ratio.read_requests.push(of(REQUESTS, 1));
            miss_ratio.read_bytes.push(of(BYTES, 1));
        }
        if truth[REQUESTS + 1] > 0.0 {
            miss_ratio.write_requests.push(of(REQUESTS, 2));
            miss_ratio.write_bytes.push(of(BYTES, 2));
        }
        let error = |channel| standard_error(groups.iter().map(|hits| ratio(&hits[edge], truth, channel, 0)));
        miss_ratio.requests_standard_error.push(error(REQUESTS));
        miss_ratio.bytes_standard_error.push(error(BYTES));
    }
    ReuseFigures {
        first_touch: first_touch(depths, truth),
        histogram: histogram(edges, depths, truth),
        miss_ratio,
        sample,
    }
}

fn standard_error(of: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = of.collect();
    if values.len() < 2 {
        return 0.0;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt()
}

/// What no cache saves: where the curve ends.
fn first_touch(depths: &Depths, truth: &Weights) -> Ratios {
    let hits: Weights = std::array::from_fn(|at| truth[at] - depths.cold()[at]);
    let of = |channel, kind| ratio(&hits, truth, channel, kind);
    let some = |kind: usize, channel| (truth[REQUESTS + kind - 1] > 0.0).then(|| of(channel, kind));
    Ratios {
        requests: of(REQUESTS, 0),
        bytes: of(BYTES, 0),
        read_requests: some(1, REQUESTS),
        read_bytes: some(1, BYTES),
        write_requests: some(2, REQUESTS),
        write_bytes: some(2, BYTES),
        references: of(REFERENCES, 0),
    }
}

fn histogram(edges: &Edges, depths: &Depths, truth: &Weights) -> ReuseHistogram {
    let total = depths.total();
    let mut histogram = ReuseHistogram::default();
    let mut from = 1;
    for (bin, &edge) in edges.all().iter().enumerate() {
        let share = |kind: usize| {
            let missing = if bin == 0 { truth[kind] - total[kind] } else { 0.0 }; // as in `hits`
            ((depths.bins()[bin][kind] + missing) / truth[kind].max(1.0)).max(0.0)
        };
        let (read, write) = (share(REFERENCES), share(REFERENCES + 1));
        if read > 0.0 || write > 0.0 {
            histogram.from_blocks.push(from);
            histogram.to_blocks.push(edge);
            histogram.read_share.push(read);
            histogram.write_share.push(write);
        }
        from = edge + 1;
    }
    histogram
}
