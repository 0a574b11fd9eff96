"""Any bytes give a log or an error with a place, and nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.base.document import TomlDocument
from iowatt.base.errors import InputError
from iowatt.counters.profile import build_profile, profile_toml
from iowatt.counters.read import read
from iowatt.counters.streams import ProfileRequest
from iowatt.counters.summary import summary
from iowatt.model.profile.profile import Profile
from iowatt.pages.counters import document
from iowatt.render import terminal

DATA = Path(__file__).parents[1] / "data" / "counters"
SEEDS = [path.read_bytes()[:4000] for path in sorted(DATA.iterdir()) if path.suffix != ".md"]
WORDS = (
    'Device r/s w/s rkB/s wkB/s tps DEV ; , " -1 nan 1e999 0 1,5 avg-cpu: # hostname; { } [ ] "disk" '
    "(PDH-CSV 4.0) 10:00:00 AM \\\\H\\PhysicalDisk( )\\Disk Reads/sec"
)
TOKENS = [word.encode() for word in WORDS.split(" ")] + [
    *(b" ", b"\n", b"\r\n", b"\t", b"9" * 30, b"Linux 1 (h) 1 x\n", b"\x00", b"\xff\xfe", b"\xed\xa0"),
]


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    """A log with pieces cut out, doubled and put in."""
    data = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 60)))
        piece = draw(st.sampled_from(TOKENS) | st.binary(max_size=8) | st.just(bytes(data[at:end]) * 2))
        data[at:end] = piece
    return bytes(data)


def tried(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        path.write_bytes(data)
        for options in ({}, {"first": "keep", "skip_bad": 1000, "interval_s": 10.0}):
            try:
                log = read([path], **options)  # type: ignore[arg-type]
            except InputError as error:
                assert error.place
                continue
            assert terminal.text(document(summary(log), []))
            for devices in [*([device] for device in log.devices), list(log.devices)]:
                asked = ProfileRequest({"pattern": "uniform"}, read_share=0.5, span=1 << 50)
                try:
                    built = build_profile(log, devices, asked, name="x", origin="log")
                except InputError:
                    continue
                TomlDocument(profile_toml(built.tables), "x.toml").validate(Profile)


@settings(max_examples=400, deadline=None)
@given(mangled())
def test_mangled_logs(data: bytes) -> None:
    tried(data)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(TOKENS) | st.binary(max_size=12), max_size=60).map(b"".join))
def test_heaps_of_tokens(data: bytes) -> None:
    tried(data)
