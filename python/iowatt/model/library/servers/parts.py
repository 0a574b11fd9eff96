"""Figures of servers, network adapters and rack switches, and the files that have them."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Literal, TypeVar

from iowatt.base.errors import InputError
from iowatt.base.quantity import Capacity, Power
from iowatt.base.strict import Strict, key
from iowatt.model.library.folders import LibraryFolder
from iowatt.model.library.source import DatedSource, FigureSource, source_of

SERVERS: Final = LibraryFolder("servers", "part of a node", "`iowatt explain cluster.node.server`")
NAME_PATTERN: Final = r"^[a-z0-9]+(-[a-z0-9]+)*$"


def _figure(description: str, **more: Any) -> Any:
    """A key that may be left out where the file of the library has it."""
    return key(description, default=None, unset="as in its file", **more)


class ServerFigures(Strict):
    """Figures of a server. Its watts are at the wall, without the cluster's drives and adapters."""

    rack_units: int | None = _figure("Height in rack units.", within=(1, 48), example=2)
    cores: int | None = _figure(
        "Cores of all its processors: requests that they work on at a time.", within=(1, 1024), example=64
    )
    memory: Capacity | None = _figure("Memory with which its watts were measured.", gt=0, example="128GiB")
    bays: int | None = _figure("Drives that it takes.", within=(1, 256), example=12)
    form_factor: Literal["2.5", "3.5"] | None = _figure("What its bays take.", example="3.5")
    idle: Power | None = _figure("Watts at the wall, switched on and without work.", gt=0, example="66W")
    busy: Power | None = _figure("Watts at the wall with all cores busy.", gt=0, example="240W")
    supply_rating: Power | None = _figure("What one of its supplies can give out.", gt=0, example="750W")
    supplies: int | None = _figure(
        "Power supplies; half of them, rounded up, are enough.", within=(1, 8), example=2
    )
    supply_efficiency: float | None = _figure(
        "Share of what drives and adapters draw from the wall that reaches them. The supplies' own loss is "
        "in the server's watts.",
        gt=0,
        le=1,
        example=0.94,
    )


class _NodePartFile(Strict):
    """Keys of every file."""

    name: str = key("Lower-case name with dashes.", pattern=NAME_PATTERN, max_length=64)
    title: str = key("What it is, as people write it.", min_length=1)
    assumptions: list[str] = key("Statements that a reader of its results must see.", default=[])
    notes: list[str] = key("Remarks on the figures, for whoever looks at them.", default=[])
    source: list[DatedSource] = key("Where the figures come from.", min_length=1)

    def source_of(self, figure: str) -> FigureSource | None:
        """The source of a figure; the most specific one, the first among equals."""
        return source_of(self.source, figure)


class ServerFile(ServerFigures, _NodePartFile):
    """A server of the library."""

    kind: Literal["server"] = key("What the part is. server: a whole one without drives.")


class NetworkAdapterFile(_NodePartFile):
    """A network adapter of the library."""

    kind: Literal["network-adapter"] = key("What the part is. network-adapter: one card.")
    ports: int = key("Its ports.", within=(1, 8))
    link: str = key("The link of a port, a name of the folder `fabric`.")
    watts: Power = key("What the card draws from the supplies, whatever its traffic.")


class RackSwitchFile(_NodePartFile):
    """A switch of a rack."""

    kind: Literal["rack-switch"] = key("What the part is. rack-switch: the switch that joins a rack's nodes.")
    ports: int = key("Ports for nodes.", within=(1, 1024))
    rack_units: int = key("Height in rack units.", within=(1, 48))
    watts: Power = key("What it draws from the wall, whatever its traffic.")


NodePartFile = ServerFile | NetworkAdapterFile | RackSwitchFile

KINDS: Final[dict[str, type[NodePartFile]]] = {
    "server": ServerFile,
    "network-adapter": NetworkAdapterFile,
    "rack-switch": RackSwitchFile,
}
_File = TypeVar("_File", ServerFile, NetworkAdapterFile, RackSwitchFile)


@cache
def names(kind: str | None = None) -> tuple[str, ...]:
    """Names of the files of one kind, or of all, sorted."""
    return tuple(
        name for name in SERVERS.names() if kind is None or SERVERS.document(name).raw.get("kind") == kind
    )


@cache
def part(name: str) -> NodePartFile:
    """The part ``name`` of any kind, which must be one of ``names``."""
    document = SERVERS.document(name)
    return document.validate(KINDS[str(document.raw["kind"])])


@cache
def server(name: str) -> ServerFile:
    """The server ``name``; raises ``InputError`` where there is none, with the nearest names."""
    return _of(ServerFile, "server", name)


@cache
def network_adapter(name: str) -> NetworkAdapterFile:
    """The network adapter ``name``; raises ``InputError`` where there is none, with the nearest names."""
    return _of(NetworkAdapterFile, "network-adapter", name)


@cache
def rack_switch(name: str) -> RackSwitchFile:
    """The rack switch ``name``; raises ``InputError`` where there is none, with the nearest names."""
    return _of(RackSwitchFile, "rack-switch", name)


def _of(model: type[_File], kind: str, name: str) -> _File:
    known = names(kind)
    if name not in known:
        raise _unknown(name, kind, known)
    return SERVERS.document(name).validate(model)


def _unknown(name: str, kind: str, known: tuple[str, ...]) -> InputError:
    item = kind.replace("-", " ")
    return SERVERS.unknown(name, f"one of {', '.join(known)}", item=item, known=known)
