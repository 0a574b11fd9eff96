//! Figures of the controller and its cache.

use crate::clock::Nanos;
use crate::controller::Controller;
use crate::controller::cache::{Cache, Hits};
use crate::controller::drive_path::DrivePath;
use crate::controller::protection::Loss;
use crate::plan::Lost;
use crate::station::Station;
use serde::Serialize;

/// Figures of one controller: of each part that it has.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ControllerResult {
    /// The processors.
    pub processors: Option<StationResult>,
    /// The link to the hosts.
    pub link: Option<StationResult>,
    /// The link to the partner controller.
    pub mirror: Option<StationResult>,
    /// The station that every command to a drive passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_end: Option<StationResult>,
    /// The station that commands made for writes pass before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_path: Option<StationResult>,
    /// The processors of each node, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<StationResult>,
    /// The links of the mesh between them, all together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<StationResult>,
    /// The busy share of the busiest one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh_most: Option<f64>,
    /// The cache.
    pub cache: Option<CacheResult>,
    /// What zero detection did.
    pub zeros: Option<ZeroResult>,
    /// What was lost, in order of the plan; over the whole run.
    pub losses: Vec<LossResult>,
}

/// Zeros that were kept from the pools, over the window.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ZeroResult {
    /// Bytes of writes that were told to be zeros.
    pub written_bytes: u64,
    /// Bytes of reads that were known to be zeros.
    pub read_bytes: u64,
    /// Bytes of zeros that had to be written to the pools later on.
    pub given_up_bytes: u64,
}

/// A loss and what it led to; times from the start of the run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LossResult {
    /// What failed: controller or battery.
    pub of: &'static str,
    /// When it did; nothing, where the run ended before.
    pub at_ns: Option<Nanos>,
    /// When it was back.
    pub back_ns: Option<Nanos>,
    /// Bytes that were dirty then.
    pub dirty_bytes: u64,
    /// When none was dirty any more.
    pub flushed_ns: Option<Nanos>,
    /// Writes that went through to the pools because of it.
    pub written_through: u64,
}

/// Hits of one workload.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct HitsResult {
    /// Reads looked up.
    pub reads: u64,
    /// Of those, with all of their data in the cache.
    pub read_hits: u64,
    /// Writes looked up.
    pub writes: u64,
    /// Of those, with all of their lines in the cache.
    pub write_hits: u64,
    /// Bytes of reads.
    pub read_bytes: u64,
    /// Of those, in the cache.
    pub read_hit_bytes: u64,
    /// Bytes of writes.
    pub write_bytes: u64,
    /// Of those, to lines in the cache.
    pub write_hit_bytes: u64,
}

/// Figures of a station over the window.
#[derive(Clone, Debug, Serialize)]
pub struct StationResult {
    /// Arrivals.
    pub visits: u64,
    /// Busy share of its servers.
    pub utilisation: f64,
    /// Time that arrivals waited for a server.
    pub wait_ns: Nanos,
}

/// Figures of a cache over the window. Requests and bytes are counted where they enter the window.
#[derive(Clone, Debug, Serialize)]
pub struct CacheResult {
    /// Reads looked up.
    pub reads: u64,
    /// Of those, with all of their data in the cache.
    pub read_hits: u64,
    /// Reads that waited for nothing but what others had asked for.
    pub delayed_hits: u64,
    /// Writes looked up.
    pub writes: u64,
    /// Of those, with all of their lines in the cache.
    pub write_hits: u64,
    /// Bytes of reads.
    pub read_bytes: u64,
    /// Of those, in the cache.
    pub read_hit_bytes: u64,
    /// Bytes of writes.
    pub write_bytes: u64,
    /// Of those, to lines in the cache.
    pub write_hit_bytes: u64,
    /// Reads from the pools.
    pub fetches: u64,
    /// Their bytes.
    pub fetched_bytes: u64,
    /// Writes of dirty data to the pools.
    pub destages: u64,
    /// Their bytes.
    pub destaged_bytes: u64,
    /// Lines that gave way.
    pub evictions: u64,
    /// Writes that waited for a clean or free line.
    pub waits_for_space: u64,
    /// Time that they waited.
    pub space_wait_ns: Nanos,
    /// Bytes that are in the cache only at the end.
    pub dirty_bytes_at_end: u64,
    /// Bytes of writes that replaced dirty ones.
    pub overwritten_bytes: u64,
    /// Hot lines that the destager passed over, over the whole run.
    pub kept_back: u64,
    /// Bytes asked for ahead of reads.
    pub ahead_bytes: u64,
    /// Of those, bytes that a read then asked for.
    pub ahead_used_bytes: u64,
    /// Of those, bytes that gave way or were overwritten unused.
    pub ahead_wasted_bytes: u64,
    /// Hits by workload.
    pub by_workload: Vec<HitsResult>,
}

