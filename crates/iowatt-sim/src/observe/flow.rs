//! What is counted of a flow of requests: a workload, a volume, or everything.

use super::batch::Batches;
use crate::clock::Nanos;
use crate::power::Window;

/// Counts, sums and the time integral of the requests in flight. Arrays are by direction: reads, writes.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Requests that arrived in the window.
    pub arrived: [u64; 2],
    /// Of those, completed.
    pub completed: [u64; 2],
    /// Bytes of the completed.
    pub bytes: [u64; 2],
    /// Requests that completed in the window, whenever they arrived: what throughput is made of.
    pub departed: [u64; 2],
    /// Their bytes.
    pub departed_bytes: [u64; 2],
    /// Sum of their response times.
    pub sum: [u128; 2],
    /// Sum of the squares.
    pub squares: [u128; 2],
    /// Longest.
    pub longest: [Nanos; 2],
    /// Batch means: reads, writes, all.
    pub batches: [Batches; 3],
    /// Integral of the requests in flight over the window, nanoseconds: the sum of their stays.
    pub area: u128,
}

impl Flow {
    /// A request arrives; `counted` if inside the window.
    pub fn arrive(&mut self, way: usize, counted: bool) {
        self.arrived[way] += u64::from(counted);
    }

    /// A request arrives and completes inside the window.
    #[inline]
    pub fn pass(&mut self, way: usize, response: Nanos, bytes: u64) {
        self.arrived[way] += 1;
        self.departed[way] += 1;
        self.departed_bytes[way] += bytes;
        self.area += u128::from(response);
        self.count(way, response, bytes);
    }

    /// A request arrives or completes outside the window, or at its start; `counted`: its response time counts.
    pub fn cross(
        &mut self,
        way: usize,
        (arrived, done): (Nanos, Nanos),
        counted: bool,
        bytes: u64,
        window: &Window,
    ) {
        self.arrive(way, window.begins(arrived));
        self.stay(arrived, done, window);
        if window.ends(done) {
            self.departed[way] += 1;
            self.departed_bytes[way] += bytes;
        }
        if counted {
            self.count(way, done - arrived, bytes);
        }
    }

    #[inline]
    fn count(&mut self, way: usize, response: Nanos, bytes: u64) {
        self.completed[way] += 1;
        self.bytes[way] += bytes;
        self.sum[way] += u128::from(response);
        self.squares[way] += u128::from(response) * u128::from(response);
        self.longest[way] = self.longest[way].max(response);
        self.batches[way].record(response);
        self.batches[2].record(response);
    }

    /// A request was in flight over a span.
    pub fn stay(&mut self, from: Nanos, until: Nanos, window: &Window) {
        let (from, until) = window.clip(from, until);
        self.area += u128::from(until - from);
    }

    /// Arrived in the window and not completed.
    #[must_use]
    pub fn unfinished(&self) -> u64 {
        self.arrived.iter().sum::<u64>() - self.completed.iter().sum::<u64>()
    }
}

/// Which flow is counted for the total, each workload and each volume. Those with the same workloads share one flow.
#[derive(Clone, Debug)]
pub struct FlowIndex {
    total: usize,
    workloads: Vec<usize>,
    volumes: Vec<usize>,
    /// Workloads of each flow.
    members: Vec<Vec<usize>>,
}

impl FlowIndex {
    /// The flows of workloads on the given volumes, of which there are `volumes`.
    #[must_use]
    pub fn new(volume_of_workload: &[usize], volumes: usize) -> Self {
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut index_of = |set: Vec<usize>| {
            members.iter().position(|m| *m == set).unwrap_or_else(|| {
                members.push(set);
                members.len() - 1
            })
        };
        let n = volume_of_workload.len();
        let of_volume = |v| (0..n).filter(|&w| volume_of_workload[w] == v).collect();
        let total = index_of((0..n).collect());
        let workloads = (0..n).map(|w| index_of(vec![w])).collect();
        let volumes = (0..volumes).map(|v| index_of(of_volume(v))).collect();
        Self { total, workloads, volumes, members }
    }

    /// Flows that each workload counts in.
    #[must_use]
    pub fn memberships(&self) -> Vec<Vec<usize>> {
        (0..self.workloads.len())
            .map(|w| (0..self.members.len()).filter(|&f| self.members[f].contains(&w)).collect())
            .collect()
    }

    /// The flow of all workloads; `None` where there are none.
    #[must_use]
    pub fn total(&self) -> Option<usize> {
        self.counted(self.total)
    }

    /// The flow of each workload.
    pub fn workloads(&self) -> impl ExactSizeIterator<Item = Option<usize>> + '_ {
        self.workloads.iter().map(|&flow| self.counted(flow))
    }

    /// The flow of each volume; `None` for one without workloads.
    pub fn volumes(&self) -> impl ExactSizeIterator<Item = Option<usize>> + '_ {
        self.volumes.iter().map(|&flow| self.counted(flow))
    }

    /// A flow, if a workload counts in it.
    fn counted(&self, flow: usize) -> Option<usize> {
        (!self.members[flow].is_empty()).then_some(flow)
    }
}
