//! Scale-out systems: servers (nodes) in racks, the networks between them, and the pools that are spread over their drives.

use super::{PoolPlan, SpareKind};
use iowatt_volume::PlanFault::{Conflict, Count, Range, Reference};
use iowatt_volume::{PlanError, Under, at_least_zero, check};
use serde::Deserialize;

/// Nodes joined by networks. Its pools are divided into chunklets: a set of chunklets is a placement group, and a region's
/// stripes go around all of its sets.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClusterPlan {
    /// Kinds of nodes.
    pub classes: Vec<NodeClassPlan>,
    /// The nodes.
    pub nodes: Vec<NodePlan>,
    /// What lies between clients and nodes, and between nodes.
    pub network: NetworkPlan,
    /// The pools on the drives of these nodes.
    pub pools: Vec<ClusterPoolPlan>,
    /// Nodes and racks that fail; drives that fail by themselves are in the `recovery` of their pool.
    #[serde(default)]
    pub failures: Vec<NodeFailurePlan>,
}

/// A kind of node: its processors and network ports.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NodeClassPlan {
    /// Processors (cores) that work on requests and operations, one at a time each.
    pub processors: usize,
    /// Processor seconds of a client's request (its part in one placement group) at the node that serves it.
    pub request_s: f64,
    /// The same for each of its bytes.
    pub request_byte_s: f64,
    /// Processor seconds of a drive operation at the node of its drive.
    pub operation_s: f64,
    /// The same for each of its bytes.
    pub operation_byte_s: f64,
    /// Processor seconds for each byte that is encoded for a write with parity, at the node that serves it.
    pub code_byte_s: f64,
    /// Bytes per second of the front port, each way; none: it takes no time.
    pub front_bytes_per_s: Option<f64>,
    /// Bytes per second of the back port, each way; none: what goes between nodes passes the front port.
    pub back_bytes_per_s: Option<f64>,
}

/// A node.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NodePlan {
    /// Index of its kind.
    pub class: usize,
    /// Its rack, from 0.
    pub rack: usize,
    /// Seconds from the start when it joins: data moves to it from then on, and its drives are dark before. None: it is
    /// there from the start.
    #[serde(default)]
    pub joins_at_s: Option<f64>,
    /// Seconds from the start when it is to leave: its data moves to other nodes from then on, and it serves what is left.
    #[serde(default)]
    pub leaves_at_s: Option<f64>,
}

/// Latencies, and the links between racks.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NetworkPlan {
    /// Seconds between a client and a node, one way.
    pub client_latency_s: f64,
    /// Seconds between two nodes of a rack, one way.
    pub rack_latency_s: f64,
    /// Seconds between nodes of different racks, one way.
    pub core_latency_s: f64,
    /// Bytes per second of a rack's uplink, each way, which traffic between nodes of different racks passes; none: it takes
    /// no time.
    pub uplink_bytes_per_s: Option<f64>,
    /// Bytes of a message without data (a command, an answer), and of the headers of one with data.
    pub message_bytes: u64,
}

/// A pool of a cluster.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClusterPoolPlan {
    /// Index of the pool, whose chunklets are placed by hashing.
    pub pool: usize,
    /// The node of each of its drives.
    pub node_of_drive: Vec<usize>,
    /// What no two members of a placement group share.
    pub failure_domain: FailureDomain,
    /// How replicas of a write reach their nodes.
    #[serde(default)]
    pub copying: Copying,
    /// Which node serves a read of replicated data.
    #[serde(default)]
    pub reads: ReplicaReads,
    /// Members of a placement group that must have a write before it is answered; none: all.
    #[serde(default)]
    pub acks: Option<usize>,
}

/// The level of the tree at which members of a placement group must differ.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FailureDomain {
    /// Drives.
    Drive,
    /// Nodes.
    Node,
    /// Racks.
    Rack,
}

/// The way of a write's replicas.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Copying {
    /// The node that serves the write sends it to all others (Ceph).
    #[default]
    Primary,
    /// Each node sends it on to the next, and answers go the same way back (HDFS).
    Pipeline,
}

/// Which replica is read.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ReplicaReads {
    /// The first member of the placement group that is there.
    #[default]
    Primary,
    /// Any of them, drawn at random.
    Any,
}

/// The failure of a node or a whole rack. Its drives fail with it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NodeFailurePlan {
    /// What fails.
    pub unit: FailingUnit,
    /// Its index.
    pub index: usize,
    /// Seconds from the start.
    pub at_s: f64,
}

/// What fails as one.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FailingUnit {
    /// A node.
    Node,
    /// All nodes of a rack.
    Rack,
}

impl ClusterPlan {
    /// Racks, the highest number that a node has plus one.
    #[must_use]
    pub fn racks(&self) -> usize {
        self.nodes.iter().map(|node| node.rack + 1).max().unwrap_or(0)
    }