impl ControllerResult {
    /// The figures of a controller and of its back end over `span`; none where there is neither.
    #[must_use]
    pub fn new(controller: Option<&Controller>, path: Option<&DrivePath>, span: Nanos) -> Option<Self> {
        let station = |station: Option<&Station>| station.map(|s| StationResult::new(s, span));
        let back_end = station(path.and_then(DrivePath::back_end));
        let write_path = station(path.and_then(DrivePath::write_path));
        let Some(controller) = controller else {
            return path.map(|_| Self { back_end, write_path, ..Self::default() });
        };
        Some(Self {
            processors: StationResult::of(controller.processors().iter(), span),
            link: station(controller.link()),
            mirror: station(controller.mirror()),
            back_end,
            write_path,
            nodes: controller
                .nodes()
                .map(|_| controller.processors().iter().map(|p| StationResult::new(p, span)).collect())
                .unwrap_or_default(),
            mesh: controller.nodes().and_then(|nodes| StationResult::of(nodes.links(), span)),
            mesh_most: controller.nodes().and_then(|nodes| {
                nodes.links().map(|link| StationResult::new(link, span).utilisation).reduce(f64::max)
            }),
            cache: controller.cache().map(CacheResult::new),
            zeros: controller.detects_zeros().then_some(ZeroResult {
                written_bytes: controller.zero_totals.written_bytes,
                read_bytes: controller.zero_totals.read_bytes,
                given_up_bytes: controller.zero_totals.given_up_bytes,
            }),
            losses: controller.protection.losses().iter().map(LossResult::new).collect(),
        })
    }
}

impl StationResult {
    /// Of several stations together; nothing of none.
    fn of<'s>(stations: impl Iterator<Item = &'s Station>, span: Nanos) -> Option<Self> {
        let (mut sum, mut servers, mut busy) = (Self { visits: 0, utilisation: 0.0, wait_ns: 0 }, 0, 0);
        for station in stations {
            sum.visits += station.visits;
            sum.wait_ns += station.waited;
            servers += station.servers();
            busy += station.busy;
        }
        let available = span as f64 * servers as f64;
        let utilisation = if span == 0 { 0.0 } else { busy as f64 / available };
        (servers > 0).then_some(Self { utilisation, ..sum })
    }

    fn new(station: &Station, span: Nanos) -> Self {
        let available = span as f64 * station.servers() as f64;
        Self {
            visits: station.visits,
            utilisation: if span == 0 { 0.0 } else { station.busy as f64 / available },
            wait_ns: station.waited,
        }
    }
}

impl LossResult {
    fn new(loss: &Loss) -> Self {
        Self {
            of: match loss.of {
                Lost::Controller => "controller",
                Lost::Battery => "battery",
            },
            at_ns: loss.happened.then_some(loss.at),
            back_ns: loss.back.filter(|_| loss.returned),
            dirty_bytes: loss.dirty_bytes,
            flushed_ns: loss.flushed,
            written_through: loss.written_through,
        }
    }
}

impl HitsResult {
    fn new(hits: &Hits) -> Self {
        let ([reads, writes], [read_hits, write_hits]) = (hits.requests, hits.hits);
        let ([read_bytes, write_bytes], [read_hit_bytes, write_hit_bytes]) = (hits.bytes, hits.hit_bytes);
        Self {
            reads,
            read_hits,
            writes,
            write_hits,
            read_bytes,
            read_hit_bytes,
            write_bytes,
            write_hit_bytes,
        }
    }
}

impl CacheResult {
    fn new(cache: &Cache) -> Self {
        let t = &cache.totals;
        let by_workload: Vec<HitsResult> = cache.hits.iter().map(HitsResult::new).collect();
        let sum = |of: fn(&HitsResult) -> u64| by_workload.iter().map(of).sum();
        Self {
            reads: sum(|h| h.reads),
            read_hits: sum(|h| h.read_hits),
            delayed_hits: cache.hits.iter().map(|h| h.delayed_hits).sum(),
            writes: sum(|h| h.writes),
            write_hits: sum(|h| h.write_hits),
            read_bytes: sum(|h| h.read_bytes),
            read_hit_bytes: sum(|h| h.read_hit_bytes),
            write_bytes: sum(|h| h.write_bytes),
            write_hit_bytes: sum(|h| h.write_hit_bytes),
            fetches: t.fetches,
            fetched_bytes: t.fetched_bytes,
            destages: t.destages,
            destaged_bytes: t.destaged_bytes,
            evictions: t.evictions,
            waits_for_space: t.waits_for_space,
            space_wait_ns: t.space_wait_ns,
            dirty_bytes_at_end: cache.dirty_bytes(),
            overwritten_bytes: t.overwritten_bytes,
            kept_back: t.kept_back,
            ahead_bytes: t.ahead_bytes,
            ahead_used_bytes: t.ahead_used_bytes,
            ahead_wasted_bytes: t.ahead_wasted_bytes,
            by_workload,
        }
    }
}
