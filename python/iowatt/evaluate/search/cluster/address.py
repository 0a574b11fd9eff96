"""Which cluster: the address as given, and whether anything answers there."""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from typing import Final

from iowatt.base.errors import Argument, InputError

AUTO: Final = "auto"
WHERE: Final = Argument("cluster")
ANSWER_S: Final = 5.0
"""Seconds within which an address must take a connection."""

_ACCEPTED: Final = "HOST:PORT as `ray start --head` printed it, or auto"
_HOST_PORT: Final = re.compile(r"(\[[0-9A-Fa-f:.%]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")


@dataclass(frozen=True)
class Address:
    """Where the cluster's head listens; no host for the cluster that runs on this machine."""

    text: str
    host: str | None = None
    port: int = 0

    @property
    def loopback(self) -> bool:
        """Whether it is this machine's own address that no other machine has."""
        if self.host is None:
            return False
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def parse(text: str) -> Address:
    """An address of a cluster. Raises ``InputError``; a local cluster is never what is meant."""
    given = text.strip()
    if given == AUTO:
        # As Ray does; RAY_ADDRESS may be anything that an address may be here.
        named = os.environ.get("RAY_ADDRESS", "").strip()
        return parse(named) if named and named != AUTO else Address(AUTO)
    if given.startswith("ray://"):
        raise InputError(
            "unsupported",
            WHERE,
            "Ray Client addresses (ray://) are not supported: this machine has to be a node of the cluster",
            hint="join it with `ray start --address=HOST:PORT --num-cpus=0`, and give that HOST:PORT",
        )
    found = _HOST_PORT.fullmatch(given)
    if found is None or not 0 < int(found[2]) < 1 << 16:
        raise InputError(
            "bad-syntax",
            WHERE,
            f"{given[:80]!r} is not the address of a Ray cluster; expected {_ACCEPTED}",
        )
    return Address(given, found[1].strip("[]"), int(found[2]))


def probe(address: Address) -> None:
    """Raise ``InputError`` where nothing takes a connection at the address."""
    if address.host is None:
        return
    try:
        socket.create_connection((address.host, address.port), timeout=ANSWER_S).close()
    except OSError as error:
        reason = "no answer" if isinstance(error, TimeoutError) else (error.strerror or str(error))
        raise _no_answer(address, reason) from None


def not_joined(address: Address, reason: str) -> InputError:
    """The error where something answers, but does not let this machine in."""
    return InputError(
        "unreachable",
        WHERE,
        f"this machine could not join the cluster at {address.text}: {reason}",
        hint="see that Ray's head listens there, that this machine is a node of its cluster (`ray start "
        "--address=...`, with --num-cpus=0 if it shall not compute), and that RAY_AUTH_MODE is set as there",
    )


def _no_answer(address: Address, reason: str) -> InputError:
    listens = (
        "; a head that was started without --node-ip-address listens on the machine's own address"
        if address.loopback
        else ""
    )
    return InputError(
        "unreachable",
        WHERE,
        f"no Ray cluster answers at {address.text} ({reason})",
        hint=f"start one with `ray start --head`, and give the address that it prints{listens}. "
        "Nothing was written; without a cluster the points run on this machine",
    )
