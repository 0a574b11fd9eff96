//! Scale-out systems: nodes with drives, the networks between them, and where data is on them.
//!
//! - `tree`, `placement`, `balance`, `moving`, `map`: which drives hold the members of a placement group, by hashing over racks, nodes and
//!   drives;
//! - `requests`: the requests of clients at the nodes that serve them;
//! - `network`, `node`: operations on their way between nodes, and what that takes of ports and processors.
//!
//! A placement group is a set of chunklets of the pool below (`raid/chunklets`), which goes on thinking in columns: parity,
//! degraded reads and rebuilds are those of an array. What differs is whose drives the chunklets are on, and that every
//! operation comes from a node: the one that serves the request, or the one that a lost member is restored to.

mod balance;
mod map;
mod moving;
pub mod network;
pub mod node;
mod placement;
pub mod requests;
mod tree;

pub use map::Map;

use crate::plan::{ClusterPoolPlan, Copying, Plan, ReplicaReads};
use crate::rng::{Component, KeyedDraws};
use network::{Latencies, Network};
use node::{Node, Port};
use requests::Requests;
use std::ops::Range;

/// How a pool of a cluster serves.
#[derive(Clone, Debug)]
pub struct Serving {
    /// Index of its cluster.
    pub cluster: usize,
    /// The node of each drive, among those of all clusters.
    pub node_of: Vec<u32>,
    /// Writes go from replica to replica.
    pub pipelined: bool,
    /// Draws the replica to read, where any is read.
    pub draws: Option<KeyedDraws>,
    /// Members that must have a write; none: all.
    pub acks: Option<usize>,
    /// Requests so far.
    pub requests: u64,
}

impl Serving {
    fn new(cluster: usize, first_node: usize, plan: &ClusterPoolPlan, seed: u64) -> Self {
        let any = plan.reads == ReplicaReads::Any;
        Self {
            cluster,
            node_of: plan.node_of_drive.iter().map(|node| (first_node + node) as u32).collect(),
            pipelined: plan.copying == Copying::Pipeline,
            draws: any.then(|| KeyedDraws::new(seed, Component::Replica, plan.pool)),
            acks: plan.acks,
            requests: 0,
        }
    }
}

/// All clusters of a system.
#[derive(Debug)]
pub struct Clusters {
    /// Nodes and what goes on between them.
    pub network: Network,
    /// Requests of clients.
    pub requests: Requests,
    /// By pool.
    pub pools: Vec<Serving>,
    /// The nodes and the racks of each cluster.
    pub parts: Vec<(Range<usize>, Range<usize>)>,
}

impl Clusters {
    /// The clusters of `plan`; `None` where there are none.
    #[must_use]
    pub fn new(plan: &Plan) -> Option<Self> {
        let (mut nodes, mut uplinks, mut latencies, mut parts) = (vec![], vec![], vec![], vec![]);
        let mut pools: Vec<Option<Serving>> = vec![None; plan.pools.len()];
        let mut kinds = 0;
        for (number, cluster) in plan.clusters.iter().enumerate() {
            let (first, racks) = (nodes.len(), uplinks.len());
            let node = |node: &crate::plan::NodePlan| {
                let class = (kinds + node.class, &cluster.classes[node.class]);
                Node::new(class, (racks + node.rack) as u32, number as u32)
            };
            nodes.extend(cluster.nodes.iter().map(node));
            let link = || cluster.network.uplink_bytes_per_s.map(|rate| Port::new(Some(rate)));
            uplinks.extend((0..cluster.racks()).map(|_| link()));
            latencies.push(Latencies::new(&cluster.network));
            for pool in &cluster.pools {
                pools[pool.pool] = Some(Serving::new(number, first, pool, plan.seed));
            }
            kinds += cluster.classes.len();
            parts.push((first..nodes.len(), racks..uplinks.len()));
        }
        let pools: Option<Vec<Serving>> = pools.into_iter().collect();
        (!plan.clusters.is_empty()).then_some(())?;
        let network = Network::new(nodes, uplinks, latencies);
        Some(Self { network, requests: Requests::default(), pools: pools?, parts })
    }
}
