"""One way to a registry for the command line: its folder on this machine, or its address."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from iowatt.base.errors import Argument, InputError
from iowatt.registry.client import RemoteRegistry
from iowatt.registry.local import LocalRegistry
from iowatt.registry.publish import RegistrySearch
from iowatt.registry.store import Action, RegistryEntry

TOKEN: Final = "IOWATT_REGISTRY_TOKEN"
"""Environment variable with a token."""
_TOKEN_BYTES: Final = 1024


class RegistryAccess(Protocol):
    """What can be asked of a registry."""

    def submit(self, bundle: Path) -> RegistryEntry:
        """Submit a bundle and wait for its new analysis."""

    def entry(self, identifier: str) -> RegistryEntry:
        """A submission with its findings."""

    def search(self, facets: Mapping[str, str], sort: str | None) -> RegistrySearch:
        """What has all these facets."""

    def change(self, identifier: str, action: Action, reason: str, by: str | None) -> RegistryEntry:
        """Change the state of a submission."""

    def raise_finding(self, identifier: str, code: str, severity: str, text: str) -> RegistryEntry:
        """Raise a finding against a submission."""

    def move_finding(self, identifier: str, finding: int, move: str, text: str) -> RegistryEntry:
        """Answer, close or reopen a finding."""


def is_address(place: str) -> bool:
    """Whether a place is the address of a server."""
    return place.startswith(("http://", "https://"))


def access(place: str, *, token_file: Path | None = None, account: str = "operator") -> RegistryAccess:
    """A registry at an address, with the token of a file or of the environment; or in a folder.

    ``account``: who acts on a folder. Raises ``InputError``: there is no registry in the folder, or the token
    cannot be read.
    """
    if is_address(place):
        return RemoteRegistry(place, token(token_file))
    if token_file is not None:
        text = "a folder needs no token: who can write it may change the registry"
        raise InputError("not-applicable", Argument("token_file"), text)
    return LocalRegistry(Path(place), account)


def token(file: Path | None) -> str | None:
    """The token in a file that only its owner may read, or in the environment. It is in no message."""
    if file is None:
        return os.environ.get(TOKEN) or None
    try:
        with file.open("rb") as opened:
            mode = os.fstat(opened.fileno()).st_mode
            raw = opened.read(_TOKEN_BYTES)
    except OSError as error:
        raise InputError("unreadable", str(file), f"cannot be read: {error.strerror}") from None
    if stat.S_IMODE(mode) & 0o077:
        raise InputError("unsafe-target", str(file), "others may read the token", hint=f"chmod 600 {file}")
    try:
        return raw.decode("ascii").strip()
    except UnicodeDecodeError:
        raise InputError("wrong-format", str(file), "this is not a token") from None
