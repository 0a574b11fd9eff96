//! Requests written in each format come back as they were.

use std::fmt::Write;

use iowatt_trace::{NO_RESPONSE, NO_STREAM, Op, Request};
use proptest::prelude::*;

use crate::blktrace;
use crate::records;
use crate::srt::{Record, written};
use crate::{read, spec};

/// Multiples of 512 in time order, on one device; gaps and sizes in the given steps.
fn requests(time_step: u64) -> impl Strategy<Value = Vec<Request>> {
    let one = (0_u64..1 << 30, 0_u64..1 << 50, 1_u32..1 << 20, any::<bool>(), 0_i64..1 << 40, 0_u32..3);
    proptest::collection::vec(one, 1..50).prop_map(move |rows| {
        let mut clock = 0;
        rows.into_iter()
            .map(|(gap, sector, sectors, write, response, stream)| {
                clock += gap * time_step;
                Request {
                    time_ns: clock,
                    offset: sector * 512,
                    response_ns: response / 1000 * 1000,
                    size: sectors * 512,
                    device: 0,
                    stream,
                    op: if write { Op::Write } else { Op::Read },
                }
            })
            .collect()
    })
}

fn lines(requests: &[Request], line: impl Fn(&Request) -> String) -> String {
    requests.iter().fold(String::new(), |mut text, request| {
        writeln!(text, "{}", line(request)).unwrap();
        text
    })
}

/// `value` with `digits` of it behind the point.
fn point(value: u64, digits: u32) -> String {
    let unit = 10_u64.pow(digits);
    format!("{}.{:0width$}", value / unit, value % unit, width = digits as usize)
}

fn letter(op: Op) -> &'static str {
    if op == Op::Read { "R" } else { "W" }
}

fn plain(requests: &[Request]) -> Vec<Request> {
    let bare = |r: &Request| Request { response_ns: NO_RESPONSE, stream: NO_STREAM, ..*r };
    requests.iter().map(bare).collect()
}

/// Without response times, the first request at time 0, all of one stream or of none.
fn from_0(requests: &[Request], stream: Option<u32>) -> Vec<Request> {
    let first = requests[0].time_ns;
    let shifted =
        |r: &Request| Request { time_ns: r.time_ns - first, stream: stream.unwrap_or(NO_STREAM), ..*r };
    plain(requests).iter().map(shifted).collect()
}

