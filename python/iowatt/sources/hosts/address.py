"""Addresses of load hosts: ``local``, ``netns:NAME``, ``ssh://[USER@]HOST[:PORT]``, each with options.

ssh://root@lab1?targets=/dev/mapper/lun1,/dev/mapper/lun2
ssh://lab2:2222?config=lab.ssh
netns:left?targets=/tmp/left.dat
"""

from __future__ import annotations

import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from urllib.parse import parse_qsl

from iowatt.base.errors import Argument, InputError

EXPECTED: Final = "local, netns:NAME or ssh://[USER@]HOST[:PORT], then ?targets=PATH,PATH"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,59}", re.ASCII)
_NAMED: Final = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]{0,59})=(.+)", re.ASCII | re.DOTALL)
_SSH: Final = re.compile(
    r"ssh://(?:(?P<user>[A-Za-z0-9_.][A-Za-z0-9_.-]*)@)?"
    r"(?P<host>[A-Za-z0-9_.][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?",
    re.ASCII,
)
_OPTIONS: Final = {"local": ("targets",), "netns": ("targets",), "ssh": ("targets", "config", "python")}
#: A connection that breaks is noticed within 15 s, whatever the user's own settings are.
_SSH_OPTIONS: Final = (
    "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=5",
    "-o", "ServerAliveCountMax=3", "-o", "ControlPath=none",
)  # fmt: skip


@dataclass(frozen=True)
class HostAddress:
    """An address in its parts."""

    text: str
    kind: Literal["local", "netns", "ssh"]
    place: str = ""  #: Name of the network namespace, or of the host with its user.
    port: int | None = None
    config: str | None = None  #: A configuration file of ssh in place of the user's own.
    python: str = "python3"  #: The Python of a host that is reached over SSH.
    targets: tuple[str, ...] = ()  #: Files and devices by their names there; empty: those of the plan.

    def command(self, *words: str) -> list[str]:
        """The command of this machine that starts Python there with these arguments."""
        if self.kind == "local":
            return [sys.executable, *words]
        if self.kind == "netns":
            return ["ip", "netns", "exec", self.place, sys.executable, *words]
        config = ["-F", self.config] if self.config is not None else []
        port = ["-p", str(self.port)] if self.port is not None else []
        return ["ssh", *config, *_SSH_OPTIONS, *port, "--", self.place, shlex.join([self.python, *words])]


def split_name(text: str) -> tuple[str | None, str]:
    """``NAME=ADDRESS`` in its parts; the name is None where there is none."""
    found = _NAMED.fullmatch(text)
    return (found[1], found[2]) if found else (None, text)


def parse_host(text: str, where: str | None = None) -> HostAddress:
    """An address in its parts. Raises ``InputError`` at ``where``, by default the argument ``host``."""
    place = where or Argument("host", text)
    head, _, query = text.partition("?")
    try:
        options = dict(parse_qsl(query, strict_parsing=True)) if query else {}
    except ValueError:
        raise InputError("bad-syntax", place, f"{query!r} is not KEY=VALUE&KEY=VALUE") from None
    found = _head(head, place)
    known = _OPTIONS[found.kind]
    other = next((key for key in options if key not in known), None)
    if other is not None:
        text = f"hosts of this kind have no option {other!r}; expected {', '.join(known)}"
        raise InputError("unknown-key", place, text)
    targets = tuple(name.strip() for name in options.get("targets", "").split(",") if name.strip())
    relative = next((name for name in targets if not Path(name).is_absolute()), None)
    if relative is not None:
        text = f"{relative!r} is relative; expected a target by its full path on that host"
        raise InputError("bad-syntax", place, text)
    return HostAddress(
        text,
        found.kind,
        found.place,
        found.port,
        options.get("config"),
        options.get("python", "python3"),
        targets,
    )


def _head(head: str, place: str) -> HostAddress:
    if head == "local":
        return HostAddress(head, "local")
    kind, _, name = head.partition(":")
    if kind == "netns" and _NAME.fullmatch(name):
        return HostAddress(head, "netns", name)
    ssh = _SSH.fullmatch(head)
    if ssh is None:
        raise InputError("bad-syntax", place, f"{head!r} is not the address of a host; expected {EXPECTED}")
    port = None if ssh["port"] is None else int(ssh["port"])
    if port is not None and not 1 <= port <= 65535:
        raise InputError("out-of-range", place, f"port {port} is not accepted; expected 1 to 65535")
    host = ssh["host"].strip("[]")
    return HostAddress(head, "ssh", f"{ssh['user']}@{host}" if ssh["user"] else host, port)
