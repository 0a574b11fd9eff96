//! `info` over small traces whose figures are worked out by hand.

use iowatt_trace::{TraceInfo, info};

use crate::{open, spec};

fn of(text: &str, format: &str) -> TraceInfo {
    let mut spec = spec(format);
    spec.device = Some("*".into());
    let mut source = open(text.as_bytes(), &spec).unwrap();
    info(source.as_mut(), "test", &mut |_, _| Ok(())).unwrap()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

#[test]
fn figures_of_four_requests() {
    let seen = of(
        "time_ms,op,offset,size,device,stream,response_us\n\
         0,R,0,4096,a,x,100\n\
         1,R,4096,8192,a,x,300\n\
         1,W,0,4096,b,y,-1\n\
         4,W,2048,4096,a,y,\n",
        "csv",
    );
    assert_eq!((seen.requests.reads, seen.requests.writes), (2, 2));
    assert_eq!((seen.bytes.read, seen.bytes.written), (12_288, 8192));
    assert!(close(seen.span.duration_s, 0.004) && close(seen.rate.iops, 1000.0));
    assert!(close(seen.rate.mib_per_s, 20_480.0 / 0.004 / 1_048_576.0));
    // Device a: blocks 0, 1, 2 by reads, 0 and 1 by the write at 2048; device b: block 0 written.
    assert_eq!(seen.footprint.total_bytes, 4 * 4096);
    assert_eq!((seen.footprint.read_bytes, seen.footprint.written_bytes), (3 * 4096, 3 * 4096));
    assert_eq!(seen.max_offset_bytes, 12_288);
    assert!(close(seen.sequential.share, 0.25)); // the second continues the first
    assert!(close(seen.sequential.share_in_streams.unwrap(), 0.25));
    let gaps = seen.inter_arrival_s.unwrap();
    // Gaps 1, 0, 3 ms: mean 4/3, variance (1/9 + 16/9 + 25/9) / 3 = 14/9.
    assert!(close(gaps.mean, 0.004 / 3.0));
    assert!(close(gaps.cv.unwrap(), (14.0_f64 / 9.0).sqrt() / (4.0 / 3.0)));
    assert_eq!((seen.order.equal_stamps, seen.order.stamp_resolution_ns), (1, 1_000_000));
    let response = seen.response_ms.unwrap();
    assert!(response.count == 2 && close(response.mean, 0.2));
    assert_eq!((seen.devices.count, seen.streams.count), (2, 2));
    assert_eq!((seen.devices.top[0].name.as_str(), seen.devices.top[0].requests), ("a", 3));
    assert_eq!(seen.sizes.commonest[0].bytes, 4096);
    assert!(seen.warnings.is_empty()); // four requests prove nothing
}

#[test]
fn the_json_carries_its_schema() {
    let seen = of("0.5 0 8 8 0\n", "disksim-ascii");
    let json: serde_json::Value = serde_json::to_value(&seen).unwrap();
    assert_eq!(json["schema"], "iowatt.trace-info/1");
    assert_eq!(json["inter_arrival_s"], serde_json::Value::Null);
    assert_eq!(json["rate"]["iops"], 0.0);
}

/// 200 requests by a rule for (time in ns, op, size).
fn warned(rule: impl Fn(u64) -> (u64, &'static str, u64)) -> String {
    let mut text = "time_ns,op,offset,size\n".to_owned();
    for i in 0..200 {
        let (time, op, size) = rule(i);
        text += &format!("{time},{op},{},{size}\n", i * 4096);
    }
    of(&text, "csv").warnings.join("; ")
}

fn half(i: u64) -> &'static str {
    if i.is_multiple_of(2) { "R" } else { "W" }
}

#[test]
fn mistakes_in_units_and_op_codes_show() {
    assert_eq!(warned(|i| (i * 1_234_567, half(i), 4096)), "");
    assert_eq!(warned(|i| (i * 1_234_567, "W", 4096)), "100.0 % writes: are the op codes inverted?");
    assert_eq!(
        warned(|i| (i * 15 + 1, half(i), 4096)),
        "span 3 us for 200 requests: is the time unit right?"
    );
    assert_eq!(
        warned(|i| (i * 200_000_000_001, half(i), 4096)),
        "one request every 199 s on average: is the time unit right?"
    );
    assert!(warned(|i| (i * 1_234_567, half(i), 64 << 20)).contains("64 MiB"));
    assert_eq!(
        warned(|i| (i / 10 * 1_000_000_000, half(i), 4096)),
        "coarse stamps: all are multiples of 1 s, and 90.0 % of requests share theirs with the one before; a replay is a burst at each (spread takes them apart)"
    );
    assert_eq!(
        warned(|i| (i / 10 * 1_234_567, half(i), 4096)),
        "90.0 % of requests have the stamp of the one before"
    );
    assert_eq!(
        warned(|i| (86_400_000_000_000 + i * 123_456_789, half(i), 4096)),
        "the first request comes at 1 days, later than the span of 24.6 s: is the time unit right?"
    );
    assert!(warned(|_| (7, half(1), 4096)).contains("all stamps are equal"));
    assert!(
        warned(|i| (i * 1001 + i / 199 * 10_000_000_000, half(i), 4096))
            .contains("a gap of 10 s from 198.2 us on takes 100.0 % of the trace")
    );
}

#[test]
fn progress_may_end_the_reading() {
    let mut source = open(b"0.5 0 8 8 0\n", &spec("disksim-ascii")).unwrap();
    let stop = |_, _| Err(iowatt_trace::TraceError::Caller("enough".into()));
    assert_eq!(info(source.as_mut(), "test", &mut { stop }).unwrap_err().to_string(), "enough");
}
