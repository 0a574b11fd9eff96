//! Clusters: what a request passes, what crosses the network, nodes that fail, join and leave (docs/models/cluster.md).
#![allow(clippy::unwrap_used)] // tests fail by panicking

use crate::common::cluster::{CHUNKLET, OBJECT, Size, cluster, data, recover};
use crate::common::{Lcg, MS, S, given, poisson, refusal, request, run, solid, try_run};
use iowatt_sim::{Column, Outcome, SimError};
use iowatt_trace::{Op, Request};
use serde_json::{Value, json};

const SMALL: Size = Size { racks: 1, nodes: 3, drives: 1 };

/// One request at a time, far apart.
fn apart(op: Op, count: u64, size: u32, span: u64) -> Vec<Request> {
    let mut random = Lcg(5);
    let slots = span / u64::from(size);
    (0..count).map(|i| request(i * S, op, random.below(slots) * u64::from(size), size)).collect()
}

fn volume(plan: &Value) -> u64 {
    plan["volumes"][0]["capacity_bytes"].as_u64().unwrap()
}

/// A cluster of SSDs whose reads and writes of 4 KiB always take the same.
fn steady() -> Value {
    let mut plan = cluster(SMALL, ("1", 3), 60, "node");
    plan["pools"][0]["device"] = solid::sheet();
    plan
}

fn mean_ns(outcome: &Outcome) -> f64 {
    outcome.summary.total.response.all.mean_s * 1e9
}

/// What the drives alone take, where nodes and networks take no time.
fn free(plan: &Value) -> Value {
    let mut plan = plan.clone();
    let class = &mut plan["clusters"][0]["classes"][0];
    for key in ["request_s", "operation_s", "code_byte_s"] {
        class[key] = json!(0.0);
    }
    class["front_bytes_per_s"] = Value::Null;
    class["back_bytes_per_s"] = Value::Null;
    for key in ["client_latency_s", "rack_latency_s", "core_latency_s"] {
        plan["clusters"][0]["network"][key] = json!(0.0);
    }
    plan
}

/// A read: the request (its message takes no time of a port) 20 us, 100 us of processor, 50 us for the operation, the drive,
/// 4,096 and 200 bytes at 1 GB/s, 20 us.
#[test]
fn a_read_passes_network_processors_and_drive() {
    let plan = steady();
    let reads = apart(Op::Read, 50, 4096, volume(&plan));
    let drive = mean_ns(&run(&free(&plan), reads.clone()));
    let outcome = run(&plan, reads);
    assert!((mean_ns(&outcome) - drive - (20e3 + 100e3 + 50e3 + 4296.0 + 20e3)).abs() < 1.0);
    let nodes = &outcome.summary.clusters[0].nodes;
    assert_eq!(nodes.iter().map(|n| n.requests).sum::<u64>(), 50);
    assert_eq!(nodes.iter().map(|n| n.front.bytes_out).sum::<u64>(), 50 * 4296);
    assert_eq!(nodes.iter().map(|n| n.front.bytes_in).sum::<u64>(), 50 * 200);
    assert_eq!(nodes.iter().map(|n| n.back.unwrap().bytes_out).sum::<u64>(), 0, "the primary's own drive");
    let busy: u64 = nodes.iter().map(|n| n.processor_busy_ns).sum();
    assert_eq!(busy, 50 * 150_000);
}

