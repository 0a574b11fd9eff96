//! The checks that every request passes, over files and over rows.

use iowatt_trace::{Op, Rows, TraceSpec, from_rows};

use crate::{Said, drain, error, open, read, spec};

const SPC: &str = "0,0,512,R,0.0\n1,8,512,W,0.001\n0,16,512,R,0.002\n";

#[test]
fn one_device_unless_told_otherwise() {
    let said = error(SPC.as_bytes(), &spec("spc"));
    assert!(
        said.starts_with("ambiguous test:2: the trace holds more than one device: '0' and '1'"),
        "{said}"
    );
    assert!(said.contains("`device=0`") && said.contains("`device=*`"));

    let with = |device: &str| {
        let mut spec = spec("spc");
        spec.device = Some(device.into());
        spec
    };
    let (all, _) = read(SPC.as_bytes(), &with("*")).unwrap();
    assert_eq!(all.iter().map(|r| r.device).collect::<Vec<_>>(), [0, 1, 0]);
    let (one, summary) = read(SPC.as_bytes(), &with("1")).unwrap();
    assert_eq!(one.iter().map(|r| (r.time_ns, r.offset)).collect::<Vec<_>>(), [(1_000_000, 4096)]);
    assert_eq!(summary.requests, 1);
    assert_eq!(
        error(SPC.as_bytes(), &with("7")),
        "unknown-name test: there are no requests of device '7'; the devices are '0', '1'"
    );
}

#[test]
fn a_device_first_named_by_a_bad_record_is_not_lost() {
    // The first line interns device 5 and is then refused for its size.
    let text = "5,0,0,R,0.0\n6,8,512,W,0.001\n5,16,512,R,0.002\n";
    let mut spec = spec("spc");
    spec.skip_bad = 1;
    assert!(
        error(text.as_bytes(), &spec)
            .starts_with("ambiguous test:3: the trace holds more than one device: '6' and '5'")
    );
}

#[test]
fn two_devices_of_one_trace_keep_their_time_relation() {
    let text = "128166372003061629,hm,0,Read,0,512,1\n128166372013061629,hm,1,Read,0,512,1\n";
    let mut spec = spec("msr");
    spec.device = Some("hm.1".into());
    let (requests, summary) = read(text.as_bytes(), &spec).unwrap();
    assert_eq!(requests[0].time_ns, 1_000_000_000); // 10^7 ticks after the other device's
    assert_eq!(summary.origin.as_deref(), Some("2007-02-22T17:00:00.306162900Z"));
}

#[test]
fn past_the_end_of_the_volume() {
    let mut spec = spec("spc");
    spec.device = Some("0".into());
    spec.limit_bytes = Some(8192);
    spec.limit_name = Some("db".into());
    spec.skip_bad = 9; // such a request is no malformed record
    assert_eq!(
        error(SPC.as_bytes(), &spec),
        "out-of-range test:3: the request at offset 8192 ends at byte 8704, past the end of volume 'db' (8192 bytes)"
    );
    spec.limit_bytes = Some(8704);
    assert_eq!(read(SPC.as_bytes(), &spec).unwrap().0.len(), 2);
}

#[test]
fn malformed_records_are_errors_or_are_counted() {
    let text = "0,0,512,R,0.0\nrubbish\n0,8,0,R,0.5\n0,8,512,R,0.6\n";
    let mut spec = spec("spc");
    assert!(error(text.as_bytes(), &spec).starts_with("damaged test:2: expected at least 5 columns"));
    spec.skip_bad = 1;
    assert!(error(text.as_bytes(), &spec).starts_with("out-of-range test:3: the size is zero"));
    assert!(error(text.as_bytes(), &spec).ends_with("(`skip_bad=1` are used up)"));
    spec.skip_bad = 2;
    let (requests, summary) = read(text.as_bytes(), &spec).unwrap();
    assert_eq!((requests.len(), summary.skipped_bad), (2, 2));
    assert_eq!(summary.first_bad[1], "3: the size is zero; a request moves at least one byte");
}