    /// The nodes that fail with failure `failure`.
    pub fn failing(&self, failure: NodeFailurePlan) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().enumerate().filter_map(move |(number, node)| {
            let index = if failure.unit == FailingUnit::Node { number } else { node.rack };
            (index == failure.index).then_some(number)
        })
    }

    /// Whether the plan is consistent with itself and with `pools`, after those.
    pub(super) fn validate(&self, pools: &[PoolPlan]) -> Result<(), PlanError> {
        check(!self.nodes.is_empty(), Count, "nodes", "must not be empty")?;
        for (number, class) in self.classes.iter().enumerate() {
            class.validate().under_item("classes", number)?;
        }
        for (number, node) in self.nodes.iter().enumerate() {
            self.check_node(node).under_item("nodes", number)?;
        }
        self.network.validate().under("network")?;
        for (number, failure) in self.failures.iter().enumerate() {
            let exists = self.failing(*failure).next().is_some();
            check(exists, Reference, "index", "there is no such node or rack")
                .under_item("failures", number)?;
            check(at_least_zero(failure.at_s), Range, "at_s", "must be at least 0")
                .under_item("failures", number)?;
        }
        check(!self.pools.is_empty(), Count, "pools", "must not be empty")?;
        for (number, pool) in self.pools.iter().enumerate() {
            let planned = pools.get(pool.pool);
            let planned = planned.ok_or_else(|| PlanError::new(Reference, "pool", "there is no such pool"));
            planned.and_then(|planned| self.check_pool(pool, planned)).under_item("pools", number)?;
        }
        Ok(())
    }

    fn check_node(&self, node: &NodePlan) -> Result<(), PlanError> {
        check(node.class < self.classes.len(), Reference, "class", "there is no such class")?;
        check(node.rack <= u16::MAX as usize, Range, "rack", "must be below 65,536")?;
        let late = |at: Option<f64>| at.is_none_or(at_least_zero);
        check(late(node.joins_at_s), Range, "joins_at_s", "must be at least 0")?;
        check(late(node.leaves_at_s), Range, "leaves_at_s", "must be at least 0")?;
        check(
            node.joins_at_s.is_none() || node.leaves_at_s.is_none(),
            Conflict,
            "leaves_at_s",
            "a node that joins cannot leave in the same run",
        )
    }

    fn check_pool(&self, pool: &ClusterPoolPlan, planned: &PoolPlan) -> Result<(), PlanError> {
        let each = pool.node_of_drive.len() == planned.drives();
        check(each, Count, "node_of_drive", "must have an element for each drive of the pool")?;
        let exist = pool.node_of_drive.iter().all(|&node| node < self.nodes.len());
        check(exist, Reference, "node_of_drive", "there is no such node")?;
        let Some(chunklets) = &planned.chunklets else {
            return Err(PlanError::new(Conflict, "pool", "a pool of a cluster is divided into chunklets"));
        };
        let distributed = planned.recovery.as_ref().is_none_or(|r| r.sparing == SpareKind::Distributed);
        check(distributed, Conflict, "pool", "spare space of a cluster's pool is distributed")?;
        let moves = self.nodes.iter().any(|node| node.joins_at_s.or(node.leaves_at_s).is_some());
        let recovers = planned.recovery.is_some() || (self.failures.is_empty() && !moves);
        check(recovers, Conflict, "pool", "needs its recovery where nodes fail, join or leave")?;
        let domains = self.domains(pool);
        for region in &chunklets.regions {
            let fits = region.set_size <= domains;
            check(fits, Count, "failure_domain", "is fewer than a set has members at the start")?;
            let some = pool.acks.is_none_or(|acks| acks > 0 && acks <= region.set_size);
            check(some, Range, "acks", "must be at least 1 and at most the size of a set")?;
        }
        Ok(())
    }

    /// Failure domains with drives of `pool` at the start.
    fn domains(&self, pool: &ClusterPoolPlan) -> usize {
        let present = |&&node: &&usize| self.nodes[node].joins_at_s.is_none();
        let nodes = pool.node_of_drive.iter().filter(present);
        if pool.failure_domain == FailureDomain::Drive {
            return nodes.count();
        }
        let rack = pool.failure_domain == FailureDomain::Rack;
        let mut domains: Vec<usize> = nodes.map(|&n| if rack { self.nodes[n].rack } else { n }).collect();
        domains.sort_unstable();
        domains.dedup();
        domains.len()
    }
}

impl NodeClassPlan {
    fn validate(&self) -> Result<(), PlanError> {
        check(self.processors > 0, Range, "processors", "must be at least 1")?;
        for (field, time) in [
            ("request_s", self.request_s),
            ("request_byte_s", self.request_byte_s),
            ("operation_s", self.operation_s),
            ("operation_byte_s", self.operation_byte_s),
            ("code_byte_s", self.code_byte_s),
        ] {
            check(at_least_zero(time), Range, field, "must be at least 0")?;
        }
        let positive = |rate: Option<f64>| rate.is_none_or(|rate| rate > 0.0);
        check(positive(self.front_bytes_per_s), Range, "front_bytes_per_s", "must be positive")?;
        check(positive(self.back_bytes_per_s), Range, "back_bytes_per_s", "must be positive")
    }
}

impl NetworkPlan {
    fn validate(&self) -> Result<(), PlanError> {
        for (field, time) in [
            ("client_latency_s", self.client_latency_s),
            ("rack_latency_s", self.rack_latency_s),
            ("core_latency_s", self.core_latency_s),
        ] {
            check(at_least_zero(time), Range, field, "must be at least 0")?;
        }
        let positive = self.uplink_bytes_per_s.is_none_or(|rate| rate > 0.0);
        check(positive, Range, "uplink_bytes_per_s", "must be positive")
    }
}