/// A write of three copies: 20 us and 4,296 bytes in, 100 us; then the second of two messages of 8,592 ns each out of the
/// primary's back port, 5 us, 50 us, its drive, and 5.4 us for the answer to the primary; 0.2 and 20 us for the client's.
#[test]
fn a_write_waits_for_the_last_replica() {
    let plan = steady();
    let writes = apart(Op::Write, 50, 4096, volume(&plan));
    let drive = mean_ns(&run(&free(&plan), writes.clone()));
    let outcome = run(&plan, writes.clone());
    let network = 20e3 + 4296.0 + 100e3 + 2.0 * 8592.0 + 5e3 + 50e3 + 5.4e3 + 200.0 + 20e3;
    assert!((mean_ns(&outcome) - drive - network).abs() < 1.0, "{}", mean_ns(&outcome) - drive);
    let nodes = &outcome.summary.clusters[0].nodes;
    assert_eq!(nodes.iter().map(|n| n.operations).sum::<u64>(), 150);
    assert_eq!(nodes.iter().map(|n| n.back.unwrap().bytes_in).sum::<u64>(), 50 * 2 * (4296 + 200));

    // One copy is enough: the primary's own, whose operation takes 50 us.
    let mut early = plan.clone();
    early["clusters"][0]["pools"][0]["acks"] = json!(1);
    let network = 20e3 + 4296.0 + 100e3 + 50e3 + 200.0 + 20e3;
    let outcome = run(&early, writes.clone());
    assert!((mean_ns(&outcome) - drive - network).abs() < 1.0);
    assert_eq!(outcome.summary.devices.iter().map(|d| d.writes).sum::<u64>(), 150, "the others follow");

    // Along a pipeline: 50 us at the first node, then twice 8,592 ns, 5 and 50 us; answers of 5.4 us twice.
    let mut pipeline = plan;
    pipeline["clusters"][0]["pools"][0]["copying"] = json!("pipeline");
    let network = 20e3 + 4296.0 + 100e3 + 50e3 + 2.0 * (8592.0 + 5e3 + 50e3 + 5.4e3) + 200.0 + 20e3;
    let outcome = run(&pipeline, writes);
    assert!((mean_ns(&outcome) - drive - network).abs() < 1.0, "{}", mean_ns(&outcome) - drive);
}

/// Between racks: the core's latency, and uplinks, which several messages share.
#[test]
fn messages_between_racks_pass_the_uplinks() {
    let mut plan = cluster(Size { racks: 3, nodes: 1, drives: 1 }, ("1", 3), 60, "rack");
    plan["pools"][0]["device"] = solid::sheet();
    let writes = apart(Op::Write, 20, 4096, volume(&plan));
    let without = mean_ns(&run(&plan, writes.clone()));
    plan["clusters"][0]["network"]["uplink_bytes_per_s"] = json!(100e6);
    let outcome = run(&plan, writes);
    // 4,096 bytes at 100 MB/s: 40.96 us, of which 8.592 pass with the sender's port; the second waits for the first.
    let more = mean_ns(&outcome) - without;
    assert!((more - (2.0 * 40_960.0 - 2.0 * 8592.0)).abs() < 10.0, "{more}");
    let links = &outcome.summary.clusters[0].uplinks;
    assert_eq!(links.iter().map(|l| l.bytes_out).sum::<u64>(), 20 * 2 * 4096);
}

/// Operations are those of an array's set: replicas, RAID-5 and RAID-6 alike; a request is divided by objects.
#[test]
fn operations_are_those_of_the_sets() {
    for (level, members, reads, writes) in [("1", 3, 0, 3), ("5", 4, 2, 2), ("6", 6, 3, 3), ("ec", 6, 3, 3)] {
        let plan = cluster(Size { racks: 2, nodes: 4, drives: 2 }, (level, members), 40, "node");
        let outcome = run(&plan, apart(Op::Write, 100, 4096, volume(&plan)));
        let d = &outcome.summary.devices;
        assert_eq!(d.iter().map(|d| d.reads).sum::<u64>(), 100 * reads, "level {level}");
        assert_eq!(d.iter().map(|d| d.writes).sum::<u64>(), 100 * writes, "level {level}");
        let whole = OBJECT * data(level, members as u64);
        let outcome = run(&plan, apart(Op::Write, 20, whole as u32, volume(&plan)));
        let d = &outcome.summary.devices;
        assert_eq!(d.iter().map(|d| d.bytes_written).sum::<u64>(), 20 * OBJECT * members as u64);
        assert_eq!(d.iter().map(|d| d.reads).sum::<u64>(), 0, "whole stripes of level {level}");
        let outcome = run(&plan, apart(Op::Read, 20, 4 * OBJECT as u32, volume(&plan)));
        assert_eq!(outcome.summary.devices.iter().map(|d| d.bytes_read).sum::<u64>(), 80 * OBJECT);
    }
}

