//! Once its buffers have their size, reading ahead allocates no requests: only what a few hundred of them share. A test binary of its own:
//! the allocator counts for the whole process.
#![allow(unsafe_code)] // an allocator is unsafe by nature; this one only counts
#![allow(clippy::unwrap_used)] // a failed test is meant to stop

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use iowatt_trace::{Ahead, Source, TraceSpec, from_reader};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::SeqCst);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn reading_ahead_allocates_no_requests_in_steady_state() {
    const REQUESTS: usize = 200_000;
    let mut text = "time_us,op,offset,size,device,stream\nnot,a,request,at,all,x\n".to_owned();
    for i in 0..REQUESTS {
        writeln!(text, "{},R,{},4096,d{},s{}", 1_700_000_000_000_000 + i, i * 4096, i % 3, i % 7).unwrap();
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    let packed = std::io::Cursor::new(encoder.finish().unwrap());

    let mut spec = TraceSpec::new("trace");
    (spec.format, spec.device, spec.skip_bad) = (Some("csv".to_owned()), Some("*".to_owned()), 1);
    let source = from_reader(Box::new(packed), &spec).unwrap();
    let mut ahead = Ahead::new(source, 256);
    let mut out = Vec::with_capacity(256);
    let (mut read, mut before) = (0, 0);
    while read < REQUESTS - 10_000 {
        out.clear();
        assert!(ahead.fill(&mut out, 256).unwrap());
        read += out.len();
        if before == 0 && read > 50_000 {
            before = ALLOCATIONS.load(Ordering::SeqCst);
        }
    }
    // 547 calls of `fill` for 140,000 requests; each call copies a summary with a handful of texts.
    let allocated = ALLOCATIONS.load(Ordering::SeqCst) - before;
    assert!(allocated < 547 * 12, "{allocated} allocations");
    let summary = ahead.summary().unwrap();
    assert_eq!((summary.skipped_bad, summary.first_bad.len()), (1, 1), "texts that are copied each time");
    assert!(summary.origin.is_some());
}
