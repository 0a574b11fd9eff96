//! Messages return as they were sent, and hostile bytes are errors.
#![allow(clippy::unwrap_used)] // a test fails by panicking

use iowatt_nbd::wire::{
    BlockSize, Command, InfoRequest, Malformed, NbdError, OPTION_LEN, OPTION_REPLY_LEN, OptionHeader,
    OptionReply, Request, SimpleReply, decode_client_flags, decode_export_name_reply, decode_greeting,
    decode_info_block_size, decode_info_export, decode_info_request, decode_option, decode_option_reply,
    decode_server, encode_info_block_size, encode_info_export, encode_info_request, encode_option,
    encode_option_reply, encode_server, info, info_type, option, option_reply,
};
use proptest::prelude::*;

#[test]
fn a_request_is_that_of_the_protocol() {
    let request = Request { flags: 1, command: Command::Write as u16, cookie: 7, offset: 4096, length: 512 };
    let bytes = request.encode();
    assert_eq!(bytes[..8], [0x25, 0x60, 0x95, 0x13, 0, 1, 0, 1]);
    assert_eq!(bytes[8..16], 7_u64.to_be_bytes());
    assert_eq!(bytes[24..], 512_u32.to_be_bytes());
    assert_eq!(request.payload(), 512);
    assert_eq!(Request { command: Command::Trim as u16, ..request }.payload(), 0);
}

#[test]
fn a_structured_reply_is_refused() {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&0x668e_33ef_u32.to_be_bytes());
    assert!(matches!(SimpleReply::decode(&bytes), Err(Malformed::Magic { found: 0x668e_33ef, .. })));
}

#[test]
fn commands_and_errors_have_the_numbers_of_the_protocol() {
    let commands: Vec<_> = (0..8).map(Command::of).collect();
    assert_eq!(commands[2], Some(Command::Disconnect));
    assert_eq!(commands[6], Some(Command::WriteZeroes));
    assert_eq!(commands[7], None);
    assert_eq!(NbdError::of(0), None);
    assert_eq!(NbdError::of(28), Some(NbdError::NoSpace));
    assert_eq!(NbdError::of(4711), Some(NbdError::Invalid));
}

#[test]
fn an_option_says_how_much_data_follows() {
    let data = encode_info_request("disk", &[info::BLOCK_SIZE]);
    let bytes = encode_option(option::GO, &data);
    assert_eq!(decode_option(&bytes[..OPTION_LEN]), Ok(OptionHeader { option: 7, length: 12 }));
    let wanted = InfoRequest { name: "disk".into(), wants: vec![3] };
    assert_eq!(decode_info_request(&bytes[OPTION_LEN..]), Ok(wanted));
    let mut huge = bytes[..OPTION_LEN].to_vec();
    huge[12..].copy_from_slice(&u32::MAX.to_be_bytes());
    assert!(matches!(decode_option(&huge), Err(Malformed::Value { .. })));
}

#[test]
fn replies_to_options_return() {
    let bytes = encode_option_reply(option::GO, option_reply::INFO, &encode_info_export(1 << 30, 0x0d));
    let (header, data) = bytes.split_at(OPTION_REPLY_LEN);
    assert_eq!(decode_option_reply(header), Ok(OptionReply { option: 7, kind: 3, length: 12 }));
    assert_eq!(info_type(data), Ok(info::EXPORT));
    assert_eq!(decode_info_export(data), Ok((1 << 30, 0x0d)));
    assert!(option_reply::is_error(option_reply::ERR_UNKNOWN) && !option_reply::is_error(option_reply::ACK));
    assert_eq!(decode_server(&encode_server("a")), Ok("a".into()));
}

#[test]
fn block_sizes_that_break_the_rules_are_refused() {
    let good = BlockSize { minimum: 512, preferred: 4096, maximum: 32 << 20 };
    assert_eq!(decode_info_block_size(&encode_info_block_size(good)), Ok(good));
    for bad in [
        BlockSize { minimum: 0, ..good },
        BlockSize { minimum: 500, ..good },
        BlockSize { preferred: 256, ..good },
        BlockSize { maximum: 0, ..good },
    ] {
        assert!(matches!(decode_info_block_size(&encode_info_block_size(bad)), Err(Malformed::Value { .. })));
    }
}

#[test]
fn names_are_utf8_and_not_too_long() {
    let mut bytes = encode_server("ab");
    bytes[4] = 0xff;
    assert!(matches!(decode_server(&bytes), Err(Malformed::String { .. })));
    assert!(matches!(decode_server(&encode_server(&"a".repeat(4097))), Err(Malformed::String { .. })));
    // A length that reaches behind the data.
    assert!(matches!(decode_server(&u32::MAX.to_be_bytes()), Err(Malformed::Length { .. })));
}

proptest! {
    #[test]
    fn requests_and_replies_return(
        flags: u16, command: u16, cookie: u64, offset: u64, length: u32, error: u32
    ) {
        let request = Request { flags, command, cookie, offset, length };
        prop_assert_eq!(Request::decode(&request.encode()), Ok(request));
        let reply = SimpleReply { error, cookie };
        prop_assert_eq!(SimpleReply::decode(&reply.encode()), Ok(reply));
    }

    #[test]
    fn info_requests_return(name in "\\PC{0,40}", wants in prop::collection::vec(any::<u16>(), 0..9)) {
        let bytes = encode_info_request(&name, &wants);
        prop_assert_eq!(decode_info_request(&bytes), Ok(InfoRequest { name, wants }));
        // Cut short or with a byte more it is none.
        prop_assert!(decode_info_request(&bytes[..bytes.len() - 1]).is_err());
        prop_assert!(decode_info_request(&[&bytes[..], &[0]].concat()).is_err());
    }

    #[test]
    fn hostile_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = (decode_greeting(&bytes), decode_client_flags(&bytes), decode_export_name_reply(&bytes));
        let _ = (decode_option(&bytes), decode_option_reply(&bytes), decode_info_request(&bytes));
        let _ = (decode_info_export(&bytes), decode_info_block_size(&bytes), decode_server(&bytes));
        let _ = (Request::decode(&bytes), SimpleReply::decode(&bytes), info_type(&bytes));
    }
}
