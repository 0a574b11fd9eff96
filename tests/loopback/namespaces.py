"""Two load hosts on one machine: network namespaces joined by a pair of virtual Ethernet devices."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def possible() -> bool:
    """Whether this user may make network namespaces here."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    name = f"iowatt-{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
    return made.returncode == 0


@contextmanager
def two_hosts() -> Iterator[tuple[str, str]]:
    """Addresses of two hosts: of two namespaces where they can be made, else two local ones."""
    if not possible():
        yield "local", "local"
        return
    names = [f"iowatt-{os.getpid()}-{side}" for side in ("a", "b")]
    try:
        for name in names:
            _ip("netns", "add", name)
        ends = [f"iow{os.getpid() % 100000}{side}" for side in ("a", "b")]
        _ip("link", "add", ends[0], "type", "veth", "peer", "name", ends[1])
        for name, end, address in zip(names, ends, ("10.99.7.1/24", "10.99.7.2/24"), strict=True):
            _ip("link", "set", end, "netns", name)
            _ip("-n", name, "address", "add", address, "dev", end)
            _ip("-n", name, "link", "set", end, "up")
        yield f"netns:{names[0]}", f"netns:{names[1]}"
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