#[test]
fn any_replica_may_serve_reads() {
    let mut plan = steady();
    plan["clusters"][0]["pools"][0]["reads"] = json!("any");
    let outcome = run(&plan, apart(Op::Read, 300, 4096, OBJECT));
    let served: Vec<u64> = outcome.summary.clusters[0].nodes.iter().map(|n| n.requests).collect();
    assert!(served.iter().all(|&n| n > 60), "of one object: {served:?}");
    plan["clusters"][0]["pools"][0]["reads"] = json!("primary");
    let outcome = run(&plan, apart(Op::Read, 300, 4096, OBJECT));
    let served = outcome.summary.clusters[0].nodes.iter().filter(|n| n.requests > 0).count();
    assert_eq!(served, 1);
}

fn busy(plan: &Value, count: usize) -> Vec<Request> {
    poisson(3, count, 200.0, 0.5, 65_536, volume(plan))
}

/// A node fails: what it held is restored to others, over the network, and requests go on.
#[test]
fn a_node_fails_and_its_members_are_restored() {
    for (level, members) in [("1", 3), ("5", 4), ("6", 6), ("ec", 5)] {
        let mut plan = cluster(Size { racks: 2, nodes: 4, drives: 2 }, (level, members), 40, "node");
        recover(&mut plan, &[(15, 40.0)], None);
        plan["clusters"][0]["failures"] = json!([{"unit": "node", "index": 1, "at_s": 1.0}]);
        plan["observe"]["end_s"] = json!(90.0);
        let outcome = run(&plan, busy(&plan, 4_000));
        let s = &outcome.summary;
        assert_eq!(s.total.completed, 4_000);
        assert_eq!(s.rebuilds.len(), 3, "two drives of the node, and one");
        for lost in &s.rebuilds {
            assert!(lost.finished_ns.is_some() && lost.rebuilt_bytes == lost.lost_bytes, "{level} {lost:?}");
        }
        let pool = &s.clusters[0].pools[0];
        assert_eq!((pool.members, pool.drives), (40 * members as u64, 13));
        assert!(s.clusters[0].nodes[1].operations < s.clusters[0].nodes[0].operations / 2);
        // The rest of the node's members, 2 drives of 16, went to others.
        let restored: u64 = s.rebuilds.iter().map(|lost| lost.rebuilt_bytes).sum();
        let received: u64 = s.clusters[0].nodes.iter().map(|n| n.back.unwrap().bytes_in).sum();
        assert!(received >= restored, "read from other nodes: {received} {restored}");
    }
}

/// Two of three replicas go with their rack where the failure domain is the node, and none where it is the rack.
#[test]
fn a_failure_domain_keeps_data() {
    let mut plan = cluster(Size { racks: 3, nodes: 3, drives: 2 }, ("1", 2), 40, "rack");
    recover(&mut plan, &[], None);
    plan["clusters"][0]["failures"] = json!([{"unit": "rack", "index": 1, "at_s": 0.5}]);
    plan["observe"]["end_s"] = json!(60.0);
    let outcome = run(&plan, busy(&plan, 500));
    assert_eq!(outcome.summary.total.completed, 500);
    assert!(outcome.summary.rebuilds.iter().all(|lost| lost.finished_ns.is_some()));
    plan["clusters"][0]["pools"][0]["failure_domain"] = json!("node");
    let lost = try_run(&plan, vec![given(busy(&plan, 500))]).map(|_| ());
    assert!(matches!(lost, Err(SimError::DataLost { pool: 0, .. })), "{lost:?}");
}

