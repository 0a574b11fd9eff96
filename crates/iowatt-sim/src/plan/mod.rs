//! The plan: all inputs of the simulator, in SI numbers and indices, never names.
//!
//! Python resolves a scenario into this once; serde refuses unknown fields, so that a key that one
//! side knows and the other does not is an error and never a silent default.

mod chunklets;
mod cluster;
mod code;
mod controller;
mod hdd;
mod heat;
mod library;
mod parity_log;
mod path;
mod pool;
mod qos;
mod recovery;
mod replication;
mod ssd;
mod workload;

pub use chunklets::{ChunkletPlan, RegionPlan};
pub use cluster::{
    ClusterPlan, ClusterPoolPlan, Copying, FailingUnit, FailureDomain, NetworkPlan, NodeClassPlan,
    NodeFailurePlan, NodePlan, ReplicaReads,
};
pub use code::{CodePlan, MAX_PARITY};
pub use controller::{
    BackEndPlan, CachePlan, ControllerPlan, DestagePlan, LineTransfers, LossPlan, Lost, NodesPlan, Ownership,
    ProcessingPlan, ReadAheadPlan, SplitPlan,
};
#[cfg(test)]
pub use hdd::IndexEntry;
pub use hdd::{
    BufferPlan, DriveControllerPlan, Extraction, HddPlan, IndexedPlan, LayoutPlan, Mapping, ReadAhead,
    Requested, SeekPlan, ShingledPlan, Sparing, ZonePlan, ZonedPlan,
};
pub use heat::HeatPlan;
pub use library::{LibraryPlan, TapeDrivePlan, TapePowerPlan};
pub use parity_log::ParityLogPlan;
pub use path::{ExchangePlan, HopPlan, PathPlan};
pub use pool::{
    BatchingPlan, CommandQueuePlan, DevicePlan, HddPowerPlan, MirrorReads, ParityLayout, PhasePlan, PoolPlan,
    RaidLevel, RaidPlan, SchedulerPlan, SmallWrite,
};
pub use qos::{QosOrder, QosPlan, VolumeQosPlan};
pub use recovery::{RebuildPlan, RebuildPriority, RecoveryPlan, SpareKind};
pub use replication::{ReplicationMode, ReplicationPlan, WhenStuck};
#[cfg(test)]
pub use ssd::{BurstPlan, SheetCachePlan};
pub use ssd::{
    DataSheetPlan, FlashEnergyPlan, FlashInitialPlan, FlashPlan, GcPlan, HoldPlan, MediaPlan, QuantilePlan,
    RatedPlan, SsdPlan, SsdPowerPlan, WearPlan,
};

pub(crate) use iowatt_volume::Under;
pub use iowatt_volume::{GcPolicy, PartPlan, PlanError, PlanFault, VirtualPoolPlan, WriteCaching};
pub use workload::{ClosedPer, ReplayPlan, ThinkPlan, WorkloadPlan};

use PlanFault::{Capacity, Conflict, Range, Reference};
use iowatt_volume::check;
use serde::Deserialize;

/// A whole simulation.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Seed of every random stream; each component derives its own.
    pub seed: u64,
    /// Streams of requests, each against one volume.
    pub workloads: Vec<WorkloadPlan>,
    /// Address ranges of spaces that workloads see.
    pub volumes: Vec<VolumePlan>,
    /// Groups of like drives under one redundancy scheme.
    pub pools: Vec<PoolPlan>,
    /// Address spaces that are made of pools.
    #[serde(default)]
    pub virtual_pools: Vec<VirtualPoolPlan>,
    /// Libraries of tape cartridges, each an address space.
    #[serde(default)]
    pub libraries: Vec<LibraryPlan>,
    /// Shared buses between controller and drives.
    pub buses: Vec<BusPlan>,
    /// Ways from hosts to the array.
    #[serde(default)]
    pub paths: Vec<PathPlan>,
    /// How many requests the array takes at once; none: all that come.
    #[serde(default)]
    pub qos: Option<QosPlan>,
    /// Volumes with copies on a remote array.
    #[serde(default)]
    pub replications: Vec<ReplicationPlan>,
    /// Pools on servers that networks join.
    #[serde(default)]
    pub clusters: Vec<ClusterPlan>,
    /// What stands between hosts and pools, where something does.
    pub controller: Option<ControllerPlan>,
    /// What is observed, and over which window.
    pub observe: ObservePlan,
}

/// A range of one space's bytes.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VolumePlan {
    /// Index of the space: of a pool, beyond the pools of a virtual pool, beyond these of a library.
    pub pool: usize,
    /// First byte in the space; a multiple of the sector size.
    pub offset_bytes: u64,
    /// Length in bytes.
    pub capacity_bytes: u64,
    /// What it may take of the array; none: as much as it wants.
    #[serde(default)]
    pub qos: Option<VolumeQosPlan>,
}

/// A bus that drives share, one transfer at a time, first come first served.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct BusPlan {
    /// Bytes per second of a transfer.
    pub bandwidth_bytes_per_s: f64,
    /// Arbitration before each transfer, seconds.
    pub arbitration_s: f64,
}