#[test]
fn sizes_and_ends_that_do_not_fit() {
    let csv = |offset: &str, size: &str| format!("time_ns,op,offset,size\n0,R,{offset},{size}\n");
    let said = |offset, size| error(csv(offset, size).as_bytes(), &spec("csv"));
    assert!(
        said("0", "4294967296")
            .contains("out-of-range test:2: a size of 4294967296 bytes is not accepted; at most 4294967295")
    );
    assert!(said("9223372036854775808", "1").starts_with("out-of-range test:2: offset "));
    assert!(said("9223372036854775807", "2").starts_with("out-of-range test:2: offset "));
    assert!(said("18446744073709551615", "1").starts_with("out-of-range test:2: offset "));
    assert!(read(csv("9223372036854775807", "1").as_bytes(), &spec("csv")).is_ok());
}

#[test]
fn time_going_backwards() {
    let text = "0,0,512,R,1.0\n0,8,512,R,1.0005\n0,16,512,R,0.9995\n0,24,512,R,1.0005\n";
    let (requests, summary) = read(text.as_bytes(), &spec("spc")).unwrap();
    assert_eq!(requests.iter().map(|r| r.offset / 4096).collect::<Vec<_>>(), [2, 0, 1, 3]);
    assert_eq!((summary.reordered, summary.equal_stamps), (1, 1));

    let mut strict = spec("spc");
    strict.order_tolerance_s = Some(0.0);
    assert!(
        error(text.as_bytes(), &strict)
            .starts_with("out-of-order test:3: time goes back by 0.001 s, more than the tolerance of 0 s")
    );
    strict.order_tolerance_s = Some(f64::NAN);
    assert!(error(text.as_bytes(), &strict).starts_with("out-of-range test: order_tolerance is NaN"));
}

#[test]
fn each_format_has_the_tolerance_of_its_practice() {
    // Half a second back: usual for MSR, an error for SPC.
    let msr = "128166372003061629,hm,0,Read,0,512,1\n128166371998061629,hm,0,Read,0,512,1\n";
    let (requests, summary) = read(msr.as_bytes(), &spec("msr")).unwrap();
    assert_eq!(requests.iter().map(|r| r.time_ns).collect::<Vec<_>>(), [0, 500_000_000]);
    assert_eq!(summary.reordered, 1);
    assert!(
        error(b"0,0,512,R,1.0\n0,8,512,R,0.5\n", &spec("spc"))
            .starts_with("out-of-order test:2: time goes back by 0.5 s")
    );
}

#[test]
fn unix_stamps_are_rebased_and_small_ones_kept() {
    let header = "time_s,op,offset,size\n";
    let late = format!("{header}1456095145.133076001,R,0,512\n1456095146.133076001,R,0,512\n");
    let (requests, summary) = read(late.as_bytes(), &spec("csv")).unwrap();
    assert_eq!(requests.iter().map(|r| r.time_ns).collect::<Vec<_>>(), [0, 1_000_000_000]);
    assert_eq!(summary.origin.as_deref(), Some("2016-02-21T22:52:25.133076001Z"));
    let early = format!("{header}5.5,R,0,512\n");
    assert_eq!(read(early.as_bytes(), &spec("csv")).unwrap().0[0].time_ns, 5_500_000_000);
}

#[test]
fn trims_and_flushes_are_counted_and_come_out_when_asked() {
    let text = "time_ns,op,offset,size\n0,R,0,512\n1,trim,0,4096\n2,flush,,\n";
    let mut spec = spec("csv");
    let (requests, summary) = read(text.as_bytes(), &spec).unwrap();
    assert_eq!((requests.len(), summary.trims, summary.flushes), (1, 1, 1));
    spec.include_other = true;
    let (requests, _) = read(text.as_bytes(), &spec).unwrap();
    assert_eq!(requests.iter().map(|r| r.op).collect::<Vec<_>>(), [Op::Read, Op::Trim, Op::Flush]);
    let only = "time_ns,op,offset,size\n2,flush,,\n";
    spec.include_other = false;
    assert!(
        error(only.as_bytes(), &spec)
            .starts_with("empty test: there are no read or write requests, only 1 trims and flushes")
    );
}

#[test]
fn the_wrong_event_is_explained() {
    let text = "8,0 3 8 0.00001 697 D W 223490 + 8 [x]\n";
    assert!(
        error(text.as_bytes(), &spec("detect"))
            .starts_with("empty test: there are no read or write requests; event Q was asked for, and the trace holds 0 Q, 1 D and 0 C")
    );
}

