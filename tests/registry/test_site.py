"""The static site: every link leads to a file of it, and nothing is asked of anybody."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

import needs
from iowatt.base.errors import InputError
from iowatt.registry import publish


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found, self.ids, self.inline = [], set(), []
        self._script = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.add(values.get("id"))
        self.found += [values[name] for name in ("href", "src") if values.get(name)]
        self._script = tag == "script" and "src" not in values and values.get("type") != "application/json"

    def handle_data(self, data):
        if self._script and data.strip():
            self.inline.append(data)


@pytest.fixture(scope="module")
def site(published, tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "out"
    found = publish.export(published.store, folder, provisional=True, bundles=True)
    assert found.results == 1
    return folder


def test_every_link_leads_to_a_file_of_the_site(site):
    pages = list(site.rglob("*.html"))
    assert {"index.html", "families.html", "iow-000001.html"} <= {page.name for page in pages}
    assert sum(page.name.startswith("by-") for page in pages) == 9
    seen = set()
    for page in pages:
        links = Links(page.read_text("utf-8"))
        assert links.inline == []
        for link in links.found:
            if link == "data:,":  # no icon is asked for
                continue
            parts = urlsplit(link)
            assert not parts.scheme and not parts.netloc, link
            if parts.path:
                target = (page.parent / unquote(parts.path)).resolve()
                assert target.is_file() and target.is_relative_to(site.resolve()), link
                seen.add(target)
            else:
                assert parts.fragment in links.ids
    assert {page.resolve() for page in pages} <= seen, "a page that no other leads to"


def test_its_data_are_those_of_the_registry(site, published):
    found = json.loads((site / "results.json").read_bytes())
    assert publish.RegistrySearch.model_validate(found) == publish.search(published.store)
    whole = json.loads((site / "results" / "iow-000001.json").read_bytes())
    assert whole["result"]["schema"] == "iowatt.emerald/1" and whole["id"] == "iow-000001"
    assert (site / "results.csv").read_text().count("\n") == 1 + len(whole["figures"])
    assert (site / "registry.pub").read_text().strip() == published.store.public_key
    bundle = site / "bundles" / f"{whole['sha256']}.zip"
    assert bundle.read_bytes() == published.store.bundle(whole["sha256"]).read_bytes()


def test_modelled_results_say_so_wherever_they_stand(site):
    for name in ("index.html", "families.html", "results/iow-000001.html"):
        assert "odelled" in (site / name).read_text("utf-8")


def test_accepted_results_alone_by_default(published, tmp_path):
    assert publish.export(published.store, tmp_path / "site").results == 0


def test_only_an_export_is_replaced(published, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("words")
    for force in (False, True):
        with pytest.raises(InputError) as caught:
            publish.export(published.store, tmp_path / "mine", force=force)
        assert caught.value.code == "unsafe-target"
    publish.export(published.store, tmp_path / "site")
    with pytest.raises(InputError) as caught:
        publish.export(published.store, tmp_path / "site")
    assert caught.value.code == "exists"
    publish.export(published.store, tmp_path / "site", force=True)


@pytest.mark.browser
@needs.mark("chromium")
def test_a_browser_opens_it_from_the_disk(site):
    """No message, no request off the machine; the filter hides rows, on narrow screens too."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=needs.program("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
        said, asked = [], []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(urlsplit(request.url).scheme))
        page.goto((site / "index.html").as_uri())
        page.fill("#within", "no such words")
        assert page.locator("figure tbody tr:visible").count() == 0
        page.fill("#within", "example")
        assert page.locator("figure tbody tr:visible").count() == 1
        page.click("figure tbody a")
        page.wait_for_selector(".plot .main-svg")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        browser.close()
    assert said == [] and set(asked) <= {"file", "data"}
