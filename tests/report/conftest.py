"""One hand-made run for all tests of the report that only read it."""

from __future__ import annotations

import pytest

from report.fixture import build


@pytest.fixture(scope="session")
def made():
    """Eight disks, sixty intervals of a minute."""
    return build()