/// What is observed.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ObservePlan {
    /// Seconds cut from the front of every figure.
    pub warmup_s: f64,
    /// Simulated end in seconds; left out, the end is the last completion.
    pub end_s: Option<f64>,
    /// Width of an interval in seconds; left out, it starts at 1 s and doubles to stay bounded.
    pub interval_s: Option<f64>,
    /// Width of a block of response times in seconds; left out, it starts at 1 ms and doubles to stay bounded.
    #[serde(default)]
    pub series_s: Option<f64>,
    /// Every idle period of every drive goes to the sink of [`crate::Simulation::log_idle`].
    #[serde(default)]
    pub idle: bool,
    /// Idle periods that are kept one by one, at most, in [`crate::Outcome::idle`]; shorter ones are counted by length. None:
    /// nothing is kept.
    #[serde(default)]
    pub idle_rows: Option<usize>,
    /// Where requests go, by extent and period; none: not recorded.
    #[serde(default)]
    pub heat: Option<HeatPlan>,
}

impl Plan {
    /// Whether the plan is consistent with itself. Python checks scenarios and names their keys; this refuses what would
    /// break the engine.
    ///
    /// # Errors
    /// The first fault found.
    pub fn validate(&self) -> Result<(), PlanError> {
        for (number, workload) in self.workloads.iter().enumerate() {
            let exists = || {
                check(workload.volume < self.volumes.len(), Reference, "volume", "there is no such volume")?;
                let path = workload.path.is_none_or(|path| path < self.paths.len());
                check(path, Reference, "path", "there is no such path")?;
                workload.validate()
            };
            exists().under_item("workloads", number)?;
        }
        let spaces = self.pools.len() + self.virtual_pools.len() + self.libraries.len();
        for (number, volume) in self.volumes.iter().enumerate() {
            let exists = volume.pool < spaces;
            check(exists, Reference, "pool", "there is no such pool").under_item("volumes", number)?;
            let qos = volume.qos.map_or(Ok(()), |qos| qos.validate()).under("qos");
            qos.under_item("volumes", number)?;
        }
        for (number, pool) in self.virtual_pools.iter().enumerate() {
            pool.validate(self.pools.len()).under_item("virtual_pools", number)?;
        }
        self.check_overlaps()?;
        self.qos.map_or(Ok(()), |qos| qos.validate()).under("qos")?;
        let ends = !self.workloads.is_empty() || self.observe.end_s.is_some();
        check(ends, Conflict, "observe.end_s", "must be given where there are no workloads")?;
        self.observe.heat.map_or(Ok(()), |heat| heat.validate()).under("observe.heat")?;
        for (number, bus) in self.buses.iter().enumerate() {
            let sound = bus.bandwidth_bytes_per_s > 0.0;
            check(sound, Range, "bandwidth_bytes_per_s", "must be positive").under_item("buses", number)?;
        }
        for (number, path) in self.paths.iter().enumerate() {
            path.validate().under_item("paths", number)?;
        }
        for (number, library) in self.libraries.iter().enumerate() {
            library.validate().under_item("libraries", number)?;
        }
        let alone = self.libraries.is_empty() || self.controller.is_none();
        check(alone, Conflict, "libraries", "must be empty where there is a controller")?;
        // The controller's checks divide by the sectors of the drives.
        for (number, pool) in self.pools.iter().enumerate() {
            pool.validate(self.buses.len()).under_item("pools", number)?;
        }
        self.check_clusters()?;
        self.check_replications()?;
        let Some(controller) = &self.controller else { return Ok(()) };
        check(
            controller.host_bandwidth_bytes_per_s.is_none() || self.paths.is_empty(),
            Conflict,
            "controller.host_bandwidth_bytes_per_s",
            "must be null where there are paths, which have links of their own",
        )?;
        controller.validate(&self.sectors()).under("controller")
    }

    /// The cluster of pool number `pool`, if it is in one, and what that says of it.
    #[must_use]
    pub fn cluster_of(&self, pool: usize) -> Option<(&ClusterPlan, &ClusterPoolPlan)> {
        let all = self.clusters.iter().flat_map(|cluster| cluster.pools.iter().map(move |p| (cluster, p)));
        all.into_iter().find(|(_, of_cluster)| of_cluster.pool == pool)
    }

    /// Whether requests may have to wait at the door of the array.
    #[must_use]
    pub fn has_qos(&self) -> bool {
        self.qos.is_some() || self.volumes.iter().any(|volume| volume.qos.is_some())
    }

