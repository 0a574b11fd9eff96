"""Profiles by name or file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from iowatt.base.document import TomlDocument, read_text
from iowatt.base.errors import InputError
from iowatt.model.library import LibraryFolder
from iowatt.model.profile import checks
from iowatt.model.profile.compile import synthesis
from iowatt.model.profile.profile import Profile

PROFILES: Final = LibraryFolder("profiles", "profile", "`iowatt trace profiles`")


def profile_names() -> tuple[str, ...]:
    """Names of the library's profiles, sorted."""
    return PROFILES.names()


@dataclass(frozen=True)
class Loaded:
    """A profile, its text's places, and where its files lie."""

    profile: Profile
    document: TomlDocument
    folder: Path

    def check(self, span: int | None) -> None:
        """Raise an ``InputError`` with file and line for all that is wrong on a span of so many bytes."""
        self.document.fail(checks.problems(self.profile, span))

    def synthesis(self, span: int, seed: int, *, base_dir: Path | None = None, **ends: Any) -> dict[str, Any]:
        """The plan of the profile on ``span`` bytes; see :func:`iowatt.model.profile.compile.synthesis`.

        The path of a recorded trace is relative to ``base_dir``, or left out, to the current directory.
        """
        plan = synthesis(self.profile, span=span, seed=seed, **ends)
        for process in plan["processes"]:
            trace = process["law"].get("trace")
            if trace is not None and trace["path"] != "-":
                path = self.folder / trace["path"]
                trace["path"] = str(
                    path if base_dir is None else os.path.relpath(path.resolve(), base_dir.resolve())
                )
        return plan


def load(
    name: str, overrides: Sequence[str] = (), *, base_dir: Path | None = None, rate_iops: float | None = None
) -> Loaded:
    """The profile of a library name, or of a path that ends in ``.toml`` (relative to ``base_dir``).

    ``overrides`` are ``path=value`` as in ``--set``, such as ``stream.hot1.share=30``. ``rate_iops`` replaces
    the rate of all streams together. Raises ``InputError`` where there is no such profile (with the nearest
    names), or its keys are wrong (with file and line); ``Loaded.check`` finds contradictions between keys.
    """
    base = base_dir or Path()
    if name.endswith(".toml"):
        path = base / name
        document, folder = TomlDocument(read_text(path), str(path), overrides, Profile), path.parent
    elif name in profile_names():
        document, folder = PROFILES.document(name, overrides, Profile), base
    else:
        raise PROFILES.unknown(name)
    if rate_iops is not None:
        _set_rate(document, rate_iops)
    return Loaded(document.validate(Profile), document, folder)


def parsed(text: str, source: str) -> Profile:
    """The profile of a TOML text, checked; ``source`` names it in errors."""
    document = TomlDocument(text, source)
    profile = document.validate(Profile)
    document.fail(checks.problems(profile, profile.span))
    return profile


def _set_rate(document: TomlDocument, rate: float) -> None:
    """Puts ``rate`` into the raw profile: as that of the common arrivals, or by scaling all rates."""
    raw = document.raw
    arrivals = raw.get("arrivals")
    own = [s for s in raw.get("stream", []) if isinstance(s, dict) and ("rate_iops" in s or "arrivals" in s)]
    if isinstance(arrivals, dict) and not own:
        if arrivals.get("law") in ("recorded", "closed"):
            raise InputError(
                "not-applicable",
                document.source,
                f"a rate has no effect on arrivals of the law {arrivals['law']!r}",
                hint='choose another law: `set=arrivals={law="poisson"}`',
            )
        arrivals["rate"] = rate
        return
    had = document.validate(Profile).mean_rate
    if not had:
        raise InputError("not-applicable", document.source, "the streams have no rates to scale")
    if isinstance(arrivals, dict):
        _scale(arrivals, rate / had)
    for stream in own:
        _scale(stream, rate / had)
        if isinstance(stream.get("arrivals"), dict):
            _scale(stream["arrivals"], rate / had)


def _scale(table: dict[str, Any], factor: float) -> None:
    from iowatt.base.units import parse_iops

    for key in ("rate", "rate_iops"):
        if key in table:
            table[key] = parse_iops(table[key]) * factor
    for phase in table.get("phases", []):
        phase["rate"] = parse_iops(phase["rate"]) * factor
