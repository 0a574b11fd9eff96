//! What holds for every format and for the way from bytes to checked requests.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed test is meant to stop

mod ahead;
mod checks;
mod hostile;
mod info;
mod input;
mod srt;
mod written;

use std::io::Read;

use iowatt_trace::{Request, Source, Summary, TraceError, TraceSpec, from_reader};

/// A format, requests in it, and the first of them: (ns, offset, size).
pub(crate) struct Sample {
    pub(crate) format: &'static str,
    pub(crate) bytes: Vec<u8>,
    pub(crate) first: (u64, u64, u32),
    /// Whether line ends, comments and a byte order mark mean nothing to it.
    pub(crate) text: bool,
}

impl Sample {
    /// Its requests `times` over.
    pub(crate) fn repeated(&self, times: usize) -> Vec<u8> {
        if self.text {
            return self.bytes.repeat(times);
        }
        let (header, records) = self.bytes.split_at(srt::HEADER.len());
        [header, &records.repeat(times)].concat()
    }
}

/// Every format with two requests that are right.
pub(crate) fn samples() -> Vec<Sample> {
    let text =
        |format, text: &str, first| Sample { format, bytes: text.as_bytes().to_vec(), first, text: true };
    let records = [srt::THREE[0].words(), srt::THREE[1].words()];
    vec![
        text(
            "disksim-ascii",
            "13.191135\t0\t100\t5\t1\n17.829285 0 576560 6 0\n",
            (13_191_135, 51_200, 2560),
        ),
        text(
            "disksim-validate",
            "R Hit 11392096 12 1686.0 40961.0\nW Hit 7563004 4 14368.0 28778.0\n",
            (0, 5_832_753_152, 6144),
        ),
        Sample {
            format: "hp-srt",
            bytes: srt::written(&records),
            first: (13_191_000, 51_200, 8192),
            text: false,
        },
        text("spc", "0,100,8192,W,0.551706\n0,20939840,8192,r,0.554041\n", (551_706_000, 51_200, 8192)),
        text(
            "msr",
            "128166372003061629,hm,0,Read,383496192,32768,113736\n128166372016382155,hm,0,Write,310983168,512,1\n",
            (0, 383_496_192, 32_768),
        ),
        text(
            "blkparse",
            "  8,0    3        1     0.000000500   697  Q   W 100 + 8 [kjournald]\n  8,0 3 2 0.001 697 Q R 108 + 8 [x y]\n",
            (500, 51_200, 4096),
        ),
        text(
            "csv",
            "time_us,op,lba,bytes,device\n1.5,R,100,4096,sda\n2.5,write,108,4096,sda\n",
            (1500, 51_200, 4096),
        ),
    ]
}

/// A reader that hands out at most `chunk` bytes at a time.
pub(crate) struct Dribble {
    pub(crate) bytes: Vec<u8>,
    pub(crate) at: usize,
    pub(crate) chunk: usize,
}

impl Read for Dribble {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.chunk.min(buffer.len()).min(self.bytes.len() - self.at);
        buffer[..count].copy_from_slice(&self.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

pub(crate) fn spec(format: &str) -> TraceSpec {
    let mut spec = TraceSpec::new("test");
    spec.format = (format != "detect").then(|| format.to_owned());
    spec
}

pub(crate) fn open(bytes: &[u8], spec: &TraceSpec) -> Result<Box<dyn Source>, TraceError> {
    open_in_chunks(bytes, spec, usize::MAX)
}

pub(crate) fn open_in_chunks(
    bytes: &[u8],
    spec: &TraceSpec,
    chunk: usize,
) -> Result<Box<dyn Source>, TraceError> {
    let bytes = bytes.to_vec();
    from_reader(Box::new(Dribble { bytes, at: 0, chunk }), spec)
}

pub(crate) fn drain(source: &mut dyn Source, limit: usize) -> Result<Vec<Request>, TraceError> {
    let mut requests = Vec::new();
    while source.fill(&mut requests, limit)? {}
    Ok(requests)
}

pub(crate) fn read(bytes: &[u8], spec: &TraceSpec) -> Result<(Vec<Request>, Summary), TraceError> {
    let mut source = open(bytes, spec)?;
    let requests = drain(source.as_mut(), 1000)?;
    Ok((requests, source.summary().cloned().unwrap()))
}

/// The error that reading ends with.
pub(crate) fn error(bytes: &[u8], spec: &TraceSpec) -> String {
    read(bytes, spec).err().unwrap().to_string()
}
