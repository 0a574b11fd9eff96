"""Device files that are tried: a base with other figures, and the file of the result."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from iowatt.base.toml_writer import toml_document

Tables = dict[str, Any]


def nested(figures: Mapping[str, Any]) -> Tables:
    """Figures by key path as the tables of a device file."""
    tables: Tables = {}
    for path, value in figures.items():
        group, _, name = path.rpartition(".")
        (tables.setdefault(group, {}) if group else tables)[name] = value
    return tables


def device_text(
    name: str, based_on: str, kind: str, title: str, figures: Mapping[str, Any], **more: Any
) -> str:
    """A device file based on another one; ``more`` are further keys, such as ``source``."""
    head = {"name": name, "kind": kind, "title": title, "based_on": based_on}
    return toml_document({**head, **more, **nested(figures)})


def base_name(based_on: str) -> str:
    """A base as a device file elsewhere can name it: a file by its absolute path."""
    return str(Path(based_on).resolve()) if based_on.endswith(".toml") else based_on


class CandidateFiles:
    """A folder of candidates that goes when it is left; equal figures share a file."""

    def __init__(self, based_on: str, kind: str) -> None:
        self._based_on, self._kind = base_name(based_on), kind
        self._made: dict[str, str] = {}

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="iowatt-calibrate-")
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def file(self, figures: Mapping[str, Any]) -> str:
        """The path of a device file with these figures."""
        text = device_text("candidate", self._based_on, self._kind, "candidate", figures)
        return self.text(f"candidate-{len(self._made)}", text)

    def text(self, name: str, text: str) -> str:
        """The path of a device file with this text."""
        if text not in self._made:
            path = Path(self._folder.name) / f"{name}.toml"
            path.write_text(text, encoding="utf-8")
            self._made[text] = str(path)
        return self._made[text]
