//! Requests written in each format come back as they were.

use std::fmt::Write;

use iowatt_trace::{NO_RESPONSE, NO_STREAM, Op, Request};
use proptest::prelude::*;

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
}
