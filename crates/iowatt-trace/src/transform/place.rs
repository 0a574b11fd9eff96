//! Devices laid into address spaces: each at an offset of its own in a volume, the others beside it.
//!
//! Where no offset is given, a device begins behind the one before it in the same volume, at a multiple of the
//! alignment; how far a device reaches is then measured in a pass of its own over the trace.

use super::step::Step;
use crate::error::{Code, Fault};
use crate::request::Request;
use crate::spec::{Placement, Seat};

/// How far each device reaches: name and end of its furthest request, in order of appearance.
pub(super) type Ends = Vec<(String, u64)>;

/// The name of the one volume, where none is named.
const ONE: &str = "volume";

#[derive(Clone, Debug)]
struct Spot {
    device: String,
    volume: u32,
    offset: u64,
    /// Bytes of the device that lie before its neighbour.
    room: u64,
}

pub(super) struct Place {
    spots: Vec<Spot>,
    volumes: Vec<String>,
    /// Spot by device index of the source.
    known: Vec<Option<usize>>,
    ready: Option<Request>,
}

/// Whether offsets have to be found by measuring.
pub(super) fn needs_ends(placement: &Placement) -> bool {
    placement.seats.is_empty() || placement.seats.iter().any(|seat| seat.offset.is_none())
}

impl Place {
    /// # Errors
    /// Devices that overlap, or are named twice or not at all.
    pub(super) fn new(placement: &Placement, ends: &Ends) -> Result<Self, Fault> {
        let all: Vec<Seat>;
        let seats = if placement.seats.is_empty() {
            let seat =
                |(device, _): &(String, u64)| Seat { device: device.clone(), volume: None, offset: None };
            all = ends.iter().map(seat).collect();
            &all
        } else {
            &placement.seats
        };
        let (mut spots, mut volumes, mut free): (Vec<Spot>, Vec<String>, Vec<u64>) = Default::default();
        for seat in seats {
            if spots.iter().any(|spot| spot.device == seat.device) {
                let reason = format!("place names device '{}' twice", seat.device);
                return Err(Fault::new(Code::Duplicate, reason));
            }
            let name = seat.volume.as_deref().unwrap_or(ONE);
            let volume = volumes.iter().position(|volume| volume == name).unwrap_or_else(|| {
                volumes.push(name.to_owned());
                free.push(0);
                volumes.len() - 1
            });
            let offset = match seat.offset {
                Some(offset) => offset,
                None => free[volume],
            };
            let reach = ends.iter().find(|(device, _)| *device == seat.device).map_or(0, |(_, end)| *end);
            let end =
                offset.checked_add(reach).and_then(|end| end.checked_next_multiple_of(placement.align_bytes));
            let end = end.filter(|&end| end <= 1 << 63).ok_or_else(|| too_far(&seat.device))?;
            free[volume] = free[volume].max(end);
            spots.push(Spot { device: seat.device.clone(), volume: volume as u32, offset, room: u64::MAX });
        }
        for index in 0..spots.len() {
            let (volume, offset) = (spots[index].volume, spots[index].offset);
            let beside = |(other, spot): (usize, &Spot)| {
                (other != index && spot.volume == volume && spot.offset >= offset)
                    .then(|| spot.offset - offset)
            };
            let room = spots.iter().enumerate().filter_map(beside).min().unwrap_or(u64::MAX);
            if room == 0 {
                let device = &spots[index].device;
                let reason =
                    format!("place puts device '{device}' and another one at the same offset, {offset}");
                return Err(Fault::new(Code::Conflict, reason));
            }
            spots[index].room = room;
        }
        Ok(Self { spots, volumes, known: Vec::new(), ready: None })
    }

    fn spot(&mut self, device: u32, names: &[String]) -> Result<usize, Fault> {
        let index = device as usize;
        if let Some(Some(spot)) = self.known.get(index) {
            return Ok(*spot);
        }
        let name = names.get(index).map_or("", String::as_str);
        let spot = self.spots.iter().position(|spot| spot.device == name).ok_or_else(|| {
            let listed: Vec<_> = self.spots.iter().map(|spot| format!("'{}'", spot.device)).collect();
            let reason = format!(
                "place does not name device '{name}', only {}; name it there, or select the devices",
                listed.join(", ")
            );
            Fault::new(Code::Missing, reason)
        })?;
        if self.known.len() <= index {
            self.known.resize(index + 1, None);
        }
        self.known[index] = Some(spot);
        Ok(spot)
    }
}

fn too_far(device: &str) -> Fault {
    Fault::new(Code::OutOfRange, format!("device '{device}' is placed past 2^63 bytes"))
}

impl Step for Place {
    fn put(&mut self, request: Request, devices: &[String]) -> Result<(), Fault> {
        let index = self.spot(request.device, devices)?;
        let spot = &self.spots[index];
        let end = request.offset + u64::from(request.size);
        if end > spot.room {
            let reason = format!(
                "device '{}' reaches byte {end}, but the device placed behind it begins {} bytes from its beginning",
                spot.device, spot.room
            );
            return Err(Fault::new(Code::Conflict, reason));
        }
        if end.checked_add(spot.offset).is_none_or(|end| end > 1 << 63) {
            return Err(too_far(&spot.device));
        }
        self.ready = Some(Request { device: spot.volume, offset: request.offset + spot.offset, ..request });
        Ok(())
    }

    fn get(&mut self) -> Option<Request> {
        self.ready.take()
    }

    fn devices(&self) -> Option<&[String]> {
        Some(&self.volumes)
    }

    fn note(&self) -> Option<String> {
        const SHOWN: usize = 10;
        let at = |spot: &Spot| {
            let volume = &self.volumes[spot.volume as usize];
            format!("{} at byte {} of {volume}", spot.device, spot.offset)
        };
        let mut listed: Vec<_> = self.spots.iter().take(SHOWN).map(at).collect();
        if self.spots.len() > SHOWN {
            listed.push(format!("{} more", self.spots.len() - SHOWN));
        }
        Some(format!("devices were placed: {}", listed.join(", ")))
    }
}
