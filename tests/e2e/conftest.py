"""One browser for all pages of a module."""

from __future__ import annotations

import pytest
from visit import CHROMIUM, FLAGS


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()