    /// Checks the clusters, after the pools: a pool is in one of them, and nothing but volumes and paths lies above it.
    fn check_clusters(&self) -> Result<(), PlanError> {
        let mut taken = vec![false; self.pools.len()];
        for (number, cluster) in self.clusters.iter().enumerate() {
            cluster.validate(&self.pools).under_item("clusters", number)?;
            for pool in &cluster.pools {
                let again = std::mem::replace(&mut taken[pool.pool], true);
                check(!again, Conflict, "pools", "the pool is in a cluster already")
                    .under_item("clusters", number)?;
            }
        }
        if self.clusters.is_empty() {
            return Ok(());
        }
        let all = taken.into_iter().all(|taken| taken);
        check(all, Conflict, "clusters", "must have all pools, where there are any")?;
        let alone =
            self.controller.is_none() && self.virtual_pools.is_empty() && self.replications.is_empty();
        let message = "needs a system without a controller, virtual pools and replications";
        check(alone && self.libraries.is_empty(), Conflict, "clusters", message)
    }

    /// Checks the replications, after the pools: a volume is in one of them, and is a copy of one at most.
    fn check_replications(&self) -> Result<(), PlanError> {
        let capacities: Vec<u64> = self.volumes.iter().map(|volume| volume.capacity_bytes).collect();
        let mut taken: Vec<(bool, usize)> = Vec::new();
        for (number, replication) in self.replications.iter().enumerate() {
            let of_sectors = replication.volumes.iter().filter_map(|pair| self.volumes.get(pair.volume));
            let sectors = self.sectors();
            let sector = of_sectors.filter_map(|volume| sectors.get(volume.pool)).copied().max().unwrap_or(1);
            replication.validate(&capacities, sector).under_item("replications", number)?;
            for pair in &replication.volumes {
                for place in [(true, pair.volume)].into_iter().chain(pair.copy.map(|copy| (false, copy))) {
                    let again = taken.contains(&place);
                    check(!again, Conflict, "volumes", "the volume is in a replication already")
                        .under_item("replications", number)?;
                    taken.push(place);
                }
            }
        }
        Ok(())
    }

    /// Checks that what belongs to a virtual pool belongs to nothing else.
    fn check_overlaps(&self) -> Result<(), PlanError> {
        let parts = || self.virtual_pools.iter().flat_map(|v| &v.parts);
        let taken = parts().map(|p| (p.pool, p.offset_bytes, p.capacity_bytes));
        let taken = taken.chain(self.volumes.iter().map(|v| (v.pool, v.offset_bytes, v.capacity_bytes)));
        let mut taken: Vec<(usize, u64, u64)> = taken.filter(|t| parts().any(|p| p.pool == t.0)).collect();
        taken.sort_unstable();
        for pair in taken.windows(2) {
            let [(pool, from, bytes), (next_pool, next, _)] = [pair[0], pair[1]];
            let apart = pool != next_pool || from.saturating_add(bytes) <= next;
            let message = "a part of a virtual pool overlaps another part or a volume";
            check(apart, Conflict, "", message).under_item("pools", pool)?;
        }
        Ok(())
    }

    /// Bytes of a sector of each space, the largest of its parts' for a virtual pool.
    #[must_use]
    pub fn sectors(&self) -> Vec<u64> {
        let mut sectors: Vec<u64> = self.pools.iter().map(|pool| pool.device.sector_bytes()).collect();
        let of_parts = |v: &VirtualPoolPlan| v.parts.iter().map(|p| sectors[p.pool]).max().unwrap_or(1);
        let made: Vec<u64> = self.virtual_pools.iter().map(of_parts).collect();
        sectors.extend(made);
        sectors.extend(self.libraries.iter().map(|_| 1));
        sectors
    }

    /// One past the last byte of pool number `pool` that a volume, or a part of a virtual pool, takes.
    #[must_use]
    pub fn taken_bytes(&self, pool: usize) -> u64 {
        let parts = self.virtual_pools.iter().flat_map(|v| &v.parts);
        let parts = parts.map(|p| (p.pool, p.offset_bytes, p.capacity_bytes));
        let volumes = self.volumes.iter().map(|v| (v.pool, v.offset_bytes, v.capacity_bytes));
        let ends = volumes.chain(parts).filter(|taken| taken.0 == pool);
        ends.map(|(_, from, bytes)| from.saturating_add(bytes)).max().unwrap_or(0)
    }

    /// Checks that the volumes on space number `space`, and the parts of virtual pools on it, fit its `capacity_bytes`.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn check_capacity(&self, space: usize, capacity_bytes: u64) -> Result<(), PlanError> {
        let fits = |pool: usize, offset: u64, bytes: u64| {
            let end = offset.saturating_add(bytes);
            if pool != space || end <= capacity_bytes {
                return Ok(());
            }
            let message = format!("ends at byte {end} of pool {space}, which has {capacity_bytes}");
            Err(PlanError::new(Capacity, "", message))
        };
        for (number, volume) in self.volumes.iter().enumerate() {
            fits(volume.pool, volume.offset_bytes, volume.capacity_bytes).under_item("volumes", number)?;
        }
        for (outer, pool) in self.virtual_pools.iter().enumerate() {
            for (number, part) in pool.parts.iter().enumerate() {
                fits(part.pool, part.offset_bytes, part.capacity_bytes)
                    .under_item("parts", number)
                    .under_item("virtual_pools", outer)?;
            }
        }
        Ok(())
    }
}
