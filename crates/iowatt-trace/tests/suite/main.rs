//! What holds for every format and for the way from bytes to checked requests.
#![allow(clippy::unwrap_used, clippy::panic)] // a failed test is meant to stop

mod ahead;
mod blktrace;
mod checks;
mod copies;
mod describe;
mod hostile;
mod info;
mod input;
mod records;
mod srt;
mod stages;
mod transform;
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
    /// Whether it is known from its content.
    pub(crate) detected: bool,
    /// Bytes in front of the requests.
    header: usize,
}

impl Sample {
    /// Its requests `times` over.
    pub(crate) fn repeated(&self, times: usize) -> Vec<u8> {
        let (header, requests) = self.bytes.split_at(self.header);
        [header, &requests.repeat(times)].concat()
    }

    /// What reads it: by its name where its content does not tell.
    pub(crate) fn spec(&self) -> TraceSpec {
        spec(if self.detected { "detect" } else { self.format })
    }
}

/// Groups for the text of the sample of `regex`.
const PATTERN: &str = r"^(?<time_us>[\d.]+) (?<op>[a-z]+) (?<lba>\d+)\+(?<sectors>\d+)$";

/// Every format with two requests that are right.
pub(crate) fn samples() -> Vec<Sample> {
    let text = |format, text: &str, first| Sample {
        format,
        bytes: text.as_bytes().to_vec(),
        first,
        text: true,
        detected: true,
        header: 0,
    };
    let binary =
        |format, bytes, header, first| Sample { format, bytes, first, text: false, detected: true, header };
    let named = |format, text: &str, first| Sample {
        format,
        bytes: text.as_bytes().to_vec(),
        first,
        text: true,
        detected: false,
        header: 0,
    };
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
        binary("hp-srt", srt::written(&records), srt::HEADER.len(), (13_191_000, 51_200, 8192)),
        text("spc", "0,100,8192,W,0.551706\n0,20939840,8192,r,0.554041\n", (551_706_000, 51_200, 8192)),
        text(
            "msr",
            "128166372003061629,hm,0,Read,383496192,32768,113736\n128166372016382155,hm,0,Write,310983168,512,1\n",
            (0, 383_496_192, 32_768),
        ),
        text(
            "fiu",
            "89967195582921 42 httpd w 100 8 W 6 0 0123456789abcdef0123456789abcdef\n89967195600000 42 cp 108 8 R 6 0 0123456789abcdef0123456789abcdef\n",
            (0, 51_200, 4096),
        ),
        text(
            "blkparse",
            "  8,0    3        1     0.000000500   697  Q   W 100 + 8 [kjournald]\n  8,0 3 2 0.001 697 Q R 108 + 8 [x y]\n",
            (500, 51_200, 4096),
        ),
        binary(
            "blktrace",
            [blktrace::QUEUED.bytes(), blktrace::Record { time: 700, ..blktrace::QUEUED }.bytes()].concat(),
            0,
            (0, 51_200, 4096),
        ),
        text(
            "perf",
            "fio 42 [001] 5.000001: block:block_rq_issue: 7,0 WS 4096 () 100 + 8 none,0,0 [fio]\na b 42 [000] 5.5: block:block_rq_issue: 7,0 R 4096 () 108 + 8 [a b]\n",
            (0, 51_200, 4096),
        ),
        text(
            "strace",
            "42 7.5 pread64(6</dev/sdb>, \"\"..., 4096, 51200) = 4096 <0.0001>\n42 8.5 pwrite64(6</dev/sdb>, \"\"..., 512, 0) = 512 <0.0001>\n",
            (7_500_000_000, 51_200, 4096),
        ),
        text(
            "fio-iolog",
            "fio version 3 iolog\n89 /srv/t.dat add\n291 /srv/t.dat read 51200 12288\n642 /srv/t.dat write 49676288 45056\n",
            (291_000, 51_200, 12_288),
        ),
        text(
            "alibaba",
            "419,W,51200,16384,1577808000000046\n419,R,8792731648,16384,1577808000000146\n",
            (0, 51_200, 16_384),
        ),
        text("tencent", "1538323200,100,128,1,1058\n1538323200,100,8,0,1058\n", (0, 51_200, 65_536)),
        text(
            "systor",
            "Timestamp,Response,IOType,LUN,Offset,Size\n1456095145.1,0.000806000,R,0,51200,131072\n1456095145.2,,W,0,0,512\n",
            (0, 51_200, 131_072),
        ),
        binary(
            "vscsi",
            [records::vscsi_1(0x28, 100, 8192, 5), records::vscsi_1(0x2a, 0, 512, 6)].concat(),
            0,
            (0, 51_200, 8192),
        ),
        binary(
            "oracle-general",
            [records::oracle_general(7, 100, 512, -1), records::oracle_general(8, 0, 512, -1)].concat(),
            0,
            (0, 51_200, 512),
        ),
        binary(
            "lcs",
            [records::lcs_header(3), records::lcs(3, 7, 100, 512, 12, 5), records::lcs(3, 8, 0, 512, 13, 5)]
                .concat(),
            8192,
            (0, 51_200, 512),
        ),
        text("arc", "100 64 0 0\n110888 1 0 1\n", (0, 51_200, 32_768)),
        text("lirs", "100\n17\n", (0, 409_600, 4096)),
        named("mqsim", "938513000 4 100 16 0\n938828000 4 197570570 16 1\n", (938_513_000, 51_200, 8192)),
        text(
            "etw",
            "BeginHeader\nDiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum\nEndHeader\nDiskRead, 5000, a (1), 88, 0xff, 0xc800, 0x1000, 1500, 2\nDiskWrite, 6000, a (1), 88, 0xff, 0x0, 0x200, 500, 2, 0x43, 400\n",
            (0, 51_200, 4096),
        ),
        text(
            "csv",
            "time_us,op,lba,bytes,device\n1.5,R,100,4096,sda\n2.5,write,108,4096,sda\n",
            (1500, 51_200, 4096),
        ),
        named("regex", "1.5 read 100+8\nsomething else\n2.5 write 0+1\n", (1500, 51_200, 4096)),
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
    spec.pattern = (format == "regex").then(|| PATTERN.to_owned());
    spec.order_only = true; // else the formats without times need a rate
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
    Ok((requests, source.summary().unwrap()))
}

/// An error with its code in front: `damaged test:2: ...`.
pub(crate) trait Said {
    fn said(&self) -> String;
}

impl Said for TraceError {
    fn said(&self) -> String {
        format!("{} {self}", self.code().unwrap().as_str())
    }
}

/// The error that reading ends with, code and place first.
pub(crate) fn error(bytes: &[u8], spec: &TraceSpec) -> String {
    read(bytes, spec).err().unwrap().said()
}
