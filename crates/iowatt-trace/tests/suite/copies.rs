//! Copies of a trace's address space: clones keep what a tenant does, stretching keeps its moments and runs.

use iowatt_trace::{CopiesSpec, Request, TraceSpec};
use proptest::prelude::*;

use crate::{error, read, spec};

const MIB: u64 = 1 << 20;

fn copied(clones: u32, stretch: u32, span_bytes: Option<u64>) -> TraceSpec {
    TraceSpec { copies: Some(CopiesSpec { clones, stretch, span_bytes }), seed: 7, ..spec("csv") }
}

fn text(rows: &[(u64, u64, u32)]) -> String {
    let line = |(time, offset, size): &(u64, u64, u32)| format!("{time},a,read,{offset},{size}\n");
    format!("time_ns,device,op,offset,size\n{}", rows.iter().map(line).collect::<String>())
}

fn trace(rows: &[(u64, u64, u32)], spec: &TraceSpec) -> Vec<Request> {
    read(text(rows).as_bytes(), spec).unwrap().0
}

fn any_rows() -> impl Strategy<Value = Vec<(u64, u64, u32)>> {
    let row = (0_u64..1_000_000, 0_u64..4096, 1_u32..64);
    prop::collection::vec(row, 1..60).prop_map(|mut rows| {
        rows.sort_unstable();
        rows.into_iter().map(|(time, offset, size)| (time, offset * 4096, size * 512)).collect()
    })
}

proptest! {
    #[test]
    fn each_clone_does_all_that_the_trace_does_from_a_moment_of_its_own(rows in any_rows(), clones in 1_u32..5) {
        let pitch = 20 * MIB;
        let made = trace(&rows, &copied(clones, 1, Some(pitch * u64::from(clones))));
        prop_assert_eq!(made.len(), rows.len() * clones as usize);
        prop_assert!(made.is_sorted_by_key(|request| request.time_ns));
        let last = rows[rows.len() - 1].0;
        for clone in 0..u64::from(clones) {
            let own: Vec<_> = made.iter().filter(|request| request.offset / pitch == clone).collect();
            let what = own.iter().map(|r| (r.offset % pitch, r.size)).collect::<Vec<_>>();
            let original = rows.iter().map(|&(_, offset, size)| (offset, size)).collect::<Vec<_>>();
            // The same order, as a circle.
            let turns = |from: usize| original[from..].iter().chain(&original[..from]).copied().collect::<Vec<_>>();
            prop_assert!((0..rows.len()).any(|from| turns(from) == what));
            prop_assert!(own.iter().all(|r| r.time_ns <= last + (last - rows[0].0) / rows.len().max(2) as u64 * 2 + 2));
        }
    }

    #[test]
    fn stretching_keeps_moments_sizes_and_places_in_the_address_space(rows in any_rows(), stretch in 2_u32..9) {
        let pitch = 20 * MIB;
        let made = trace(&rows, &copied(1, stretch, Some(pitch * u64::from(stretch))));
        let plain = made.iter().map(|r| (r.time_ns, r.offset % pitch, r.size)).collect::<Vec<_>>();
        let original = rows.iter().map(|&(time, offset, size)| (time, offset, size)).collect::<Vec<_>>();
        prop_assert_eq!(plain, original);
        prop_assert!(made.iter().all(|r| r.offset / pitch < u64::from(stretch)));
    }
}

#[test]
fn a_run_stays_in_its_address_space_and_visits_are_spread() {
    // 200 runs of 8 requests of 256 KiB across extents, at two places in turn that are far apart.
    let rows: Vec<_> =
        (0..1600_u64).map(|at| (at, (at / 8 % 40) * 64 * MIB + at % 8 * 256 * 1024, 256 * 1024)).collect();
    let pitch = 4096 * MIB;
    let made = trace(&rows, &copied(1, 4, Some(4 * pitch)));
    let mut held = [0; 4];
    for run in made.chunks(8) {
        assert!(run.iter().all(|r| r.offset / pitch == run[0].offset / pitch));
        held[(run[0].offset / pitch) as usize] += 1;
    }
    assert!(held.iter().all(|&runs| (30..=70).contains(&runs)), "{held:?}");
}

#[test]
fn without_a_span_address_spaces_follow_one_another() {
    let made = trace(&[(0, 3 * MIB, 512), (10, 0, 512)], &copied(2, 1, None));
    let mut spaces = made.iter().map(|r| r.offset / (4 * MIB)).collect::<Vec<_>>();
    spaces.sort_unstable();
    assert_eq!(spaces, [0, 0, 1, 1]);
}

#[test]
fn what_cannot_be_laid_out_is_refused() {
    let rows = text(&[(0, 3 * MIB, 4096)]);
    for (clones, stretch, span) in
        [(0, 1, None), (1, 0, None), (u32::MAX, 2, None), (2, 1, Some(MIB)), (2, 1, Some(6 * MIB))]
    {
        assert!(
            error(rows.as_bytes(), &copied(clones, stretch, span)).starts_with("out-of-range"),
            "{clones} {stretch} {span:?}"
        );
    }
    let mut limited = copied(2, 1, None);
    limited.limit_bytes = Some(7 * MIB);
    assert!(error(rows.as_bytes(), &limited).starts_with("out-of-range"));
}
