//! Controller nodes and the mesh between them: worked by hand, and with one node lost.
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::{MS, one_pool, refusal, request, run};
use iowatt_sim::Outcome;
use iowatt_sim::testing::ControllerResult;
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

/// Eight KiB take 8,192 ns on a link of the mesh and 1 us more to arrive.
const SIZE: u32 = 8192;
const CROSSING: u64 = 8_192 + 1_000;
const READ: u64 = 20_000;
const WRITE: u64 = 30_000;

/// Four nodes of a processor each, with a large cache; extents of 1 MiB are owned in turn.
fn plan() -> Value {
    let mut plan = one_pool("0", 2);
    plan["controller"] = json!({
        "processing": {"read_s": 20e-6, "write_s": 30e-6, "processors": 4},
        "host_bandwidth_bytes_per_s": null,
        "cache": {"capacity_bytes": 64 << 20, "line_bytes": 8192, "replacement": "lru", "read": true,
                  "write": "back", "high_watermark": 1.0, "low_watermark": 1.0, "destage_bytes": 8192,
                  "destage_outstanding": 1},
        "nodes": {"count": 4, "mesh_bytes_per_s": 1e9, "mesh_latency_s": 1e-6,
                  "ownership": {"by": "extent", "bytes": 1 << 20}},
    });
    plan
}

fn at(time: u64, op: Op, extent: u64) -> Request {
    request(time, op, extent << 20, SIZE)
}

fn controller(outcome: &Outcome) -> &ControllerResult {
    outcome.summary.controller.as_ref().unwrap()
}

/// Mean response time of reads and of writes.
fn means(outcome: &Outcome) -> [u64; 2] {
    let response = &outcome.summary.total.response;
    [&response.read, &response.write].map(|moments| (moments.mean_s * 1e9).round() as u64)
}

#[test]
fn what_comes_to_its_owner_stays_there_and_a_write_has_a_copy() {
    // Requests come to the nodes in turn: the first to node 0, which owns extents 0 and 4.
    let outcome = run(&plan(), vec![at(0, Op::Write, 0)]);
    assert_eq!(means(&outcome), [0, WRITE + CROSSING], "only the copy crosses, to node 1");
    // Node 1 gets the read of extent 0 that node 0 wrote: data crosses once.
    let outcome = run(&plan(), vec![at(0, Op::Write, 0), at(MS, Op::Read, 0)]);
    assert_eq!(means(&outcome), [READ + CROSSING, WRITE + CROSSING]);
    let mesh = controller(&outcome).mesh.as_ref().unwrap();
    assert_eq!(mesh.visits, 2);
    assert_eq!(controller(&outcome).nodes.iter().map(|node| node.visits).collect::<Vec<_>>(), [1, 1, 0, 0]);
}

#[test]
fn a_write_that_comes_to_another_node_crosses_twice() {
    let outcome = run(&plan(), vec![at(0, Op::Write, 2)]);
    assert_eq!(means(&outcome), [0, WRITE + 2 * CROSSING], "from node 0 to node 2, and the copy to node 3");
    // By volume, of which there is one, node 0 owns all.
    let mut by_volume = plan();
    by_volume["controller"]["nodes"]["ownership"] = json!({"by": "volume"});
    let writes = (0..4).map(|i| at(i * MS, Op::Write, i)).collect();
    let outcome = run(&by_volume, writes);
    assert_eq!(
        controller(&outcome).mesh.as_ref().unwrap().visits,
        4 + 3,
        "a copy each, and three cross before"
    );
}

#[test]
fn links_of_the_mesh_are_apart_and_pieces_of_a_request_take_turns() {
    // At one time two writes to node 0 and 1 of extents of nodes 2 and 3: four links, no wait but for none.
    let outcome = run(&plan(), vec![at(0, Op::Write, 2), at(0, Op::Write, 3)]);
    assert_eq!(controller(&outcome).mesh.as_ref().unwrap().wait_ns, 0);
    assert_eq!(means(&outcome)[1], WRITE + 2 * CROSSING);
    // 64 KiB in pieces of 8 KiB: each crosses behind the one before; the copy of each follows it.
    let mut divided = plan();
    divided["controller"]["split"] = json!({"bytes": 8192, "outstanding": 8});
    let outcome = run(&divided, vec![request(0, Op::Write, 2 << 20, 65_536)]);
    // A piece takes its turn when the one before has arrived.
    assert_eq!(means(&outcome)[1], WRITE + 8 * CROSSING + CROSSING);
}

#[test]
fn of_four_nodes_three_still_cache_writes_and_of_two_one_does_not() {
    let mut lost = plan();
    lost["controller"]["losses"] = json!([{"of": "controller", "at_s": 0.0005, "back_s": 0.5}]);
    let writes: Vec<Request> = (0..6).map(|i| at((1 + i) * MS, Op::Write, 3)).collect();
    let outcome = run(&lost, writes.clone());
    let loss = controller(&outcome).losses[0];
    assert_eq!((loss.of, loss.written_through), ("controller", 0));
    // Node 3 is lost, so that node 0 owns its extent: of nodes 0, 1 and 2 in turn two send it on, and all have a copy.
    assert_eq!(means(&outcome)[1] * 6, 6 * (WRITE + CROSSING) + 4 * CROSSING);
    assert_eq!(controller(&outcome).nodes[3].visits, 0);
    lost["controller"]["nodes"]["count"] = json!(2);
    let outcome = run(&lost, writes);
    assert_eq!(controller(&outcome).losses[0].written_through, 6);
}

#[test]
fn contradictions_are_refused() {
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut plan = plan();
        change(&mut plan["controller"]);
        refusal(&plan)
    };
    let at = |place: &str, code| (format!("controller.nodes.{place}"), code);
    assert_eq!(refused(&|c| c["nodes"]["count"] = json!(1)), at("count", "range"));
    assert_eq!(refused(&|c| c["nodes"]["count"] = json!(3)), at("count", "conflict"));
    assert_eq!(refused(&|c| c["nodes"]["mesh_bytes_per_s"] = json!(0.0)), at("mesh_bytes_per_s", "range"));
    let mirror = json!({"bandwidth_bytes_per_s": 1e9, "latency_s": 0.0});
    assert_eq!(refused(&|c| c["cache"]["mirror"] = mirror.clone()), at("count", "conflict"));
}
