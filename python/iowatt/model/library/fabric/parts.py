"""Parts of the path between hosts and an array, by name: the files of the library's folder ``fabric``."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import Field

from iowatt.base.errors import InputError
from iowatt.base.quantity import BlockSize, Duration, Iops, Rate
from iowatt.base.strict import Strict, key
from iowatt.model.library.folders import LibraryFolder
from iowatt.model.library.source import DatedSource, FigureSource, source_of

Medium = Literal["fibre-channel", "ethernet", "pcie"]
Forwarding = Literal["cut-through", "store-and-forward"]
FABRIC: Final = LibraryFolder("fabric", "part", "`iowatt fabric list`")
#: For one processor: half a command's time is then 10 s, the most that `submit` and `complete` may be.
SLOWEST_IOPS: Final = 0.05
#: Bytes a second: slower than any link, and 64 KiB take a minute. Sums of times stay countable in ns.
SLOWEST_RATE: Final = 1e3
NAME_PATTERN = r"^[a-z0-9]+(-[a-z0-9]+)*$"


def figure(description: str, unit: str | None = None, unset: str = "as in its file", **more: Any) -> Any:
    """A key that may be left out where the part's file has it."""
    return key(description, default=None, unset=unset, unit=unit, **more)


class LinkFigures(Strict):
    """Figures of a link, the same in both directions, which are independent."""

    medium: Medium | None = figure(
        "What it is: a protocol goes over the media that it is defined for.",
        unset="as in its file; of a link of one's own, any protocol goes over it",
        example="fibre-channel",
    )
    rate: Rate | None = figure(
        "Bytes a second on the wire in one direction, after line coding.", ge=SLOWEST_RATE, example="850MB/s"
    )
    frame: BlockSize | None = figure(
        "Most bytes that a frame carries. Of Ethernet this is the MTU: the protocol's headers in each frame "
        "come off it.",
        unset="as in its file; of a link of one's own, 2KiB",
        within=(64, 2**20),
        example=9000,
    )
    overhead: BlockSize | None = figure(
        "Bytes that each frame takes on the wire besides: delimiters, header, checksum, gap to the next.",
        unset="as in its file; of a link of one's own, none",
        le=2**16,
        example=124,
    )
    latency: Duration | None = figure(
        "Time from the first bit in to the first bit out besides that of its length: transceivers, error "
        "correction.",
        unset="as in its file, or none",
        le=1,
        example="100ns",
    )
    delay_per_km: Duration | None = figure(
        "Time of light over a kilometre of it.",
        unset="as in its file, or 5 us as in glass fibre",
        le=1,
        example="5us",
    )


class SwitchFigures(Strict):
    """Figures of a switch, from one of its ports to another."""

    medium: Medium | None = figure(
        "What it switches.", unset="as in its file, or anything", example="fibre-channel"
    )
    latency: Duration | None = figure(
        "Time from the first bit in to the first bit out of a frame that finds its port free.",
        le=1,
        example="700ns",
    )
    forwarding: Forwarding | None = figure(
        "When it passes a frame on. cut-through: as soon as it has read where to. store-and-forward: when it "
        "is there whole.",
        unset="as in its file, or cut-through",
        example="store-and-forward",
    )


class AdapterFigures(Strict):
    """Figures of one port of a host bus adapter (HBA, NIC) with its driver."""

    medium: Medium | None = figure(
        "What its port is.", unset="as in its file, or anything", example="fibre-channel"
    )
    iops: Iops | None = figure(
        "Most commands a second. Half of a command's time is for sending it, half for completing it.",
        unset="as in its file; where submit or complete is given, what they make",
        ge=SLOWEST_IOPS,
        example=200_000,
    )
    submit: Duration | None = figure(
        "Time of one of its processors to send a command.",
        unset="half of processors / iops",
        le=10,
        example="2us",
    )
    ready: Duration | None = figure(
        "Time of one of its processors to answer an array that is ready for data with data.",
        unset="as in its file, or none",
        le=10,
        example="1us",
    )
    complete: Duration | None = figure(
        "Time of one of its processors to complete a command.",
        unset="half of processors / iops",
        le=10,
        example="2us",
    )
    processors: int | None = figure(
        "Commands that it works on at a time.", unset="as in its file, or 1", within=(1, 1024), example=8
    )
    bandwidth: Rate | None = figure(
        "Most data bytes a second in one direction.",
        unset="as in its file, or as its link",
        ge=SLOWEST_RATE,
        example="789MB/s",
    )
    queue_depth: int | None = figure(
        "Commands that its driver keeps outstanding: for one LUN, which stands for a lane.",
        unset="as in its file, or no limit",
        within=(1, 2**32 - 1),
        example=30,
    )