/// Space without a volume is neither restored nor moved: what is lost is the share of the volumes, to the byte.
#[test]
fn only_data_of_volumes_is_restored_and_moved() {
    for (level, members) in [("1", 3), ("5", 4), ("ec", 5)] {
        let mut plan = cluster(Size { racks: 1, nodes: 6, drives: 2 }, (level, members), 40, "node");
        recover(&mut plan, &[(0, 1.0)], Some(20e6));
        plan["clusters"][0]["nodes"][5]["joins_at_s"] = json!(40.0);
        plan["observe"]["end_s"] = json!(90.0);
        let usable = volume(&plan);
        let stripe = data(level, members as u64) * OBJECT;
        let (mut lost, mut moved, mut took) = (vec![], vec![], vec![]);
        // All, a quarter, and three stripes, which 37 of the 40 groups have no part of.
        for bytes in [usable, usable / 4, 3 * stripe] {
            plan["volumes"][0]["capacity_bytes"] = json!(bytes);
            let outcome = run(&plan, poisson(3, 200, 200.0, 0.5, 65_536, bytes));
            let (row, pool) = (outcome.summary.rebuilds[0], &outcome.summary.clusters[0].pools[0]);
            assert_eq!(row.rebuilt_bytes, row.lost_bytes, "{level}");
            assert_eq!(pool.moves[0].moved, pool.moves[0].members);
            assert_eq!(pool.members, 40 * members as u64, "groups without data have new places too");
            assert_eq!(outcome.summary.total.completed, 200);
            lost.push(row.lost_bytes);
            moved.push(pool.moves[0].moved_bytes);
            took.push(row.finished_ns.unwrap() - row.failed_ns);
        }
        assert_eq!((lost[1], moved[1]), (lost[0] / 4, moved[0] / 4));
        assert!(lost[2] + moved[2] <= 6 * members as u64 * OBJECT, "{level}: {lost:?} {moved:?}");
        assert!(took.is_sorted_by(|more, less| more > less), "{level}: {took:?}");
    }
}

/// Nothing is lost with groups that have no data.
#[test]
fn groups_without_data_lose_none() {
    let mut plan = cluster(Size { racks: 3, nodes: 3, drives: 2 }, ("1", 2), 40, "node");
    recover(&mut plan, &[], None);
    plan["clusters"][0]["failures"] = json!([{"unit": "rack", "index": 1, "at_s": 0.5}]);
    plan["volumes"][0]["capacity_bytes"] = json!(OBJECT);
    plan["observe"]["end_s"] = json!(10.0);
    let outcome = run(&plan, apart(Op::Read, 2, 4096, 4096));
    let lost: u64 = outcome.summary.rebuilds.iter().map(|row| row.lost_bytes).sum();
    assert!(lost <= OBJECT && outcome.summary.total.completed == 2, "{lost}");
}

/// By interval, the time that the processors of the one kind of nodes worked.
fn work(outcome: &Outcome) -> Vec<u64> {
    let of = |(name, column): &(&str, Column)| match column {
        Column::U64(values) if *name == "node_busy_ns" => Some(values.clone()),
        _ => None,
    };
    outcome.intervals.iter().find_map(of).unwrap()
}

/// The work of processors adds up over the intervals, whatever the window cuts; before a failure it is that of the sound
/// run, and recovery adds to it when it goes on.
#[test]
fn work_of_processors_is_in_its_intervals() {
    for (warmup, end) in [(0.0_f64, 20.0), (0.7, 7.000_05), (2.5, 3.1)] {
        let mut plan = cluster(Size { racks: 2, nodes: 4, drives: 2 }, ("1", 3), 40, "node");
        plan["observe"] = json!({"warmup_s": warmup, "end_s": end, "interval_s": 0.5});
        plan["clusters"][0]["classes"][0]["operation_s"] = json!(2e-3);
        recover(&mut plan, &[], Some(4e6));
        let requests = busy(&plan, 1_000);
        let sound = run(&plan, requests.clone());
        plan["clusters"][0]["failures"] = json!([{"unit": "node", "index": 1, "at_s": 3.0}]);
        let failing = run(&plan, requests);
        for outcome in [&sound, &failing] {
            let nodes = &outcome.summary.clusters[0].nodes;
            let busy: u64 = nodes.iter().map(|n| n.processor_busy_ns).sum();
            assert_eq!(work(outcome).iter().sum::<u64>(), busy);
        }
        let before = ((3.0 - warmup) / 0.5).floor() as usize;
        assert_eq!(work(&sound)[..before], work(&failing)[..before]);
        if end == 20.0 {
            // Requests end after 5 s.
            assert_eq!(work(&sound)[12..].iter().sum::<u64>(), 0);
            assert!(work(&failing)[12..].iter().sum::<u64>() > 0);
        }
    }
}

