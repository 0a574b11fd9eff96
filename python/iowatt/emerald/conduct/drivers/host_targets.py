"""Targets on load hosts: looked at, made or locked by the agent of each, and named twice where they exist."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from iowatt.base.errors import Argument, InputError
from iowatt.base.units import format_bytes
from iowatt.emerald.hosts import HostShare
from iowatt.emerald.plan.load import span
from iowatt.sources.hosts import HostConnection, HostLost

Looks = Mapping[str, Mapping[str, dict[str, Any]]]


def identity(host: str, look: Mapping[str, Any]) -> str:
    """What stays as long as it is the same file of the same host."""
    return f"{host} {look.get('identity')}"


def claim(
    connections: Mapping[str, HostConnection],
    shares: Mapping[str, HostShare],
    looks: Looks,
    boots: Mapping[str, str],
    *,
    erase: str | None,
    ours: Sequence[str],
    tell: Callable[[str], None],
) -> None:
    """Make or lock every target, each once where hosts of one machine share it.

    ``boots``: the boot of each host's kernel, by which those of one machine are known.
    Raises ``InputError``: a target must be named twice, is in use, too small, of another kind, or has no
    room.
    """
    named = list(dict.fromkeys(path for share in shares.values() for path in share.targets))
    if erase is not None and [name.strip() for name in erase.split(",")] != named:
        text = f"it names {erase}, and the targets of the hosts are {','.join(named)}"
        raise InputError("conflict", Argument("erase"), text, hint="both must be the same")
    held: set[tuple[str, str]] = set()
    for name, share in shares.items():
        size = None if share.plan.target.size_bytes is None else span(share.plan).bytes_each
        for path in share.targets:
            look = looks[name][path]
            where = f"host {name}: {path}"
            own = identity(name, look) in ours
            _accept(look, where, path, size, allowed=erase is not None or own, device=erase is not None)
            if (boots[name], str(look.get("identity") or path)) in held:
                continue
            answer = _ask(connections[name], path=path, size=size or 0, may_write=True)
            if "error" in answer:
                raise InputError(answer["error"], where, answer["text"])
            if not answer["made"] and not own:
                blank = "only zeros at its beginning" if look.get("blank") else "it holds data"
                tell(f"writing over {where}: {format_bytes(look['bytes'], binary=True)}; {blank}")
            held.add((boots[name], str(look.get("identity") or path)))
            if answer["made"]:
                held.add((boots[name], _identity_of(connections[name], path)))


def lock(connection: HostConnection, share: HostShare, looks: Mapping[str, dict[str, Any]]) -> bool:
    """Lock the targets again, on a host that was lost; whether they are there and free."""
    if any(look["kind"] not in ("file", "device") for look in looks.values()):
        return False
    if share.part[1] > 1:  # another host of the same machine may hold the shared ones
        return True
    return all(
        "error" not in connection.ask("claim", path=path, size=0, may_write=True) for path in share.targets
    )


def _accept(
    look: Mapping[str, Any], where: str, path: str, size: int | None, *, allowed: bool, device: bool
) -> None:
    """Raise ``InputError`` where a target cannot be taken."""
    kind = look["kind"]
    if kind == "other":
        raise InputError("wrong-kind", where, str(look.get("text") or "neither a file nor a block device"))
    if kind == "absent":
        if size is None:
            text = "the file does not exist, and the plan does not give its size"
            hint = "give the size to `iowatt emerald plan`: `size=1TiB`"
            raise InputError("not-found", where, text, hint=hint)
        return
    hint = f"if it may be erased, name it again: `erase={path}` (all targets, separated by commas)"
    what = f"{format_bytes(look['bytes'], binary=True)}"
    if kind == "device" and not device:
        text = f"is a block device of {what}, and its content would be overwritten"
        raise InputError("unsafe-target", where, text, hint=hint)
    if not allowed:
        raise InputError("unsafe-target", where, f"exists, {what}, and would be overwritten", hint=hint)
    if size is not None and look["bytes"] < size:
        text = f"the target has {look['bytes']} bytes, fewer than the {size} of the plan"
        raise InputError("out-of-range", where, text)


def _ask(connection: HostConnection, **values: Any) -> dict[str, Any]:
    try:
        return connection.ask("claim", **values)
    except HostLost as error:
        raise InputError(error.code, f"host {connection.name}", error.message) from None


def _identity_of(connection: HostConnection, path: str) -> str:
    try:
        return str(connection.ask("look", targets=[path])["targets"][0].get("identity"))
    except HostLost as error:
        raise InputError(error.code, f"host {connection.name}", error.message) from None