#[test]
fn options_that_do_not_apply_are_refused() {
    let mut given: TraceSpec =
        serde_json::from_str(r#"{"path": "test", "format": "msr", "sector_bytes": 4096}"#).unwrap();
    assert!(
        error(b"x", &given).starts_with("not-applicable test: sector_size does not apply to the format msr")
    );
    given.format = Some("mrs".into());
    assert!(error(b"x", &given).starts_with(
        "unknown-name test: unknown format 'mrs'; known are disksim-ascii, disksim-validate, hp-srt, spc"
    ));
    given.format = Some("spc".into());
    given.sector_bytes = Some(0);
    assert!(error(b"x", &given).starts_with("out-of-range test: sector_size is 0"));
    assert!(serde_json::from_str::<TraceSpec>(r#"{"path": "x", "fromat": "spc"}"#).is_err());
}

#[test]
fn a_fatal_header_is_not_skipped() {
    let mut spec = spec("csv");
    spec.skip_bad = 100;
    assert!(
        error(b"when,op,offset,size\n0,R,0,512\n", &spec)
            .starts_with("missing test:1: there is no column for the time")
    );
}

#[test]
fn after_an_error_nothing_more_comes() {
    let mut source = open(b"0,0,512,R,0.0\nrubbish\n0,8,512,R,0.1\n", &spec("spc")).unwrap();
    assert!(drain(source.as_mut(), 10).is_err());
    let mut rest = Vec::new();
    assert!(source.fill(&mut rest, 10).is_err() && rest.is_empty());
}

fn rows(time_ns: &[i64], size: u32) -> Rows {
    let count = time_ns.len();
    Rows {
        time_ns: time_ns.to_vec(),
        op: vec![1; count],
        offset: vec![4096; count],
        size: vec![size; count],
        ..Rows::default()
    }
}

fn through(batches: Vec<Rows>) -> Result<Vec<u64>, String> {
    let mut batches = batches.into_iter();
    let mut source =
        from_rows(Box::new(move || Ok(batches.next())), &spec("parquet")).map_err(|e| e.said())?;
    let requests = drain(source.as_mut(), 2).map_err(|e| e.said())?;
    Ok(requests.iter().map(|r| r.time_ns).collect())
}

#[test]
fn rows_pass_the_same_checks_and_are_placed_by_number() {
    assert_eq!(through(vec![rows(&[5, 6], 1), rows(&[], 1), rows(&[7], 1)]).unwrap(), [5, 6, 7]);
    assert!(
        through(vec![rows(&[5, 6], 1), rows(&[7], 0)])
            .unwrap_err()
            .starts_with("out-of-range test:3: the size is zero")
    );
    assert!(
        through(vec![rows(&[5, -6], 1)])
            .unwrap_err()
            .starts_with("out-of-range test:2: time_ns is negative: -6")
    );
    assert!(
        through(vec![rows(&[9_000_000, 1], 1)])
            .unwrap_err()
            .starts_with("out-of-order test:2: time goes back")
    );
    let mut uneven = rows(&[5, 6], 1);
    uneven.op.pop();
    assert!(through(vec![uneven]).unwrap_err().starts_with("damaged test:1: "));
    let mut wrong = rows(&[5], 1);
    wrong.op[0] = 9;
    assert!(through(vec![wrong]).unwrap_err().starts_with("not-accepted test:1: op is 9"));
}

#[test]
fn rows_may_bring_names() {
    let mut named = rows(&[5, 6], 1);
    named.device = vec![1, 1];
    named.devices = Some(vec!["unused".into(), "sdb".into()]);
    let mut unnamed = named.clone();
    unnamed.device = vec![2, 2];
    let mut asked = spec("parquet");
    asked.device = Some("sdb".into());
    let mut batches = vec![named].into_iter();
    let mut source = from_rows(Box::new(move || Ok(batches.next())), &asked).unwrap();
    assert_eq!(drain(source.as_mut(), 10).unwrap().len(), 2);
    assert!(
        through(vec![unnamed]).unwrap_err().starts_with("damaged test:1: device 2 is not in the dictionary")
    );
}
