//! `blktrace`'s binary files: one per CPU (`sda.blktrace.0`, ...), or one that `blkparse -d` has merged.
//!
//! Records of 48 bytes in the recording machine's byte order, which the magic 0x65617407 tells (7 is the version): u32 magic, u32
//! sequence, u64 time in ns, u64 sector (512 bytes), u32 bytes, u32 action, u32 pid, u32 device (major << 20 | minor), u32
//! cpu, u16 error, u16 length of the payload that follows (the id of a cgroup is part of it). The lower half of the action
//! is the event (1 queued, 7 issued, 8 completed; bit 8: a cgroup id follows), the upper half categories: read 1, write 2,
//! flush 4, SCSI command 0x200, notification 0x400, discard 0x2000.
//!
//! One event is a request, `event` chooses it as for `blkparse`: Q (default), D or C. Notifications (process names, messages,
//! the time of the start) and commands without blocks are passed over. Name the recording without `.blktrace.N`
//! to read the files of all CPUs, merged by time; a file of one CPU alone is a part of the load.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};

use crate::error::{Code, Fault, TraceError};
use crate::format::binary::Place;
use crate::format::blkparse::{held, merged};
use crate::format::{Clock, Decoder, Entry, Format, Raw, Records, Sample, assumptions};
use crate::input::Input;
use crate::names::Names;
use crate::request::{NO_RESPONSE, NO_STREAM};
use crate::spec::{Event, TraceSpec};

mod record;

pub(crate) use record::{
    BACK_MERGED, COMPLETED, FRONT_MERGED, ISSUED, QUEUED, REQUEUED, Record, SPLIT, is_magic,
};

/// blktrace.
pub static FORMAT: Format = Format {
    name: "blktrace",
    title: "Linux blktrace (binary; the files of all CPUs, or one merged by blkparse -d)",
    columns: "records of 48 bytes and their payload: magic sequence time(ns) sector(512 B) bytes action pid device cpu error length",
    clock: Clock::Arbitrary,
    order_tolerance_s: 1.0,
    block_bytes: None,
    options: &["event"],
    recognise: |sample: &Sample<'_>| {
        sample.bytes.first_chunk().is_some_and(|&magic| is_magic(u32::from_le_bytes(magic)).is_some())
    },
    decoder: |spec| Ok(Box::new(Blktrace::new(spec))),
};

/// Files of one recording, one per CPU.
const MAX_CPUS: usize = 4096;

struct Blktrace {
    wanted: Event,
    place: Place,
    /// Requests seen at Q, D and C.
    seen: [u64; 3],
    /// Where a device's name is put together.
    name: String,
}

impl Blktrace {
    fn new(spec: &TraceSpec) -> Self {
        Self {
            wanted: spec.event.unwrap_or_default(),
            place: Place::default(),
            seen: [0; 3],
            name: String::new(),
        }
    }

    /// The next record, `None` where it is not of the wanted event.
    fn record(
        &mut self,
        input: &mut Input,
        names: &mut Names,
    ) -> Result<Option<Result<Option<Raw>, Fault>>, TraceError> {
        Ok(match Record::take(&mut self.place, input)? {
            None => None,
            Some(Ok(record)) => Some(self.decode(&record, names)),
            Some(Err(fault)) => Some(Err(fault)),
        })
    }

    fn decode(&mut self, record: &Record, names: &mut Names) -> Result<Option<Raw>, Fault> {
        let event = match record.event() {
            record::QUEUED => Event::Q,
            record::ISSUED => Event::D,
            record::COMPLETED => Event::C,
            _ => return Ok(None),
        };
        let Some((op, offset, size)) = record.asked()? else { return Ok(None) };
        self.seen[event as usize] += 1;
        if event != self.wanted {
            return Ok(None);
        }
        let stream = match self.wanted {
            Event::C => NO_STREAM,
            Event::Q | Event::D => names.streams.id(record.pid().to_string().as_bytes())?,
        };
        self.name.clear();
        record.name_device(&mut self.name);
        Ok(Some(Raw {
            time_ns: record.time_ns(),
            offset,
            size,
            response_ns: NO_RESPONSE,
            device: names.devices.id(self.name.as_bytes())?,
            stream,
            op,
        }))
    }
}

impl Decoder for Blktrace {
    fn next(&mut self, input: &mut Input, names: &mut Names) -> Result<Option<Entry>, TraceError> {
        loop {
            let begin = self.place.at;
            let decoded = match self.record(input, names)? {
                None => return Ok(None),
                Some(Ok(None)) => continue,
                Some(Ok(Some(raw))) => Ok(raw),
                Some(Err(fault)) => Err(Fault { reason: format!("byte {begin}: {}", fault.reason), ..fault }),
            };
            return Ok(Some((self.place.number, decoded)));
        }
    }

    fn remark(&self) -> Option<String> {
        held(self.wanted, self.seen)
    }

    fn notes(&self) -> Vec<String> {
        self.remark().into_iter().collect()
    }

    fn warnings(&self) -> Vec<String> {
        merged(self.wanted, self.seen).into_iter().collect()
    }
}

/// The files of all CPUs of the recording that `path` names without `.blktrace.N`, in the order of the CPUs; none where a file
/// of that very name exists or there are no such files.
pub(crate) fn recording(path: &str) -> Vec<PathBuf> {
    let path = Path::new(path);
    if path.exists() {
        return Vec::new();
    }
    let mut files = per_cpu(path);
    files.sort();
    files.into_iter().map(|(_, file)| file).collect()
}

