//! Bytes in: a file or standard input, compressed or not, handed out line by line, or as they are to binary formats.
//!
//! Compression is known by its magic bytes, never by the file's name. A line may be at most
//! [`MAX_LINE`] bytes, so that a file without line ends cannot fill the memory. Lines may end in
//! CRLF; a UTF-8 byte order mark at the start is dropped.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use crate::error::{Code, Fault, TraceError};
use crate::spec::TraceSpec;

/// Bytes of the longest line that is accepted.
pub const MAX_LINE: usize = 1 << 20;
const CHUNK: usize = 1 << 18;

/// First bytes of the compressions that are read.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Whether there is a file at `path` that begins as compressed data does.
#[must_use]
pub fn is_compressed(path: &str) -> bool {
    // What is read of a pipe is gone.
    if !std::fs::metadata(path).is_ok_and(|known| known.is_file()) {
        return false;
    }
    let mut head = Vec::with_capacity(4);
    let read = File::open(path).and_then(|file| file.take(4).read_to_end(&mut head));
    read.is_ok() && (head.starts_with(GZIP) || head.starts_with(ZSTANDARD))
}

/// A stream of decompressed bytes with a line count.
pub struct Input {
    file: String,
    reader: Box<dyn Read + Send>,
    compression: Option<&'static str>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    line: u64,
    /// Bytes taken by [`Input::consume`].
    taken: u64,
    consumed: Arc<AtomicU64>,
    total: Option<u64>,
}

impl std::fmt::Debug for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Input").field("file", &self.file).field("line", &self.line).finish()
    }
}

impl Input {
    /// Opens `spec.path`.
    ///
    /// # Errors
    /// A file that is missing, a directory, empty, or compressed in a way that is not read.
    pub fn open(spec: &TraceSpec) -> Result<Self, TraceError> {
        if spec.path == "-" {
            return Self::from_reader(spec.file(), Box::new(io::stdin()), None);
        }
        let unusable = |error: &io::Error| {
            let (code, reason) = match error.kind() {
                io::ErrorKind::NotFound => (Code::NotFound, "there is no such file".to_owned()),
                _ => (Code::Unreadable, error.to_string()),
            };
            TraceError::unusable(spec.file(), Fault::new(code, reason))
        };
        let file = File::open(&spec.path).map_err(|e| unusable(&e))?;
        let metadata = file.metadata().map_err(|e| unusable(&e))?;
        if metadata.is_dir() {
            let reason = "it is a directory; expected a trace file";
            return Err(TraceError::unusable(spec.file(), Fault::new(Code::WrongKind, reason)));
        }
        let total = metadata.is_file().then_some(metadata.len());
        Self::from_reader(spec.file(), Box::new(file), total)
    }

    /// Reads from `reader`; `total` is its length where known, for [`Input::progress`].
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn from_reader(
        file: &str,
        reader: Box<dyn Read + Send>,
        total: Option<u64>,
    ) -> Result<Self, TraceError> {
        let consumed = Arc::new(AtomicU64::new(0));
        let mut counted = Counted { reader, count: Arc::clone(&consumed) };
        let mut head = Vec::with_capacity(8);
        let unusable = |code: Code, reason: String| TraceError::unusable(file, Fault::new(code, reason));
        (&mut counted)
            .take(8)
            .read_to_end(&mut head)
            .map_err(|e| unusable(Code::Unreadable, e.to_string()))?;
        if head.is_empty() {
            return Err(unusable(Code::Empty, "the file is empty".to_owned()));
        }
        if let Some(reason) = refused(&head) {
            return Err(unusable(Code::Unsupported, reason));
        }
        let (gzip, zstandard) = (head.starts_with(GZIP), head.starts_with(ZSTANDARD));
        let raw = io::Cursor::new(head).chain(counted);
        let (reader, compression): (Box<dyn Read + Send>, _) = if gzip {
            (Box::new(MultiGzDecoder::new(raw)), Some("gzip"))
        } else if zstandard {
            let decoder = zstd::stream::read::Decoder::new(raw)
                .map_err(|e| unusable(Code::Unreadable, e.to_string()))?;
            (Box::new(decoder), Some("zstd"))
        } else {
            (Box::new(raw), None)
        };
        let mut input = Self {
            file: file.to_owned(),
            reader,
            compression,
            buffer: vec![0; CHUNK],
            start: 0,
            end: 0,
            at_end: false,
            line: 0,
            taken: 0,
            consumed,
            total,
        };
        if input.peek(3)?.is_empty() {
            return Err(unusable(Code::Empty, "the file is empty once decompressed".to_owned()));
        }
        if input.peek(3)?.starts_with(&[0xef, 0xbb, 0xbf]) {
            input.start += 3;
        }
        Ok(input)
    }

