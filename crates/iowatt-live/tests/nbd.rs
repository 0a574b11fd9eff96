//! A volume over NBD, with the client of `iowatt-nbd` and with bytes that are no NBD.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests fail by panicking

mod support;

use iowatt_live::{Clients, FileStore, Listener, Options, Store, Volume, VolumeSpec, serve};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use support::plan;

#[test]
fn hostile_bytes_end_their_own_connection_only() {
    let folder = std::env::temp_dir().join(format!("iowatt-live-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let plan = plan("tiering", 512 << 10, 2 << 20);
    let stores: Vec<Arc<dyn Store>> = Volume::needed_bytes(&plan)
        .unwrap()
        .into_iter()
        .enumerate()
        .map(|(part, bytes)| {
            let path = folder.join(format!("part{part}"));
            std::fs::File::create(&path).unwrap().set_len(bytes).unwrap();
            Arc::new(FileStore::open(&path).unwrap()) as Arc<dyn Store>
        })
        .collect();
    let busy = FileStore::open(&folder.join("part0"));
    assert_eq!(busy.unwrap_err().kind(), std::io::ErrorKind::ResourceBusy);
    let spec = VolumeSpec { name: "v".into(), uuid: "c".repeat(32), plan };
    Volume::create(&spec, &stores).unwrap();
    let running = Volume::open(&stores).unwrap().start(Options::default()).unwrap();
    let socket = folder.join("nbd");
    let listener = Listener::Unix(UnixListener::bind(&socket).unwrap());
    let clients = Arc::new(Clients::default());
    std::thread::scope(|scope| {
        let server = scope.spawn(|| serve(&running.driver, "v", &listener, &clients));
        let mut random = support::Random(5);
        for length in [0, 1, 3, 20, 100, 5_000] {
            let mut stream = UnixStream::connect(&socket).unwrap();
            let mut bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            if length > 3 {
                bytes[..4].copy_from_slice(&3_u32.to_be_bytes()); // flags that are right, then noise
            }
            let _ = stream.write_all(&bytes);
            let _ = stream.shutdown(std::net::Shutdown::Write);
            let _ = stream.read_to_end(&mut Vec::new());
        }
        let mut stream = UnixStream::connect(&socket).unwrap();
        let mut greeting = [0; 18];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!(&greeting[..8], b"NBDMAGIC");
        clients.close();
        drop(UnixStream::connect(&socket));
        server.join().unwrap().unwrap();
    });
    running.stop().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}
