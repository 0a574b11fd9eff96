//! A volume over NBD, with the client of `iowatt-nbd` and with bytes that are no NBD.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // tests fail by panicking

mod support;

use iowatt_live::{Clients, FileStore, Listener, Options, Store, Volume, VolumeSpec, serve};
use iowatt_nbd::wire::{self, Chunk, Command, NbdError, Request, SimpleReply};
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use support::plan;

/// A client that asks for structured replies: a write, and what it reads of it; a read beyond the end.
fn read_in_chunks(socket: &Path) {
    let mut stream = UnixStream::connect(socket).unwrap();
    let bytes = |stream: &mut UnixStream, count: usize| {
        let mut found = vec![0; count];
        stream.read_exact(&mut found).unwrap();
        found
    };
    wire::decode_greeting(&bytes(&mut stream, wire::GREETING_LEN)).unwrap();
    stream.write_all(&wire::encode_client_flags(3)).unwrap();
    stream.write_all(&wire::encode_option(wire::option::STRUCTURED_REPLY, &[])).unwrap();
    let reply = wire::decode_option_reply(&bytes(&mut stream, wire::OPTION_REPLY_LEN)).unwrap();
    assert_eq!((reply.option, reply.kind, reply.length), (8, wire::option_reply::ACK, 0));
    stream.write_all(&wire::encode_option(wire::option::EXPORT_NAME, b"v")).unwrap();
    let (size, flags) =
        wire::decode_export_name_reply(&bytes(&mut stream, wire::EXPORT_NAME_REPLY_LEN)).unwrap();
    assert!(flags & wire::transmission_flags::SEND_DF != 0);
    let request = |command, flags, cookie, offset| Request {
        flags,
        command: command as u16,
        cookie,
        offset,
        length: 4096,
    };
    stream.write_all(&request(Command::Write, 0, 1, 8192).encode()).unwrap();
    stream.write_all(&[7; 4096]).unwrap();
    let written = SimpleReply::decode(&bytes(&mut stream, wire::REPLY_LEN)).unwrap();
    assert_eq!((written.error, written.cookie), (0, 1));
    stream.write_all(&request(Command::Read, wire::command_flags::DF, 2, 8192).encode()).unwrap();
    let found = Chunk::decode(&bytes(&mut stream, wire::CHUNK_LEN + 8)).unwrap();
    assert_eq!(found, (2, Chunk::Data { offset: 8192, bytes: 4096 }));
    assert_eq!(bytes(&mut stream, 4096), [7; 4096]);
    stream.write_all(&request(Command::Read, 0, 3, size).encode()).unwrap();
    let beyond = Chunk::decode(&bytes(&mut stream, wire::CHUNK_LEN + 6)).unwrap();
    assert_eq!(beyond, (3, Chunk::Error(NbdError::Invalid.number())));
}

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
        read_in_chunks(&socket);
        clients.close();
        drop(UnixStream::connect(&socket));
        server.join().unwrap().unwrap();
    });
    running.stop().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
}
