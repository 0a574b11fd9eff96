"""Names of files in a bundle: each must mean the same file on every system, inside the folder it goes to."""

from __future__ import annotations

import unicodedata
from typing import Final

from iowatt.base.errors import InputError

NAME_BYTES: Final = 240
DEPTH: Final = 16
#: What Windows does not allow, or means something else by.
_STRANGE: Final = frozenset('\\:*?"<>|')


def check_name(name: str) -> None:
    """Raise ``InputError`` where a name could lead out of its folder, or be another file elsewhere."""
    reason = _reason(name)
    if reason is not None:
        raise InputError("not-accepted", ascii(name)[1:-1][:NAME_BYTES], f"the name of the file {reason}")


def _reason(name: str) -> str | None:
    parts = name.split("/")
    checks = (
        (not name, "is empty"),
        (name.startswith("/"), "is absolute"),
        (any(part in (".", "..") for part in parts), "leads through . or .."),
        ("" in parts, "has an empty part"),
        (len(name.encode("utf-8", "replace")) > NAME_BYTES, f"is longer than {NAME_BYTES} bytes"),
        (len(parts) > DEPTH, f"has more than {DEPTH} parts"),
        (any(unicodedata.category(one) in ("Cc", "Cs", "Cf", "Zl", "Zp") for one in name),
         "has a character that cannot be seen"),
        (any(one in _STRANGE for one in name), 'has one of \\ : * ? " < > |'),
        (any(part.endswith((" ", ".")) for part in parts), "has a part that ends with a blank or a point"),
        (unicodedata.normalize("NFC", name) != name, "is not in Unicode's form NFC"),
    )  # fmt: skip
    return next((text for wrong, text in checks if wrong), None)


class NameSet:
    """Names of one bundle, told to be distinct on every file system."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def add(self, name: str) -> None:
        """Add a file. Raises ``InputError``: its name is wrong, or that of another but for case."""
        check_name(name)
        folded = _folded(name)
        other = self._files.get(folded) or self._folders.get(folded)
        if other is not None:
            same = "is there twice" if other == name else f"differs from {other} in case only"
            raise InputError("duplicate", name, f"the file {same}")
        self._files[folded] = name
        parts = name.split("/")
        for length in range(1, len(parts)):
            folder = "/".join(parts[:length])
            key = _folded(folder)
            if key in self._files:
                raise InputError("duplicate", name, f"{self._files[key]} is a file and a folder")
            if self._folders.setdefault(key, folder) != folder:
                text = f"the folder {folder} differs from {self._folders[key]} in case only"
                raise InputError("duplicate", name, text)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name.casefold())
