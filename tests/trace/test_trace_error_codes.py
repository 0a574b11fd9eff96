"""The codes of trace errors, which Rust names by itself."""

from __future__ import annotations

import re
from pathlib import Path

from iowatt.base.errors import CODES

ERRORS = Path(__file__).parents[2] / "crates" / "iowatt-trace" / "src" / "error.rs"


def test_every_code_of_rust_is_one_of_python() -> None:
    named = re.findall(r'Self::\w+ => "([a-z-]+)"', ERRORS.read_text("utf-8"))
    assert len(named) > 15
    assert set(named) <= set(CODES)