    /// The file as messages name it.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Number of the line that [`Input::next_line`] gave last, from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Fraction of the file's bytes read so far.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // a fraction for a progress bar
    pub fn progress(&self) -> Option<f64> {
        let total = self.total.filter(|&total| total > 0)?;
        let ahead = if self.compression.is_none() { self.end - self.start } else { 0 };
        let read = self.consumed.load(Ordering::Relaxed).saturating_sub(ahead as u64);
        Some((read as f64 / total as f64).min(1.0))
    }

    /// The next bytes, at least `want` of them unless the input ends before, without consuming any.
    ///
    /// # Errors
    /// Reading or decompressing failed.
    pub fn peek(&mut self, want: usize) -> Result<&[u8], TraceError> {
        while self.end - self.start < want && !self.at_end {
            self.read_more()?;
        }
        Ok(&self.buffer[self.start..self.end])
    }

    /// Takes `count` bytes, all of which [`Input::peek`] has shown.
    #[inline]
    pub fn consume(&mut self, count: usize) {
        let count = count.min(self.end - self.start);
        self.start += count;
        self.taken += count as u64;
    }

    /// Takes `count` bytes, all of which [`Input::peek`] has shown, and which are so many whole lines.
    #[inline]
    pub fn consume_lines(&mut self, count: usize, lines: u64) {
        self.start += count.min(self.end - self.start);
        self.line += lines;
    }

    /// The next line without its ending; `None` at the end.
    ///
    /// # Errors
    /// Reading or decompressing failed, or the line is longer than [`MAX_LINE`].
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<&[u8]>, TraceError> {
        let mut searched = 0;
        let (from, to) = loop {
            let pending = &self.buffer[self.start..self.end];
            if let Some(at) = memchr::memchr(b'\n', &pending[searched..]) {
                let from = self.start;
                self.start += searched + at + 1;
                break (from, from + searched + at);
            }
            searched = pending.len();
            if self.at_end {
                if searched == 0 {
                    return Ok(None);
                }
                let from = self.start;
                self.start = self.end;
                break (from, self.end);
            }
            if searched > MAX_LINE {
                let reason = format!("the line has more than {MAX_LINE} bytes; this is not a text trace");
                let fault = Fault::new(Code::TooLarge, reason);
                return Err(TraceError::malformed(&self.file, self.line + 1, fault));
            }
            self.read_more()?;
        };
        self.line += 1;
        let line = &self.buffer[from..to];
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    #[cold]
    fn read_more(&mut self) -> Result<(), TraceError> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.at_end = true;
                    return Ok(());
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.read_failed(&error)),
            }
        }
    }

    fn read_failed(&mut self, error: &io::Error) -> TraceError {
        self.at_end = true;
        let after = match self.taken {
            0 => format!("line {}", self.line),
            taken => format!("byte {taken} of the trace"),
        };
        let code = if self.compression.is_some() { Code::Damaged } else { Code::Unreadable };
        let reason = match (self.compression, error.kind()) {
            (Some(kind), io::ErrorKind::UnexpectedEof) => format!(
                "the {kind} data ends early, after about {after}: the file is truncated; fetch or compress it again"
            ),
            (Some(kind), _) => {
                format!("the {kind} data is corrupt, after about {after}: {error}")
            }
            (None, _) => format!("cannot be read after {after}: {error}"),
        };
        TraceError::unusable(&self.file, Fault::new(code, reason))
    }
}

/// Why a file with these first bytes is not read, where that can be said better than "unknown format".
fn refused(head: &[u8]) -> Option<String> {
    let packed = [
        (&b"\xfd7zXZ"[..], "xz", "xz -dc"),
        (b"BZh", "bzip2", "bzip2 -dc"),
        (b"\x04\x22\x4d\x18", "lz4", "lz4 -dc"),
        (b"PK\x03\x04", "zip", "unzip -p"),
        (b"7z\xbc\xaf", "7-zip", "7z e -so"),
    ];
    if head.starts_with(b"PAR1") {
        return Some("this is a Parquet file, which only the Python API reads".to_owned());
    }
    packed.iter().find(|(magic, ..)| head.starts_with(magic)).map(|(_, name, tool)| {
        format!("the file is compressed with {name}; gzip and zstd are read directly, others through a pipe: {tool} FILE | iowatt ... -")
    })
}

struct Counted {
    reader: Box<dyn Read + Send>,
    count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failed test is meant to stop

    use super::is_compressed;

    #[test]
    fn what_is_compressed_is_known_by_its_first_bytes() {
        let path = std::env::temp_dir().join(format!("iowatt-trace-compressed-{}", std::process::id()));
        let name = path.to_str().unwrap();
        let cases: [(&[u8], bool); 5] = [
            (b"0.5 0 8 8 0\n", false),
            (&[0x1f, 0x8b, 8, 0], true),
            (&[0x28, 0xb5, 0x2f, 0xfd, 0], true),
            (&[0x28, 0xb5], false),
            (b"", false),
        ];
        for (bytes, compressed) in cases {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(is_compressed(name), compressed, "{bytes:?}");
        }
        std::fs::remove_file(&path).unwrap();
        assert!(!is_compressed(name));
    }
}
