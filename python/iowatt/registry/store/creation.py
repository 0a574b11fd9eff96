"""Makes a registry: its folder, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from iowatt.base import atomic_path
from iowatt.base.errors import InputError
from iowatt.registry.bundle import make_key
from iowatt.registry.store import database, settings
from iowatt.registry.store.accounts import add_account
from iowatt.registry.store.registry import BUNDLES, INCOMING, KEY, RegistryStore

OPERATOR: Final = "operator"
"""Account of who works on the folder itself; its token is made on demand."""


def create(folder: Path, title: str, *, challenge: str = "60d") -> RegistryStore:
    """Make a registry in a new or empty folder, with an account of its operator.

    ``challenge`` is how long its results are provisional, a duration.

    Raises ``InputError``: something is there, or it cannot be written.
    """

    def refuse() -> None:
        if os.path.lexists(folder) and not (folder.is_dir() and not any(folder.iterdir())):
            hint = "choose a new or an empty directory"
            raise InputError("exists", str(folder), "already exists and is not empty", hint=hint)

    with atomic_path.folder(folder, refuse) as made:
        (made / BUNDLES).mkdir()
        (made / INCOMING).mkdir()
        public = make_key(made / KEY)
        (made / settings.SETTINGS).write_text(settings.starter(title, challenge), "utf-8")
        database.create(made / database.DATABASE)
        store = RegistryStore(made)
        with database.writing(store.file) as connection:
            store.note(connection, "created", public_key=public, title=title)
        add_account(store, OPERATOR, "operator", actor="registry")
    return RegistryStore(folder)
