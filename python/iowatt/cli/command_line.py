"""The command line as a Run's provenance keeps it."""

from __future__ import annotations

import shlex
import sys


def written() -> str:
    """What was typed, without the passwords, communities and keys of instruments' addresses."""
    from iowatt.sources.meters import public_word

    return shlex.join(["iowatt", *map(public_word, sys.argv[1:])])
