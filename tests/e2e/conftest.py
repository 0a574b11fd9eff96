"""One browser for all pages of a module."""

from __future__ import annotations

import pytest
from visit import CHROMIUM, FLAGS

import needs


@pytest.fixture(scope="module")
def browser():
    needs.modules("playwright")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()