/// What is to be said where `path` is the file of one CPU among several.
pub(crate) fn partial(path: &str) -> Option<String> {
    let (base, cpu) = path.rsplit_once(".blktrace.")?;
    cpu.parse::<u32>().ok()?;
    let count = per_cpu(Path::new(base)).len();
    (count > 1).then(|| {
        format!("this is the file of one CPU of {count}: a part of the load; {base} names all of them")
    })
}

/// Whether the file begins as one of blktrace does.
pub(crate) fn refuse_other(file: &str, input: &mut Input) -> Result<(), TraceError> {
    let head = input.peek(4)?;
    match head.first_chunk().and_then(|&magic| is_magic(u32::from_le_bytes(magic))) {
        Some(_) => Ok(()),
        None => {
            let reason = "this is not a blktrace file: it does not begin with the magic 0x65617407";
            Err(TraceError::unusable(file, Fault::new(Code::WrongFormat, reason)))
        }
    }
}

fn per_cpu(base: &Path) -> Vec<(u32, PathBuf)> {
    let folder = match base.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let (Some(name), Ok(entries)) =
        (base.file_name().and_then(|name| name.to_str()), std::fs::read_dir(folder))
    else {
        return Vec::new();
    };
    let cpu = |entry: std::fs::DirEntry| {
        let file = entry.file_name();
        let number = file.to_str()?.strip_prefix(name)?.strip_prefix(".blktrace.")?.parse().ok()?;
        Some((number, entry.path()))
    };
    entries.flatten().filter_map(cpu).take(MAX_CPUS).collect()
}

/// The files of all CPUs, merged by time.
pub(crate) struct Recording {
    cpus: Vec<Cpu>,
    /// Stamp and number of the CPUs that have a request waiting.
    waiting: BinaryHeap<Reverse<(u64, usize)>>,
    /// CPUs whose next record is not read yet.
    unread: Vec<usize>,
    names: Names,
    assumed: Vec<String>,
}

struct Cpu {
    file: String,
    input: Input,
    decoder: Blktrace,
    waiting: Option<(u64, Raw)>,
}

impl Recording {
    /// Opens them; a CPU without events has left an empty file, which is passed over.
    ///
    /// # Errors
    /// A file cannot be opened, is no blktrace file, or all are empty.
    pub(crate) fn open(files: &[PathBuf], spec: &TraceSpec) -> Result<Self, TraceError> {
        let mut cpus = Vec::with_capacity(files.len());
        for file in files {
            let path = file.to_string_lossy().into_owned();
            if std::fs::metadata(file).is_ok_and(|metadata| metadata.len() == 0) {
                continue;
            }
            let mut input = Input::open(&TraceSpec::new(path.clone()))?;
            refuse_other(&path, &mut input)?;
            let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            cpus.push(Cpu { file: name, input, decoder: Blktrace::new(spec), waiting: None });
        }
        if cpus.is_empty() {
            let reason = format!("the files of all {} CPUs are empty", files.len());
            return Err(TraceError::unusable(spec.file(), Fault::new(Code::Empty, reason)));
        }
        let mut assumed = assumptions(&FORMAT, spec);
        assumed.push(format!("{} files, one per CPU, merged by time", files.len()));
        let unread = (0..cpus.len()).rev().collect();
        Ok(Self { cpus, waiting: BinaryHeap::new(), unread, names: Names::default(), assumed })
    }

    fn seen(&self) -> [u64; 3] {
        let mut sum = [0; 3];
        for cpu in &self.cpus {
            sum.iter_mut().zip(cpu.decoder.seen).for_each(|(sum, seen)| *sum += seen);
        }
        sum
    }
}

impl Records for Recording {
    fn next(&mut self) -> Result<Option<Entry>, TraceError> {
        while let Some(index) = self.unread.pop() {
            let cpu = &mut self.cpus[index];
            match cpu.decoder.next(&mut cpu.input, &mut self.names)? {
                None => {}
                Some((place, Ok(raw))) => {
                    cpu.waiting = Some((place, raw));
                    self.waiting.push(Reverse((raw.time_ns, index)));
                }
                Some((place, Err(fault))) => {
                    self.unread.push(index);
                    let reason = format!("{}: {}", cpu.file, fault.reason);
                    return Ok(Some((place, Err(Fault { reason, ..fault }))));
                }
            }
        }
        let Some(Reverse((_, index))) = self.waiting.pop() else { return Ok(None) };
        self.unread.push(index);
        Ok(self.cpus[index].waiting.take().map(|(place, raw)| (place, Ok(raw))))
    }

    fn names(&self) -> &Names {
        &self.names
    }

    #[allow(clippy::cast_precision_loss)] // a fraction for a progress bar
    fn progress(&self) -> Option<f64> {
        let shares: Option<Vec<f64>> = self.cpus.iter().map(|cpu| cpu.input.progress()).collect();
        shares.map(|shares| shares.iter().sum::<f64>() / shares.len().max(1) as f64)
    }

    fn remark(&self) -> Option<String> {
        held(self.cpus.first()?.decoder.wanted, self.seen())
    }

    fn notes(&self) -> Vec<String> {
        self.assumed.iter().cloned().chain(self.remark()).collect()
    }

    fn warnings(&self) -> Vec<String> {
        let wanted = self.cpus.first().map(|cpu| cpu.decoder.wanted);
        wanted.and_then(|wanted| merged(wanted, self.seen())).into_iter().collect()
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("cpus", &self.cpus.len()).finish()
    }
}
