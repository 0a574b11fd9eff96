//! What is done to a trace on its way in, against answers worked out by hand and against laws.

use std::path::PathBuf;

use iowatt_trace::{
    Align, Combine, NO_RESPONSE, Op, Placement, Request, Seat, Summary, TraceError, TraceSpec,
    open as open_files,
};
use proptest::prelude::*;

use crate::{Said, drain, error, read, spec};

/// A headed table of (time, device, op, offset, size, response) in ns and bytes.
fn table(rows: &[(u64, &str, &str, u64, u32, i64)]) -> String {
    let line = |(time, device, op, offset, size, response): &(u64, &str, &str, u64, u32, i64)| {
        format!("{time},{device},{op},{offset},{size},{response}\n")
    };
    format!("time_ns,device,op,offset,size,response_ns\n{}", rows.iter().map(line).collect::<String>())
}

fn with(change: impl FnOnce(&mut TraceSpec)) -> TraceSpec {
    let mut spec = spec("csv");
    spec.device = Some("*".into());
    change(&mut spec);
    spec
}

const MIB: u64 = 1 << 20;

/// Files of one test, gone at its end.
struct Files(PathBuf);

impl Files {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("iowatt-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn part(&self, name: &str, text: &str) -> TraceSpec {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        let mut part = TraceSpec::new(path.to_str().unwrap());
        part.device = Some("*".into());
        part
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn combined(
    parts: Vec<TraceSpec>,
    change: impl FnOnce(&mut TraceSpec),
) -> Result<(Vec<Request>, Vec<String>, Summary), TraceError> {
    let mut spec = TraceSpec { parts, device: Some("*".into()), ..TraceSpec::new("all of them") };
    change(&mut spec);
    let mut source = open_files(&spec)?;
    let requests = drain(source.as_mut(), 3)?;
    Ok((requests, source.devices().to_vec(), source.summary().unwrap()))
}

fn times(requests: &[Request]) -> Vec<u64> {
    requests.iter().map(|r| r.time_ns).collect()
}

#[test]
fn merged_by_time_with_devices_kept_apart() {
    let files = Files::new("merge");
    // Both name their device 0.
    let parts = vec![
        files.part("hm.spc", "0,1,512,R,0.1\n0,2,512,R,0.3\n"),
        files.part("usr.spc", "0,9,512,W,0.2\n"),
    ];
    let (requests, devices, summary) = combined(parts.clone(), |_| ()).unwrap();
    assert_eq!(times(&requests), [100_000_000, 200_000_000, 300_000_000]);
    assert_eq!(requests.iter().map(|r| r.device).collect::<Vec<_>>(), [0, 1, 0]);
    assert_eq!(devices, ["hm:0", "usr:0"]);
    assert_eq!((summary.requests, summary.reads, summary.writes, summary.format.as_str()), (3, 2, 1, "spc"));
    assert!(summary.notes.iter().any(|n| n == "2 traces merged from a common beginning, devices kept apart"));
    assert!(summary.notes.iter().any(|n| n.starts_with("hm: blocks of 512 bytes")));
    // Unless it is said that they share the address space, or how they are placed in it, that is refused.
    let said = combined(parts, |spec| spec.device = None).err().unwrap().said();
    assert!(said.starts_with("ambiguous ") && said.contains("'hm:0' and 'usr:0'"), "{said}");
}

#[test]
fn a_long_gap_is_that_of_the_requests_that_come_out() {
    // 200 requests, 1 ms apart but for 10 s in their middle.
    let text: String =
        (0..200).map(|n| format!("0,{n},512,R,{}\n", n as f64 / 1e3 + f64::from(n / 100) * 10.0)).collect();
    let gap = |change: fn(&mut TraceSpec)| {
        let mut spec = spec("spc");
        change(&mut spec);
        read(text.as_bytes(), &spec).unwrap().1.long_gap
    };
    assert!(gap(|_| ()).unwrap().starts_with("a gap of 10 s from 99 ms on takes 98.1 %"));
    assert!(gap(|spec| spec.speed = Some(10.0)).unwrap().starts_with("a gap of 1 s from 9.9 ms on"));
    assert_eq!(gap(|spec| spec.to_s = Some(5.0)), None);
}

#[test]
fn clocks_are_kept_unless_the_start_is_to_be_common() {
    let files = Files::new("clocks");
    let stamp = |seconds: u64, lba: u32| format!("{},{lba},8,0,1\n", 1_538_323_200 + seconds);
    let (early, late) = (stamp(0, 1) + &stamp(2, 2), stamp(1, 3) + &stamp(3, 4));
    let parts = vec![files.part("late.csv", &late), files.part("early.csv", &early)];
    let (requests, _, summary) = combined(parts.clone(), |_| ()).unwrap();
    assert_eq!(times(&requests), [0, 1_000_000_000, 2_000_000_000, 3_000_000_000]);
    assert_eq!(requests.iter().map(|r| r.offset / 512).collect::<Vec<_>>(), [1, 3, 2, 4]);
    assert_eq!(summary.origin.as_deref(), Some("2018-09-30T16:00:00.000000000Z"));
    let (requests, ..) = combined(parts.clone(), |spec| spec.align = Align::Start).unwrap();
    assert_eq!(times(&requests), [0, 0, 2_000_000_000, 2_000_000_000]);

    let mixed = vec![parts[0].clone(), files.part("other.spc", "0,1,512,R,0.1\n")];
    let said = combined(mixed.clone(), |_| ()).err().unwrap().said();
    assert!(
        said.starts_with("not-comparable ") && said.contains("'late'") && said.contains("`clock=start`"),
        "{said}"
    );
    assert_eq!(combined(mixed, |spec| spec.align = Align::Start).unwrap().0.len(), 3);
}

#[test]
fn appended_one_behind_the_other_with_equal_names_the_same() {
    let files = Files::new("append");
    let parts = vec![
        files.part("day1.spc", "0,1,512,R,0.1\n0,2,512,R,0.3\n"),
        files.part("day2.spc", "0,3,512,R,0.0\n1,4,512,R,0.2\n"),
    ];
    let (requests, devices, _) = combined(parts, |spec| spec.combine = Combine::Append).unwrap();
    assert_eq!(times(&requests), [100_000_000, 300_000_000, 300_000_000, 500_000_000]);
    assert_eq!(devices, ["0", "1"]);

    let stamp = |seconds: u64| format!("{},1,8,0,1\n", 1_538_323_200 + seconds);
    let (first, second) = (files.part("a.csv", &(stamp(0) + &stamp(5))), files.part("b.csv", &stamp(60)));
    let (requests, ..) =
        combined(vec![first.clone(), second.clone()], |spec| spec.combine = Combine::Append).unwrap();
    assert_eq!(times(&requests), [0, 5_000_000_000, 60_000_000_000]); // the time between them is known
    let said = combined(vec![second, first], |spec| spec.combine = Combine::Append).err().unwrap().said();
    assert!(said.starts_with("out-of-order ") && said.contains("'a' begins before"), "{said}");
}

#[test]
fn devices_are_chosen_by_either_name_and_need_not_be_in_every_trace() {
    let files = Files::new("chosen");
    let parts = vec![
        files.part("hm.spc", "0,1,512,R,0.1\n1,2,512,R,0.2\n"),
        files.part("usr.spc", "0,3,512,R,0.3\n2,4,512,R,0.4\n2,5,512,R,0.5\n"),
    ];
    let chosen = |names: &[&str], combine| {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let found = combined(parts.clone(), |spec| {
            (spec.device, spec.devices, spec.combine) = (None, Some(names), combine);
        });
        found.map(|(requests, devices, summary)| {
            let lbas: Vec<u64> = requests.iter().map(|r| r.offset / 512).collect();
            assert_eq!(summary.requests, lbas.len() as u64);
            (lbas, devices)
        })
    };
    let (lbas, devices) = chosen(&["0"], Combine::Merge).unwrap();
    assert_eq!((lbas, devices), (vec![1, 3], vec!["hm:0".to_owned(), "usr:0".to_owned()]));
    let (lbas, devices) = chosen(&["usr:0", "1"], Combine::Merge).unwrap();
    assert_eq!((lbas, devices), (vec![2, 3], vec!["hm:1".to_owned(), "usr:0".to_owned()]));
    // In one of the days only.
    let (lbas, devices) = chosen(&["2"], Combine::Append).unwrap();
    assert_eq!((lbas, devices), (vec![4, 5], vec!["2".to_owned()]));
    let missing = chosen(&["0", "3"], Combine::Merge).unwrap_err().said();
    assert!(
        missing.starts_with("unknown-name ") && missing.contains("no trace has requests of device '3'"),
        "{missing}"
    );
}

#[test]
fn a_part_that_is_wrong_is_named() {
    let files = Files::new("wrong");
    let parts =
        vec![files.part("good.spc", "0,1,512,R,0.1\n"), files.part("bad.spc", "0,1,512,R,0.1\nrubbish\n")];
    let said = combined(parts, |_| ()).err().unwrap().said();
    assert!(
        said.starts_with("damaged ") && said.contains("bad.spc:2: expected at least 5 columns"),
        "{said}"
    );
}

#[test]
fn a_stretch_of_time_begins_at_0() {
    let text = table(&[(1, "a", "R", 0, 512, -1), (5, "a", "R", 512, 512, -1), (9, "a", "R", 0, 512, -1)]);
    let text = text.replace("time_ns", "time_s");
    let (requests, summary) =
        read(text.as_bytes(), &with(|s| (s.from_s, s.to_s) = (Some(4.0), Some(9.0)))).unwrap();
    assert_eq!(times(&requests), [1_000_000_000]);
    assert_eq!(summary.requests, 1);
    let (requests, _) = read(text.as_bytes(), &with(|s| s.from_s = Some(5.0))).unwrap();
    assert_eq!(times(&requests), [0, 4_000_000_000]);
    assert!(error(text.as_bytes(), &with(|s| s.from_s = Some(10.0))).starts_with("empty test: "));
    assert!(
        error(text.as_bytes(), &with(|s| (s.from_s, s.to_s) = (Some(4.0), Some(4.0))))
            .starts_with("out-of-range test: end is 4 s, not after")
    );
}

#[test]
fn time_is_scaled_and_response_times_are_not() {
    let text = table(&[(1000, "a", "R", 0, 512, 77), (2500, "a", "R", 512, 512, -1)]);
    let (requests, _) = read(text.as_bytes(), &with(|s| s.speed = Some(0.4))).unwrap();
    assert_eq!(times(&requests), [2500, 6250]);
    assert_eq!(requests[0].response_ns, 77);
    for speed in [0.0, -1.0, f64::NAN, 1e7] {
        assert!(
            error(text.as_bytes(), &with(|s| s.speed = Some(speed)))
                .starts_with("out-of-range test: speed is")
        );
    }
    let late = table(&[(1, "a", "R", 0, 512, 77), (1 << 60, "a", "R", 0, 512, 77)]);
    assert!(
        error(late.as_bytes(), &with(|s| (s.speed, s.from_s) = (Some(1e-6), Some(0.0))))
            .starts_with("out-of-range test: ")
    );
}

#[test]
fn cut_at_blocks_and_into_transfers() {
    let text = table(&[(7, "a", "W", 4096 - 512, 8192, 99), (8, "a", "R", 0, 4096, 5)]);
    let pieces = |change: fn(&mut TraceSpec)| {
        let (requests, summary) = read(text.as_bytes(), &with(change)).unwrap();
        (requests.iter().map(|r| (r.time_ns, r.offset, r.size, r.response_ns)).collect::<Vec<_>>(), summary)
    };
    let (blocks, summary) = pieces(|s| s.split_bytes = Some(4096));
    assert_eq!(
        blocks,
        [
            (7, 3584, 512, NO_RESPONSE),
            (7, 4096, 4096, NO_RESPONSE),
            (7, 8192, 3584, NO_RESPONSE),
            (8, 0, 4096, 5)
        ]
    );
    assert_eq!((summary.requests, summary.writes, summary.equal_stamps), (4, 3, 2));
    assert!(
        summary
            .notes
            .iter()
            .any(|n| n.starts_with("1 requests were cut at multiples of 4096 bytes, into 3;"))
    );
    let (transfers, _) = pieces(|s| s.max_transfer_bytes = Some(4096));
    assert_eq!(transfers, [(7, 3584, 4096, NO_RESPONSE), (7, 7680, 4096, NO_RESPONSE), (8, 0, 4096, 5)]);
    let (both, _) = pieces(|s| (s.split_bytes, s.max_transfer_bytes) = (Some(4096), Some(2048)));
    assert_eq!(both.iter().map(|p| p.2).collect::<Vec<_>>(), [512, 2048, 2048, 2048, 1536, 2048, 2048]);
    assert!(
        error(text.as_bytes(), &with(|s| s.split_bytes = Some(511)))
            .starts_with("out-of-range test: split is 511 bytes")
    );
    // The largest request in the smallest pieces comes out piece by piece.
    let large = table(&[(7, "a", "R", 1, u32::MAX, -1)]);
    let mut source = crate::open(large.as_bytes(), &with(|s| s.split_bytes = Some(512))).unwrap();
    let mut some = Vec::new();
    assert!(source.fill(&mut some, 3).unwrap());
    assert_eq!(
        some.iter().map(|r| (r.offset, r.size)).collect::<Vec<_>>(),
        [(1, 511), (512, 512), (1024, 512)]
    );
}

fn seat(device: &str, volume: Option<&str>, offset: Option<u64>) -> Seat {
    Seat { device: device.into(), volume: volume.map(str::to_owned), offset }
}

/// Device and offset of each request, and the names of the devices.
type Placed = (Vec<(u32, u64)>, Vec<String>);

/// `place` over two devices that reach 10 and 4096 bytes, measured where needed.
fn placed(seats: Vec<Seat>, align_bytes: u64) -> Result<Placed, String> {
    let files = Files::new(&format!("place-{align_bytes}-{}", seats.len()));
    let text = table(&[(1, "a", "R", 3, 7, -1), (2, "b", "W", 0, 4096, -1), (3, "a", "R", 0, 1, -1)]);
    let mut spec = files.part("t.csv", &text);
    spec.device = None; // placing says what several devices mean
    spec.place = Some(Placement { seats, align_bytes });
    let mut source = open_files(&spec).map_err(|e| e.said())?;
    let requests = drain(source.as_mut(), 2).map_err(|e| e.said())?;
    Ok((requests.iter().map(|r| (r.device, r.offset)).collect(), source.devices().to_vec()))
}

#[test]
fn devices_end_to_end_in_one_volume() {
    let (requests, volumes) = placed(vec![], MIB).unwrap();
    assert_eq!(requests, [(0, 3), (0, MIB), (0, 0)]);
    assert_eq!(volumes, ["volume"]);
    let (requests, _) = placed(vec![seat("b", None, None), seat("a", None, None)], 4096).unwrap();
    assert_eq!(requests, [(0, 4099), (0, 0), (0, 4096)]); // in the order that is given
}

#[test]
fn devices_at_offsets_and_in_named_volumes() {
    let (requests, volumes) =
        placed(vec![seat("a", Some("db"), Some(100)), seat("b", Some("log"), None)], MIB).unwrap();
    assert_eq!(requests, [(0, 103), (1, 0), (0, 100)]);
    assert_eq!(volumes, ["db", "log"]);
    let said = |seats| placed(seats, 1).unwrap_err();
    assert!(
        said(vec![seat("a", None, Some(0)), seat("b", None, Some(9))])
            .contains("device 'a' reaches byte 10, but the device")
    );
    assert!(placed(vec![seat("a", None, Some(0)), seat("b", None, Some(10))], 1).is_ok());
    assert!(said(vec![seat("a", None, Some(0)), seat("b", None, Some(0))]).starts_with("conflict "));
    assert!(said(vec![seat("a", None, Some(0)), seat("a", None, Some(1))]).starts_with("duplicate "));
    assert!(said(vec![seat("a", None, Some(0))]).starts_with("missing "));
    assert!(
        said(vec![seat("a", None, Some(1 << 63)), seat("b", None, Some(0))]).starts_with("out-of-range ")
    );
    assert!(placed(vec![], 0).unwrap_err().starts_with("out-of-range "));
}

#[test]
fn the_volume_ends_where_it_ends_once_devices_are_placed() {
    let files = Files::new("limit");
    let text = table(&[(1, "a", "R", 0, 4096, -1), (2, "b", "W", 0, 4096, -1)]);
    let mut spec = files.part("t.csv", &text);
    spec.place = Some(Placement { seats: vec![], align_bytes: 4096 });
    (spec.limit_bytes, spec.limit_name) = (Some(8191), Some("db".into()));
    let mut source = open_files(&spec).unwrap();
    let said = drain(source.as_mut(), 9).unwrap_err().said();
    assert!(
        said.starts_with("out-of-range ")
            && said.contains("a request ends at byte 8192, past the end of volume 'db' (8191 bytes)"),
        "{said}"
    );
    spec.limit_bytes = Some(8192);
    assert_eq!(drain(open_files(&spec).unwrap().as_mut(), 9).unwrap().len(), 2);
}

#[test]
fn what_can_be_read_once_only_is_not_measured() {
    let text = table(&[(1, "a", "R", 0, 512, -1)]);
    let end_to_end = with(|s| s.place = Some(Placement { seats: vec![], align_bytes: 1 }));
    assert!(error(text.as_bytes(), &end_to_end).starts_with("read-once test: "));
    let stdin = TraceSpec { path: "-".into(), ..end_to_end };
    assert!(open_files(&stdin).err().unwrap().said().starts_with("read-once "));
}

#[test]
fn several_devices_by_name() {
    let text = table(&[(1, "a", "R", 0, 512, -1), (2, "b", "R", 1, 512, -1), (3, "c", "R", 2, 512, -1)]);
    let these = |names: &[&str]| {
        let names = names.iter().map(|&n| n.to_owned()).collect();
        with(|s| (s.device, s.devices) = (None, Some(names)))
    };
    let (requests, _) = read(text.as_bytes(), &these(&["a", "c"])).unwrap();
    assert_eq!(requests.iter().map(|r| r.offset).collect::<Vec<_>>(), [0, 2]);
    assert!(error(text.as_bytes(), &these(&["a", "x"])).starts_with(
        "unknown-name test: there are no requests of device 'x'; the devices are 'a', 'b', 'c'"
    ));
}

#[test]
fn equal_stamps_are_spread_over_their_tick() {
    let rows: Vec<_> = (0..10_000).map(|i| (i / 1000 * 1_000_000_000, "a", "R", i * 512, 512, -1)).collect();
    let text = table(&rows);
    let spread = |seed| read(text.as_bytes(), &with(|s| (s.spread_s, s.seed) = (Some(1.0), seed))).unwrap();
    let (requests, summary) = spread(1);
    // The order is kept, every request stays in its second.
    assert!(
        requests
            .iter()
            .zip(&rows)
            .all(|(r, row)| r.offset == row.3 && r.time_ns / 1_000_000_000 == row.0 / 1_000_000_000)
    );
    assert!(requests.windows(2).all(|pair| pair[0].time_ns <= pair[1].time_ns));
    assert_eq!(
        summary.equal_stamps,
        requests.windows(2).filter(|p| p[0].time_ns == p[1].time_ns).count() as u64
    );
    // Uniform within it: Kolmogorov's distance at 10,000 is below 1.95 / 100 with probability 0.999.
    let mut within: Vec<f64> = requests.iter().map(|r| (r.time_ns % 1_000_000_000) as f64 / 1e9).collect();
    within.sort_by(f64::total_cmp);
    let distance =
        within.iter().enumerate().map(|(i, x)| (x - (i as f64 + 0.5) / 1e4).abs()).fold(0.0, f64::max);
    assert!(distance < 0.0195, "{distance}");
    // Gaps as of a Poisson process: their coefficient of variation is 1.
    let gaps: Vec<f64> = requests.windows(2).map(|p| (p[1].time_ns - p[0].time_ns) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|g| (g - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    assert!((variance.sqrt() / mean - 1.0).abs() < 0.05, "{}", variance.sqrt() / mean);
    // By the seed alone.
    assert_eq!(times(&spread(1).0), times(&requests));
    assert_ne!(times(&spread(2).0), times(&requests));
}

#[test]
fn a_tick_that_is_none_is_refused() {
    let text = table(&[(0, "a", "R", 0, 512, -1), (500, "a", "R", 0, 512, -1)]);
    let said = error(text.as_bytes(), &with(|s| s.spread_s = Some(1e-6)));
    assert!(
        said.starts_with("conflict ")
            && said.contains("stamps 500 ns apart are finer than the tick of 1000 ns"),
        "{said}"
    );
    assert!(
        error(text.as_bytes(), &with(|s| s.spread_s = Some(0.0)))
            .starts_with("out-of-range test: spread is less")
    );
    assert!(read(text.as_bytes(), &with(|s| s.spread_s = Some(500e-9))).is_ok());
}

#[test]
fn wrong_figures_are_refused() {
    let text = table(&[(0, "a", "R", 0, 512, -1)]);
    for seconds in [-1.0, f64::NAN, 2e9] {
        assert!(
            error(text.as_bytes(), &with(|s| s.spread_s = Some(seconds)))
                .starts_with("out-of-range test: spread is")
        );
        assert!(
            error(text.as_bytes(), &with(|s| s.from_s = Some(seconds)))
                .starts_with("out-of-range test: start is")
        );
        assert!(
            error(text.as_bytes(), &with(|s| s.to_s = Some(seconds)))
                .starts_with("out-of-range test: end is")
        );
    }
}

fn any_requests() -> impl Strategy<Value = String> {
    let row = (0_u64..50, 0_usize..3, any::<bool>(), 0_u64..1 << 24, 1_u32..1 << 18);
    proptest::collection::vec(row, 1..60).prop_map(|rows| {
        let mut clock = 0;
        let rows: Vec<_> = rows
            .into_iter()
            .map(|(gap, device, read, offset, size)| {
                clock += gap;
                (clock, ["a", "b", "c"][device], if read { "R" } else { "W" }, offset, size, 1)
            })
            .collect();
        table(&rows)
    })
}

proptest! {
    #[test]
    fn pieces_cover_their_request_exactly(text in any_requests(), block in 9_u32..20, most in 512_u64..100_000) {
        let (whole, _) = read(text.as_bytes(), &with(|_| ())).unwrap();
        let change = |s: &mut TraceSpec| (s.split_bytes, s.max_transfer_bytes) = (Some(1 << block), Some(most));
        let (pieces, _) = read(text.as_bytes(), &with(change)).unwrap();
        let mut pieces = pieces.iter();
        for request in &whole {
            let mut at = request.offset;
            while at < request.offset + u64::from(request.size) {
                let piece = pieces.next().unwrap();
                prop_assert_eq!((piece.offset, piece.time_ns, piece.op, piece.device), (at, request.time_ns, request.op, request.device));
                prop_assert!(u64::from(piece.size) <= most);
                prop_assert_eq!(piece.offset >> block, (piece.offset + u64::from(piece.size) - 1) >> block);
                at += u64::from(piece.size);
            }
            prop_assert_eq!(at, request.offset + u64::from(request.size));
        }
        prop_assert!(pieces.next().is_none());
    }

    #[test]
    fn merging_is_sorting(a in any_requests(), b in any_requests()) {
        let files = Files::new("merging");
        let parts = vec![files.part("a.csv", &a), files.part("b.csv", &b)];
        let (merged, _, summary) = combined(parts.clone(), |_| ()).unwrap();
        let mut expected: Vec<_> = parts.iter().enumerate().flat_map(|(part, spec)| {
            let requests = drain(open_files(spec).unwrap().as_mut(), 100).unwrap();
            requests.into_iter().enumerate().map(move |(at, r)| (r.time_ns, part, at, r.offset, r.size))
        }).collect();
        expected.sort_unstable();
        let expected: Vec<_> = expected.into_iter().map(|(t, _, _, o, s)| (t, o, s)).collect();
        prop_assert_eq!(summary.requests as usize, expected.len());
        prop_assert_eq!(merged.iter().map(|r| (r.time_ns, r.offset, r.size)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn limits_of_batches_do_not_matter(text in any_requests(), limit in 1_usize..5) {
        let spec = with(|s| {
            (s.spread_s, s.seed, s.speed, s.from_s) = (Some(1e-9), 3, Some(2.0), Some(20e-9));
            (s.split_bytes, s.max_transfer_bytes) = (Some(4096), Some(2048));
        });
        let whole = read(text.as_bytes(), &spec).map(|(requests, _)| requests).map_err(|e| e.said());
        let by_few = crate::open(text.as_bytes(), &spec).and_then(|mut source| drain(source.as_mut(), limit));
        prop_assert_eq!(by_few.map_err(|e| e.said()), whole);
    }
}

#[test]
fn trims_are_cut_and_flushes_are_not() {
    let text = table(&[(1, "a", "trim", 0, 8192, -1), (2, "a", "flush", 0, 0, -1)]);
    let (requests, _) =
        read(text.as_bytes(), &with(|s| (s.split_bytes, s.include_other) = (Some(4096), true))).unwrap();
    assert_eq!(
        requests.iter().map(|r| (r.op, r.size)).collect::<Vec<_>>(),
        [(Op::Trim, 4096), (Op::Trim, 4096), (Op::Flush, 0)]
    );
}
