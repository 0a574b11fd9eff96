"""What the sources of a plan file read: recorded traces, or none where a profile makes the requests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def source_name(source: Mapping[str, Any]) -> str:
    """A source of a plan file for people: the path of its trace, or its profile."""
    return f"profile {source['profile']}" if "synthetic" in source else str(source.get("path", ""))


def traces_of(source: Mapping[str, Any]) -> list[str]:
    """Paths of the recorded traces that a source reads."""
    if "synthetic" not in source:
        return [source["path"], *source.get("more", ())]
    laws = [process["law"] for process in source["synthetic"]["processes"]]
    return [path for law in laws if "trace" in law for path in traces_of(law["trace"])]
