"""Free space of what is tested: of a file system, or as a command prints it (an array's own)."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from iowatt.base.errors import InputError
from iowatt.base.units import format_bytes

#: How long a command of the user's may take.
COMMAND_S: Final = 120.0


class UnsettledError(InputError):
    """Free space does not stand still: something else writes there, or it takes longer."""


class Space(Protocol):
    """Where free space is read."""

    def free(self) -> int:
        """Bytes that are free now. Raises ``InputError`` where it cannot be read."""


@dataclass(frozen=True)
class FileSystemSpace:
    """Free blocks of a file system, after everything was written out."""

    path: Path

    def free(self) -> int:
        """Bytes free, those kept for root included: they count as used by nobody."""
        try:
            os.sync()
            found = os.statvfs(self.path)
        except OSError as error:
            raise InputError(
                "unreadable", str(self.path), f"free space cannot be read: {error.strerror}"
            ) from None
        return found.f_bfree * found.f_frsize


@dataclass(frozen=True)
class CommandSpace:
    """A command that prints free bytes, as an array's own command line does."""

    command: str

    def free(self) -> int:
        """The number that the command prints."""
        said = run(self.command, {})
        try:
            return int(said.strip())
        except ValueError:
            raise InputError(
                "tool-output",
                self.command,
                f"the command printed {said.strip()[:80]!r}; expected the free bytes as a whole number",
            ) from None


def settled(space: Space, *, patience_s: float, pause_s: float, within: int) -> tuple[int, float]:
    """Free space once it changes by no more than ``within`` bytes between two readings, and the wait in s.

    Arrays and file systems reclaim and reduce in the background. Raises ``InputError`` where it still moves
    after ``patience_s``.
    """
    began, before = time.monotonic(), space.free()
    while True:
        time.sleep(pause_s)
        now = space.free()
        waited = time.monotonic() - began
        if abs(now - before) <= within:
            return now, waited
        if waited > patience_s:
            raise UnsettledError(
                "unstable",
                None,
                f"the free space still changes by {format_bytes(abs(now - before), binary=True)} "
                f"in {pause_s:g} s after {waited:.0f} s",
                hint="something else writes there, or it needs longer: `patience=`",
            )
        before = now


def run(command: str, words: dict[str, str], *, most_s: float = COMMAND_S) -> str:
    """What a command of the user's prints; ``{source}`` and the like in it are replaced, quoted.

    It is run without a shell, for at most ``most_s``. Raises ``InputError`` where it fails, with what it
    said.
    """
    try:
        text = command.format(**{name: shlex.quote(value) for name, value in words.items()})
        done = subprocess.run(
            shlex.split(text),
            capture_output=True,
            text=True,
            timeout=most_s,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (KeyError, IndexError, AttributeError) as error:
        known = ", ".join(f"{{{name}}}" for name in words) or "nothing in braces"
        raise InputError("unknown-name", command, f"there is no word {error}; expected {known}") from None
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise InputError("tool-failed", command, f"the command cannot be run: {error}") from None
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise InputError(
            "tool-failed",
            command,
            f"the command ended with code {done.returncode}: {said[-1] if said else ''}",
        )
    return done.stdout