proptest! {
    #[test]
    fn disksim_ascii(requests in requests(1)) {
        let text = lines(&requests, |r| {
            let flags = if r.op == Op::Read { "1" } else { "10" };
            format!("{} 7 {} {} {flags}", point(r.time_ns, 6), r.offset / 512, r.size / 512)
        });
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, plain(&requests));
    }

    #[test]
    fn disksim_validate(requests in requests(1)) {
        // The think time that a closed loop of one would have needed; arrivals then follow from it.
        let mut clock = 0;
        let expected: Vec<_> = requests.iter().map(|r| {
            let request = Request { time_ns: clock, stream: NO_STREAM, ..*r };
            clock += r.response_ns.unsigned_abs() + r.time_ns % 1_000_000_000;
            request
        }).collect();
        let text = lines(&requests, |r| {
            let (service, think) = (point(r.response_ns.unsigned_abs(), 3), point(r.time_ns % 1_000_000_000, 3));
            format!("{} Hit {} {} {service} {think}", letter(r.op), r.offset / 512, r.size / 512)
        });
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn hp_srt(requests in requests(1000)) {
        // A block number has 31 bits, a response time 31 bits of microseconds.
        let expected: Vec<_> = requests.iter().map(|r| Request {
            offset: r.offset % (1 << 39),
            response_ns: r.response_ns % 1_000_000_000_000,
            stream: NO_STREAM,
            ..*r
        }).collect();
        let words: Vec<_> = expected.iter().map(|r| {
            let stop = (r.response_ns / 1000) as u32;
            Record {
                enqueue: r.time_ns / 1000,
                start: stop / 3,
                stop,
                bytes: r.size,
                block: (r.offset / 256) as u32,
                disk: 0,
                read: r.op == Op::Read,
            }.words()
        }).collect();
        let (found, _) = read(&written(&words), &spec("detect")).unwrap();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn spc(requests in requests(1)) {
        let text = lines(&requests, |r| {
            format!("3,{},{},{},{}", r.offset / 512, r.size, letter(r.op), point(r.time_ns, 9))
        });
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, plain(&requests));
    }

    #[test]
    fn msr(requests in requests(100)) {
        let first = requests[0].time_ns;
        let text = lines(&requests, |r| {
            let op = if r.op == Op::Read { "Read" } else { "Write" };
            let ticks = 128_166_372_003_061_629 + r.time_ns / 100;
            format!("{ticks},hm,0,{op},{},{},{}", r.offset, r.size, r.response_ns / 100)
        });
        let expected: Vec<_> = requests.iter()
            .map(|r| Request { time_ns: r.time_ns - first, stream: NO_STREAM, ..*r })
            .collect();
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn blkparse(requests in requests(1)) {
        let text = lines(&requests, |r| {
            let at = point(r.time_ns, 9);
            format!("  8,0  1 1 {at} 42  Q  {}S {} + {} [a b]", letter(r.op), r.offset / 512, r.size / 512)
        });
        let expected: Vec<_> = plain(&requests).iter().map(|r| Request { stream: 0, ..*r }).collect();
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn csv(requests in requests(1)) {
        let mut text = "time_ns,device,op,offset,size,response_ns,stream\n".to_owned();
        // Named so that streams appear with their numbers in order.
        let mut seen = Vec::new();
        let expected: Vec<_> = requests.iter().map(|r| {
            let index = seen.iter().position(|&s| s == r.stream).unwrap_or_else(|| { seen.push(r.stream); seen.len() - 1 });
            Request { stream: u32::try_from(index).unwrap(), ..*r }
        }).collect();
        text += &lines(&requests, |r| {
            format!("{},sda,{},{},{},{},\"s,{}\"", r.time_ns, letter(r.op), r.offset, r.size, r.response_ns, r.stream)
        });
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn fiu(requests in requests(1)) {
        let text = lines(&requests, |r| {
            let (at, op) = (7_000_000_000 + r.time_ns, letter(r.op));
            format!("{at} 42 a process {} {} {op} 6 0 0123456789abcdef0123456789abcdef", r.offset / 512, r.size / 512)
        });
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, from_0(&requests, Some(0)));
    }

    #[test]
    fn blktrace(requests in requests(1)) {
        let bytes: Vec<u8> = requests.iter().flat_map(|r| blktrace::queued(r).bytes()).collect();
        prop_assert_eq!(read(&bytes, &spec("detect")).unwrap().0, from_0(&requests, Some(0)));
    }

    #[test]
    fn perf(requests in requests(1)) {
        // Completions right behind their issues: what is completed is known by its sector.
        let text = lines(&requests, |r| {
            let (at, op, sector, sectors) = (r.time_ns, letter(r.op), r.offset / 512, r.size / 512);
            format!(
                "a b 42 [000] {}: block:block_rq_issue: 7,0 {op}S {} () {sector} + {sectors} be,0,4 [a b]\n\
                 swapper 0 [000] {}: block:block_rq_complete: 7,0 {op}S () {sector} + {sectors} [0]",
                point(7 + at, 9), r.size, point(7 + at + r.response_ns.unsigned_abs(), 9)
            )
        });
        let first = requests[0].time_ns;
        let expected: Vec<_> =
            requests.iter().map(|r| Request { time_ns: r.time_ns - first, stream: 0, ..*r }).collect();
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn strace(requests in requests(1000)) {
        let text = lines(&requests, |r| {
            let call = if r.op == Op::Read { "pread64" } else { "pwrite64" };
            let at = point(1_700_000_000_000_000_000 + r.time_ns, 9);
            let response = point(r.response_ns.unsigned_abs(), 9);
            format!("42 {at} {call}(6</a, (b>, \"\\0)\"..., {}, {}) = {} <{response}>", r.size, r.offset, r.size)
        });
        let first = requests[0].time_ns;
        let expected: Vec<_> =
            requests.iter().map(|r| Request { time_ns: r.time_ns - first, stream: 0, ..*r }).collect();
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn fio_iolog(requests in requests(1000)) {
        let line = |r: &Request| {
            format!("/a {} {} {}", if r.op == Op::Read { "read" } else { "write" }, r.offset, r.size)
        };
        let three = lines(&requests, |r| format!("{} {}", r.time_ns / 1000, line(r)));
        let three = format!("fio version 3 iolog\n0 /a add\n{three}");
        prop_assert_eq!(read(three.as_bytes(), &spec("detect")).unwrap().0, plain(&requests));
        // Waits of at least 100 us, as fio keeps them; none but zeros make no clock.
        let mut clock = 0;
        let two = lines(&requests, |r| {
            let wait = r.time_ns / 1000 % 5000 + 100;
            format!("/a wait {wait} 0\n{}", line(r))
        });
        let expected: Vec<_> = plain(&requests).iter().map(|r| {
            clock += (r.time_ns / 1000 % 5000 + 100) * 1000;
            Request { time_ns: clock, ..*r }
        }).collect();
        let two = format!("fio version 2 iolog\n/a add\n{two}");
        prop_assert_eq!(read(two.as_bytes(), &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn alibaba(requests in requests(1000)) {
        let text = lines(&requests, |r| {
            format!("9,{},{},{},{}", letter(r.op), r.offset, r.size, 1_577_808_000_000_000 + r.time_ns / 1000)
        });
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, from_0(&requests, None));
    }

    #[test]
    fn tencent(requests in requests(1)) {
        // Ten digits of seconds.
        let requests: Vec<_> = requests.iter().enumerate()
            .map(|(i, r)| Request { time_ns: i as u64 / 3 * 1_000_000_000, ..*r })
            .collect();
        let text = lines(&requests, |r| {
            let (seconds, op) = (1_538_323_200 + r.time_ns / 1_000_000_000, u8::from(r.op == Op::Write));
            format!("{seconds},{},{},{op},1058", r.offset / 512, r.size / 512)
        });
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, from_0(&requests, None));
    }

    #[test]
    fn systor(requests in requests(1)) {
        // In the order of the ends, as the original: the reader sorts by the starts again.
        let mut ended: Vec<_> = requests.iter().collect();
        ended.sort_by_key(|r| r.time_ns + r.response_ns.unsigned_abs());
        let text = ended.iter().fold(String::new(), |text, r| {
            let (start, took) = (1_456_095_145_000_000_000 + r.time_ns, r.response_ns.unsigned_abs());
            format!("{text}{},{},{},3,{},{}\n", point(start, 9), point(took, 9), letter(r.op), r.offset, r.size)
        });
        let mut spec = spec("detect");
        spec.order_tolerance_s = Some(2000.0);
        let mut found = read(text.as_bytes(), &spec).unwrap().0;
        let mut expected: Vec<_> =
            from_0(&requests, None).iter().zip(&requests).map(|(r, o)| Request { response_ns: o.response_ns, ..*r }).collect();
        // Equal starts come in the order of their ends.
        let key = |r: &Request| (r.time_ns, r.response_ns, r.offset, r.size);
        found.sort_by_key(key);
        expected.sort_by_key(key);
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn vscsi(requests in requests(1000)) {
        let write = |r: &Request| if r.op == Op::Read { 0x28 } else { 0x2a };
        let base = 1 << 40;
        let one: Vec<u8> = requests.iter()
            .flat_map(|r| records::vscsi_1(write(r), r.offset / 512, r.size, base + r.time_ns / 1000))
            .collect();
        prop_assert_eq!(read(&one, &spec("detect")).unwrap().0, from_0(&requests, None));
        let two: Vec<u8> = requests.iter()
            .flat_map(|r| {
                let took = r.response_ns.unsigned_abs() / 1000;
                records::vscsi_2(write(r), r.offset / 512, r.size, base + r.time_ns / 1000, took)
            })
            .collect();
        let expected: Vec<_> =
            from_0(&requests, None).iter().zip(&requests).map(|(r, o)| Request { response_ns: o.response_ns, ..*r }).collect();
        prop_assert_eq!(read(&two, &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn oracle_general_and_lcs(requests in requests(1)) {
        let expected: Vec<_> = plain(&requests).iter().enumerate()
            .map(|(i, r)| Request { time_ns: i as u64 / 3 * 1_000_000_000, op: Op::Read, ..*r })
            .collect();
        let seconds = |r: &Request| 1000 + (r.time_ns / 1_000_000_000) as u32;
        let bytes: Vec<u8> = expected.iter()
            .flat_map(|r| records::oracle_general(seconds(r), r.offset / 512, r.size, -1))
            .collect();
        prop_assert_eq!(read(&bytes, &spec("oracle-general")).unwrap().0, expected.clone());
        let mut bytes = records::lcs_header(2);
        bytes.extend(expected.iter().flat_map(|r| records::lcs(2, seconds(r), r.offset / 512, r.size, 12, 0)));
        prop_assert_eq!(read(&bytes, &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn arc(requests in requests(1)) {
        let text: String = requests.iter().enumerate()
            .map(|(i, r)| format!("{} {} 0 {i}\n", r.offset / 512, r.size / 512))
            .collect();
        let mut spec = spec("detect");
        spec.rate_iops = Some(500.0);
        let expected: Vec<_> = plain(&requests).iter().enumerate()
            .map(|(i, r)| Request { time_ns: i as u64 * 2_000_000, op: Op::Read, ..*r })
            .collect();
        prop_assert_eq!(read(text.as_bytes(), &spec).unwrap().0, expected);
    }

    #[test]
    fn mqsim(requests in requests(1)) {
        let text = lines(&requests, |r| {
            format!("{} 3 {} {} {}", r.time_ns, r.offset / 512, r.size / 512, u8::from(r.op == Op::Read))
        });
        prop_assert_eq!(read(text.as_bytes(), &spec("mqsim")).unwrap().0, plain(&requests));
    }

    #[test]
    fn etw(requests in requests(1000)) {
        // Ends below 2^53 us after starts that are not before the recording.
        let text = lines(&requests, |r| {
            let (took, op) = (r.response_ns.unsigned_abs() / 1000, if r.op == Op::Read { "Read" } else { "Write" });
            let end = 5_000_000 + r.time_ns / 1000 + took;
            format!("Disk{op}, {end}, a (1), 7, 0xff, 0x{:x}, 0x{:08x}, {took}, 1, 0x0, {took}", r.offset, r.size)
        });
        let expected: Vec<_> = from_0(&requests, Some(0)).iter().zip(&requests)
            .map(|(r, o)| Request { response_ns: o.response_ns, ..*r })
            .collect();
        prop_assert_eq!(read(text.as_bytes(), &spec("detect")).unwrap().0, expected);
    }

    #[test]
    fn regex(requests in requests(1)) {
        let text = lines(&requests, |r| {
            let op = if r.op == Op::Read { "read" } else { "write" };
            format!("{} {op} {}+{}\n-- noise", point(r.time_ns, 3), r.offset / 512, r.size / 512)
        });
        prop_assert_eq!(read(text.as_bytes(), &spec("regex")).unwrap().0, plain(&requests));
    }
}
