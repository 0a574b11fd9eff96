"""A page opened in Debian's Chromium, and all that it says and asks for."""

from __future__ import annotations

import shutil

import pytest

import needs

CHROMIUM = shutil.which("chromium")
NEEDS_BROWSER = [
    pytest.mark.browser,
    needs.mark("chromium"),
]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


#: What a chart has where it shows data.
DRAWN = ".scatterlayer path, .barlayer path, .heatmaplayer image, .boxlayer path"
#: How many elements below each of one kind are of another; one call for all, as each takes long.
COUNT = "(all, within) => all.map(one => one.querySelectorAll(within).length)"


class Visit:
    """A page that was opened, and everything that it complained about or asked for."""

    def __init__(self, browser, path, fragment="", **options):
        self.troubles = []
        self.requests = []
        self.page = browser.new_context(accept_downloads=True, **options).new_page()
        self.page.on(
            "console", lambda m: self.troubles.append(m.text) if m.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.troubles.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.address = path.as_uri() + fragment
        self.page.goto(self.address)
        self.page.wait_for_selector("html[data-plots=drawn]")

    def charts(self):
        """The number of charts, folded ones included, each of which must show data."""
        self.page.evaluate("document.querySelectorAll('details.folded').forEach((one) => (one.open = true))")
        self.page.wait_for_function(
            "[...document.querySelectorAll('.plot')].every((plot) => plot.querySelector('.main-svg'))"
        )
        marks = self.page.locator(".plot").evaluate_all(COUNT, DRAWN)
        assert all(marks), marks
        return len(marks)

    def width(self):
        """Pixels that the page takes sideways."""
        return self.page.evaluate("document.documentElement.scrollWidth")

    def finish(self):
        assert self.troubles == []
        outside = [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]
        assert outside == []
        assert [url for url in self.requests if url.startswith("file:")] == [self.address.partition("#")[0]]
        self.page.context.close()