class ProtocolFigures(Strict):
    """Messages of a protocol, and the time that it adds."""

    medium: Annotated[list[Medium], Field(min_length=1)] = key("What it goes over.")
    command: BlockSize = key("Message of a command.", gt=0)
    ready: BlockSize = key("Message that asks for the data of a write.", gt=0)
    response: BlockSize = key("Message that ends a read, behind the data; 0: the last data says it.")
    write_response: BlockSize = key("Message that ends a write.", gt=0)
    headers: BlockSize = key("Headers of the protocol in each frame of Ethernet.", default=0)
    payloads: list[BlockSize] = key("Payloads that a frame may have, where not any.", default=[])
    unsolicited: BlockSize = key(
        "Data of a write that goes without being asked for, unless the path says otherwise.", default=0
    )
    whole_only: bool = key(
        "Whether only a write that fits wholly goes without being asked for; else the first part of any "
        "write does.",
        default=False,
    )
    burst: BlockSize | None = key("Most data asked for at once.", unset="all", gt=0)
    stack: Duration = key(
        "Time that software or firmware of the protocol on both ends adds to a command and its answer.",
        default=0.0,
        le=1,
    )


class _PathPartFile(Strict):
    """Keys of every file."""

    name: str = key("Lower-case name with dashes.", pattern=NAME_PATTERN, max_length=64)
    title: str = key("What it is, as people write it.", min_length=1)
    assumptions: list[str] = key("Statements that a reader of its results must see.", default=[])
    notes: list[str] = key("Remarks on the figures, for whoever looks at them.", default=[])
    source: list[DatedSource] = key("Where the figures come from.", min_length=1)

    def source_of(self, name: str) -> FigureSource | None:
        """The source of a figure; the most specific one, the first among equals."""
        return source_of(self.source, name)


class LinkFile(LinkFigures, _PathPartFile):
    """A link of the library."""

    kind: Literal["link"] = key("What the part is. link: a cable or trace with its line rate.")


class SwitchFile(SwitchFigures, _PathPartFile):
    """A switch of the library."""

    kind: Literal["switch"] = key("What the part is. switch: the way between two ports of one.")


class AdapterFile(AdapterFigures, _PathPartFile):
    """A host adapter of the library."""

    kind: Literal["adapter"] = key("What the part is. adapter: one port of an HBA.")


class ProtocolFile(ProtocolFigures, _PathPartFile):
    """A protocol of the library."""

    kind: Literal["protocol"] = key("What the part is. protocol: the messages of reads and writes.")


PathPart = LinkFile | SwitchFile | AdapterFile | ProtocolFile


KINDS: Final[dict[str, type[PathPart]]] = {
    "link": LinkFile,
    "switch": SwitchFile,
    "adapter": AdapterFile,
    "protocol": ProtocolFile,
}
"""Models by the kind that a file says."""

_Kind = TypeVar("_Kind", LinkFile, SwitchFile, AdapterFile, ProtocolFile)


@cache
def names(kind: str | None = None) -> tuple[str, ...]:
    """Names of the parts of one kind, or of all, sorted."""
    return tuple(
        name for name in FABRIC.names() if kind is None or FABRIC.document(name).raw.get("kind") == kind
    )


@cache
def part(name: str) -> PathPart:
    """The part called ``name``, of any kind.

    Raises ``InputError`` where there is none, with the nearest names.
    """
    if name not in names():
        raise FABRIC.unknown(name, "a library name")
    document = FABRIC.document(name)
    return document.validate(KINDS[str(document.raw["kind"])])


def part_of(kind: type[_Kind], name: str) -> _Kind:
    """The part called ``name``, of the kind ``kind``.

    Raises ``InputError`` where there is none of that kind, with the nearest names.
    """
    word = next(word for word, model in KINDS.items() if model is kind)
    known = part(name) if name in names() else None
    if isinstance(known, kind):
        return known
    error = FABRIC.unknown(name, "a library name", item=word, known=names(word))
    if known is None:
        raise error
    raise InputError(
        "not-accepted", None, f"{name!r} is a {known.kind}; expected a {word} of the library", hint=error.hint
    )