/// A slower throttle takes longer.
#[test]
fn recovery_keeps_to_the_rate_of_each_drive() {
    let mut last = 0;
    for rate in [None, Some(10e6), Some(2e6)] {
        let mut plan = cluster(Size { racks: 1, nodes: 5, drives: 2 }, ("1", 2), 60, "node");
        recover(&mut plan, &[(0, 0.0)], rate);
        plan["observe"]["end_s"] = json!(600.0);
        let outcome = run(&plan, vec![]);
        let lost = outcome.summary.rebuilds[0];
        let took = lost.finished_ns.unwrap() - lost.failed_ns;
        assert!(took > last, "{rate:?}: {took} after {last}");
        last = took;
        if let Some(rate) = rate {
            // Of 9 drives some got two chunklets or more; each takes its bytes over the rate, but the last step.
            let least = CHUNKLET as f64 / rate * 1e9;
            assert!(took as f64 >= least && took as f64 <= 6.0 * least, "{took} {least}");
        }
    }
}

/// A node joins: it gets its share, from the others alone, and is dark until then; another leaves and is empty.
#[test]
fn nodes_join_and_leave() {
    let size = Size { racks: 1, nodes: 6, drives: 2 };
    let mut plan = cluster(size, ("1", 3), 100, "node");
    recover(&mut plan, &[], None);
    plan["clusters"][0]["nodes"][5]["joins_at_s"] = json!(2.0);
    plan["observe"]["end_s"] = json!(100.0);
    let outcome = run(&plan, busy(&plan, 4_000));
    let s = &outcome.summary;
    assert_eq!(s.total.completed, 4_000);
    let pool = &s.clusters[0].pools[0];
    assert_eq!(pool.moves.len(), 1);
    let moves = pool.moves[0];
    assert_eq!((moves.node, moves.at_ns, moves.members, moves.moved), (5, 2 * S, 50, 50), "300 over 6");
    assert_eq!(moves.moved_bytes, 50 * CHUNKLET);
    assert!(moves.finished_ns.unwrap() > 2 * S + 100 * MS);
    assert_eq!((pool.least_of_drive, pool.most_of_drive, pool.drives), (25, 25, 12));
    let dark = &s.devices[10];
    assert_eq!(dark.state_ns["standby"], 2 * S, "{:?}", dark.state_ns);
    assert_eq!(dark.state_ns.values().sum::<u64>(), 100 * S);
    assert!(s.rebuilds.is_empty() && s.clusters[0].nodes[5].requests > 0);

    plan["clusters"][0]["nodes"][0]["leaves_at_s"] = json!(20.0);
    let outcome = run(&plan, busy(&plan, 4_000));
    let pool = &outcome.summary.clusters[0].pools[0];
    assert_eq!(pool.moves[0].node, 5, "in order of time");
    let left = pool.moves.iter().find(|m| m.node == 0).unwrap();
    assert_eq!((left.members, left.moved), (50, 50));
    // Of 30 each; where no drive that lacks one takes a member, because its group is there, another does.
    assert!(pool.least_of_drive >= 29 && pool.most_of_drive <= 31 && pool.drives == 10);
    assert_eq!(outcome.summary.total.completed, 4_000);
}

/// Nodes that join at one time are one change of the map; when one joins later, what has not begun to move is planned anew.
#[test]
fn nodes_that_join_move_their_share_once() {
    let size = Size { racks: 1, nodes: 8, drives: 2 };
    for last in [2.0, 2.5] {
        let mut plan = cluster(size, ("1", 3), 100, "node");
        recover(&mut plan, &[], Some(20e6));
        for (node, at) in [(5, 2.0), (6, 2.0), (7, last)] {
            plan["clusters"][0]["nodes"][node]["joins_at_s"] = json!(at);
        }
        plan["observe"]["end_s"] = json!(100.0);
        let outcome = run(&plan, busy(&plan, 1_000));
        let pool = &outcome.summary.clusters[0].pools[0];
        assert_eq!(pool.moves.iter().map(|m| m.node).collect::<Vec<_>>(), [5, 6, 7]);
        for moves in &pool.moves {
            assert!(moves.moved == moves.members && moves.finished_ns.is_some(), "{moves:?}");
        }
        // Three of eight shares of 300, in whole members.
        let moved: u64 = pool.moves.iter().map(|m| m.moved).sum();
        assert!((moved as f64 / 112.5 - 1.0).abs() <= 0.05, "{last}: {moved}");
        assert!(pool.least_of_drive >= 18 && pool.most_of_drive <= 19 && pool.drives == 16);
        assert_eq!(pool.members, 300);
    }
}

