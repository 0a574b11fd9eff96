"""A registry in a folder of this machine, worked on without a server."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from iowatt.base.errors import InputError
from iowatt.registry.bundle import read as read_bundle
from iowatt.registry.publish import RegistrySearch, search
from iowatt.registry.store import (
    Account,
    Action,
    RegistryEntry,
    RegistryStore,
    accept,
    account_by_key,
    account_by_name,
    analyse_pending,
    answer_finding,
    change,
    close_finding,
    deliver_mail,
    entry,
    number_of,
    raise_finding,
    reading,
    reopen_finding,
    upload,
)

_MOVES: Final = {"answer": answer_finding, "close": close_finding, "reopen": reopen_finding}


class LocalRegistry:
    """A registry in a folder; ``account`` is the name of who acts.

    Raises ``InputError`` where there is none.
    """

    def __init__(self, folder: Path, account: str = "operator") -> None:
        self._store = RegistryStore(folder)
        self._name = account

    def submit(self, bundle: Path) -> RegistryEntry:
        """Submit a bundle for the account that its key belongs to, and analyse it. Raises ``InputError``."""
        key = read_bundle(bundle).key
        account = account_by_key(self._store, key)
        with upload(self._store) as (path, file), bundle.open("rb") as source:
            shutil.copyfileobj(source, file)
            file.flush()
            record = accept(self._store, account, path)
        analyse_pending(self._store)
        return self._told(record.id)

    def entry(self, identifier: str) -> RegistryEntry:
        """A submission with its findings. Raises ``InputError`` where there is none."""
        with reading(self._store.file) as connection:
            return entry(connection, number_of(identifier))

    def search(self, facets: Mapping[str, str], sort: str | None) -> RegistrySearch:
        """What has all these facets. Raises ``InputError`` as the search does."""
        return search(self._store, facets, sort=sort)

    def change(self, identifier: str, action: Action, reason: str, by: str | None) -> RegistryEntry:
        """Change the state of a submission. Raises ``InputError`` where that may not be."""
        successor = None if by is None else number_of(by)
        change(self._store, self._account, number_of(identifier), action, reason=reason, by=successor)
        return self._told(identifier)

    def raise_finding(self, identifier: str, code: str, severity: str, text: str) -> RegistryEntry:
        """Raise a finding. Raises ``InputError`` where that may not be."""
        number = number_of(identifier)
        raise_finding(self._store, self._account, number, code=code, severity=severity, text=text)
        return self._told(identifier)

    def move_finding(self, identifier: str, finding: int, move: str, text: str) -> RegistryEntry:
        """Answer, close or reopen a finding. Raises ``InputError`` where that may not be."""
        if finding not in {one.number for one in self.entry(identifier).findings}:
            raise InputError("not-found", f"finding {finding}", f"{identifier} has no such finding")
        _MOVES[move](self._store, self._account, finding, text)
        return self._told(identifier)

    @property
    def _account(self) -> Account:
        return account_by_name(self._store, self._name)

    def _told(self, identifier: str) -> RegistryEntry:
        """The submission after a change. Mail that cannot leave waits: the change is made."""
        waits = None
        try:
            deliver_mail(self._store)
        except InputError as error:
            waits = str(error)
        return self.entry(identifier).model_copy(update={"mail_waits": waits})
