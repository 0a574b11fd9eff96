//! Stores in memory.

use iowatt_live::Store;
use std::io;
use std::sync::{Arc, RwLock};
use std::time::Duration;

/// Memory that takes a while, to read and to write.
pub struct Memory {
    bytes: RwLock<Vec<u8>>,
    takes: Duration,
    prompt: bool,
}

impl Memory {
    /// Zeroes.
    pub fn store(bytes: u64, takes: Duration, prompt: bool) -> Arc<dyn Store> {
        Arc::new(Self { bytes: RwLock::new(vec![0; bytes as usize]), takes, prompt })
    }

    fn pause(&self) {
        if !self.takes.is_zero() {
            std::thread::sleep(self.takes);
        }
    }
}

impl Store for Memory {
    fn bytes(&self) -> u64 {
        self.bytes.read().unwrap().len() as u64
    }

    fn read(&self, at: u64, to: &mut [u8]) -> io::Result<()> {
        self.pause();
        to.copy_from_slice(&self.bytes.read().unwrap()[at as usize..at as usize + to.len()]);
        Ok(())
    }

    fn write(&self, at: u64, from: &[u8]) -> io::Result<()> {
        self.pause();
        self.bytes.write().unwrap()[at as usize..at as usize + from.len()].copy_from_slice(from);
        Ok(())
    }

    fn discard(&self, (from, until): (u64, u64)) -> io::Result<()> {
        self.write(from, &vec![0; (until - from) as usize])
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn is_prompt(&self) -> bool {
        self.prompt
    }
}