/// A node that leaves while another's members are restored to it is empty afterwards.
#[test]
fn a_node_that_leaves_gets_nothing_any_more() {
    let size = Size { racks: 1, nodes: 6, drives: 2 };
    let mut plan = cluster(size, ("1", 3), 80, "node");
    recover(&mut plan, &[], Some(20e6));
    plan["clusters"][0]["failures"] = json!([{"unit": "node", "index": 0, "at_s": 1.0}]);
    plan["clusters"][0]["nodes"][1]["leaves_at_s"] = json!(1.5);
    plan["observe"]["end_s"] = json!(200.0);
    let later =
        busy(&plan, 1_000).into_iter().map(|r| Request { time_ns: r.time_ns + 100 * S, ..r }).collect();
    let outcome = run(&plan, later);
    let s = &outcome.summary;
    assert!(s.rebuilds.iter().all(|lost| lost.finished_ns.is_some_and(|at| at < 100 * S)));
    assert!(s.clusters[0].pools[0].moves[0].finished_ns.is_some_and(|at| at < 100 * S));
    let requests: Vec<u64> = s.clusters[0].nodes.iter().map(|node| node.requests).collect();
    assert_eq!(requests[..2], [0, 0], "they serve nothing");
    assert_eq!(requests.iter().sum::<u64>(), 1_000);
}

/// What is moving when its old or its new drive fails is restored all the same.
#[test]
fn drives_fail_while_members_move() {
    for drive in [0, 3, 10, 11] {
        let mut plan = cluster(Size { racks: 1, nodes: 6, drives: 2 }, ("1", 3), 100, "node");
        recover(&mut plan, &[(drive, 2.3)], Some(20e6));
        plan["clusters"][0]["nodes"][5]["joins_at_s"] = json!(2.0);
        plan["observe"]["end_s"] = json!(200.0);
        let outcome = run(&plan, busy(&plan, 2_000));
        let s = &outcome.summary;
        assert_eq!(s.total.completed, 2_000);
        let moves = s.clusters[0].pools[0].moves[0];
        assert_eq!(moves.moved, moves.members, "drive {drive}");
        assert!(
            s.rebuilds.iter().all(|lost| lost.finished_ns.is_some() && lost.rebuilt_bytes == lost.lost_bytes)
        );
        assert_eq!(s.clusters[0].pools[0].members, 300);
    }
}

#[test]
fn plans_that_cannot_be_are_refused() {
    let fine = || cluster(Size { racks: 2, nodes: 2, drives: 2 }, ("1", 3), 10, "node");
    type Change = fn(&mut Value);
    let cases: [(Change, &str, &str); 7] = [
        (
            |p| p["clusters"][0]["pools"][0]["failure_domain"] = json!("rack"),
            "clusters[0].pools[0].failure_domain",
            "count",
        ),
        (|p| p["clusters"][0]["pools"][0]["acks"] = json!(4), "clusters[0].pools[0].acks", "range"),
        (|p| p["clusters"][0]["nodes"][0]["class"] = json!(1), "clusters[0].nodes[0].class", "reference"),
        (
            |p| p["clusters"][0]["pools"][0]["node_of_drive"] = json!([0, 1]),
            "clusters[0].pools[0].node_of_drive",
            "count",
        ),
        (
            |p| p["clusters"][0]["failures"] = json!([{"unit": "node", "index": 9, "at_s": 1.0}]),
            "clusters[0].failures[0].index",
            "reference",
        ),
        (
            |p| p["clusters"][0]["nodes"][0]["joins_at_s"] = json!(1.0),
            "clusters[0].pools[0].pool",
            "conflict",
        ),
        (
            |p| {
                p["pools"][0].as_object_mut().unwrap().remove("chunklets");
            },
            "clusters[0].pools[0].pool",
            "conflict",
        ),
    ];
    for (change, field, code) in cases {
        let mut plan = fine();
        change(&mut plan);
        assert_eq!(refusal(&plan), (field.to_owned(), code));
    }
}
