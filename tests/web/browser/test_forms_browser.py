"""The forms in a real browser, by keyboard: faults at fields, figures at once, a search that is followed."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest
from forms_answer import TITLE, write_answer

import needs
from iowatt.web.jobs.claims import JobClaims

pytestmark = [pytest.mark.browser, needs.mark("chromium")]
BAD = {"serious", "critical"}


@contextmanager
def opened(browser, site, path, **options):
    """A page that says nothing wrong on its console and asks nobody else for anything."""
    troubles, requests = [], []
    context = browser.new_context(viewport={"width": 1440, "height": 900}, **options)
    page = context.new_page()
    page.set_default_timeout(10_000)
    page.on("console", lambda m: troubles.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: (troubles.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{site.address}{path}")
    page.wait_for_selector("#form section")
    yield page
    assert troubles == []
    assert [url for url in requests if not url.startswith((site.address, "data:", "blob:"))] == []
    context.close()


def field(page, place):
    return page.locator(f'[data-place="{place}"]')


def write(page, text):
    """Replace what the field with the focus has, by keys."""
    page.keyboard.press("Control+A")
    page.keyboard.type(text) if text else page.keyboard.press("Delete")


def tab_to(page, place, most=80):
    """Go to a field by the Tab key alone."""
    for _ in range(most):
        if page.evaluate("document.activeElement.dataset.place") == place:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{place} is not reached")


def expect(locator):
    from playwright.sync_api import expect as expected

    return expected(locator)


def has(page, text, *, never=False):
    """Wait until the TOML has a text, or has it no longer."""
    text = re.compile(re.escape(text))
    there = expect(page.locator("#text"))
    (there.not_to_have_value if never else there.to_have_value)(text)


def said_at(page, place):
    """The error of a field, by what describes it."""
    field(page, place).and_(page.locator('[aria-invalid="true"]')).wait_for()
    ids = field(page, place).get_attribute("aria-describedby").split()
    return page.locator(f"#{ids[-1]}").inner_text()


@pytest.mark.parametrize(("path", "place"), [("/choose", "workload.0.p95"), ("/power", "array.pool.0.count")])
def test_nothing_stands_in_the_way(browser, site, path, place):
    from axe_playwright_python.sync_playwright import Axe

    with opened(browser, site, path) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        field(page, place).fill("none")
        page.wait_for_selector("#problems li")
        for width, scheme in ((1440, "light"), (390, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            found = Axe().run(page).response["violations"]
            assert [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in BAD] == []


def test_a_question_is_asked_by_keyboard(browser, site):
    with opened(browser, site, "/choose") as page:
        assert field(page, "usable").input_value() == "100TiB"
        tab_to(page, "usable")
        write(page, "much")
        assert said_at(page, "usable")
        assert page.locator("#find").is_disabled()
        write(page, "50TiB")
        page.wait_for_selector("#find:enabled")
        assert field(page, "usable").get_attribute("aria-invalid") is None
        tab_to(page, "workload.0.p95")
        write(page, "4ms")
        has(page, 'p95 = "4ms"')
        page.locator("#summary li", has_text="50").wait_for()


def test_a_bare_number_has_the_unit_of_its_field(browser, site):
    with opened(browser, site, "/choose") as page:
        for place, given, made in (
            ("workload.0.p95", "20", 'p95 = "20ms"'),
            ("workload.0.p99", "1.5s", 'p99 = "1.5s"'),
            ("usable", "10", 'usable = "10TB"'),
            ("limits.watts", "750", 'watts = "750W"'),
        ):
            field(page, place).fill(given)
            has(page, made)
            assert field(page, place).input_value() == given
        page.wait_for_selector("#find:enabled")
    with opened(browser, site, "/power") as page:
        rating = page.locator('[data-place$="supply.rating"]').first
        rating.fill("750")
        has(page, 'rating = "750W"')


def test_toml_and_the_form_follow_each_other(browser, site):
    with opened(browser, site, "/choose") as page:
        page.locator("#start").select_option("")
        field(page, "workload.0.profile.name").wait_for()
        page.locator("#toml summary").press("Enter")
        text = page.locator("#text")
        text.fill(text.input_value().replace('"100TB"', '"7TB"') + "\n[limits]\nbudget = 9000\n")
        expect(field(page, "limits.budget")).to_have_value("9000")
        assert field(page, "usable").input_value() == "7TB"
        text.fill("usable = \nname = 3")
        page.wait_for_selector("#text[aria-invalid=true]")
        assert re.search(r"line 1\b", page.locator("#problems").inner_text(), re.IGNORECASE)
        assert field(page, "usable").input_value() == "7TB"


def test_workloads_come_and_go(browser, site):
    with opened(browser, site, "/choose") as page:
        page.get_by_role("button", name="Add a workload").press("Enter")
        assert page.evaluate("document.activeElement.dataset.place") == "workload.1.name"
        has(page, "load2")
        page.get_by_label("recorded trace").nth(1).check()
        field(page, "workload.1.trace.path").wait_for()
        page.get_by_role("button", name="Remove load2").press("Enter")
        has(page, "load2", never=True)
        tiers = page.get_by_label("Three tiers")
        tiers.press("Space")
        has(page, "families = [")
        tiers.press("Space")
        has(page, "families", never=True)


def test_a_search_is_followed_over_a_reload(browser, site):
    worker = JobClaims(site.queue.table, "a-test")
    with opened(browser, site, "/choose") as page:
        page.locator("#find").press("Enter")
        page.wait_for_url("**/choose?job=*")
        identity = page.url.rpartition("=")[2]
        assert worker.claim(["choose"]).id == identity
        assert worker.progress(identity, 0.25, "designs sized: 1 of 4")
        expect(page.locator("#job-progress")).to_have_js_property("value", 0.25)
        page.reload()
        expect(page.locator("#job-progress")).to_have_js_property("value", 0.25)
        assert field(page, "usable").input_value() == "100TiB"
        worker.finish(identity, write_answer(site.workspace, identity))
        page.get_by_role("link", name="Open the full answer").wait_for()
        assert TITLE in page.locator("#answer").inner_text()
        assert page.locator("#answer a").get_attribute("href") == f"/result/answers/{identity}"
        assert page.locator("#find").is_enabled()


def test_a_late_answer_does_not_undo_progress(browser, site):
    worker, late = JobClaims(site.queue.table, "a-test"), []
    with opened(browser, site, "/choose") as page:
        page.route(re.compile(r"/api/jobs/[0-9a-f]{16}$"), lambda route: late.append((route, route.fetch())))
        page.locator("#find").press("Enter")
        page.wait_for_url("**/choose?job=*")
        identity = page.url.rpartition("=")[2]
        while not late:
            page.wait_for_timeout(20)
        assert late[0][1].json()["state"] == "queued"
        assert worker.claim(["choose"]).id == identity
        assert worker.progress(identity, 0.25, "designs sized: 1 of 4")
        expect(page.locator("#job-progress")).to_have_js_property("value", 0.25)
        with page.expect_response(f"**/api/jobs/{identity}") as answered:
            late[0][0].fulfill(response=late[0][1])
        answered.value.finished()
        page.wait_for_timeout(200)
        expect(page.locator("#job-progress")).to_have_js_property("value", 0.25)
        worker.finish(identity, write_answer(site.workspace, identity))
        page.get_by_role("link", name="Open the full answer").wait_for()


def test_a_search_is_cancelled(browser, site):
    with opened(browser, site, "/choose") as page:
        page.locator("#find").press("Enter")
        page.wait_for_url("**/choose?job=*")
        page.locator("#cancel").press("Enter")
        page.locator("#answer p", has_text="cancelled").wait_for()
        assert site.queue.job(page.url.rpartition("=")[2]).state == "cancelled"


def test_an_array_is_calculated_by_keyboard(browser, site):
    with opened(browser, site, "/power") as page:
        idle = page.locator("#tiles .big").first
        before = idle.inner_text()
        tab_to(page, "array.pool.0.count")
        write(page, "12")
        expect(idle).not_to_have_text(before)
        tab_to(page, "array.power.enclosure.0.supply.rating")
        write(page, "100W")
        assert "100 W" in said_at(page, "array.power.enclosure.0.supply.rating")
        assert page.locator("#page").get_attribute("href") is None
        page.locator("#problems button").press("Enter")
        assert (
            page.evaluate("document.activeElement.dataset.place") == "array.power.enclosure.0.supply.rating"
        )
        write(page, "800W")
        page.wait_for_selector("#page[href]")
        assert page.locator("#bars tbody tr").count() == 7
        page.goto(site.address + page.locator("#page").get_attribute("href"))
        page.wait_for_selector("html[data-plots=drawn]")


def test_impossible_arrays_are_told_in_place(browser, site):
    with opened(browser, site, "/power") as page:
        tab_to(page, "array.power.enclosure.1.slots")
        write(page, "")
        assert said_at(page, "array.power.enclosure.1.slots")
        write(page, "24")
        page.wait_for_selector("#page[href]")
        page.get_by_role("button", name="Remove controller").press("Enter")
        page.locator("#problems li", has_text="no controller").wait_for()


def test_parts_come_from_the_library_or_have_their_own_watts(browser, site):
    with opened(browser, site, "/power") as page:
        place = "array.power.enclosure.0.part.0"
        field(page, f"{place}.model").select_option("")
        field(page, f"{place}.idle").wait_for()
        field(page, f"{place}.idle").fill("70W")
        field(page, f"{place}.kind").select_option("controller")
        has(page, 'idle = "70W"')
        page.wait_for_selector("#page[href]")
        page.locator("#start").select_option("example:power/frame.toml")
        page.locator("#bars th", has_text="control.processors").wait_for()
        assert page.locator(".mark", has_text="stand-in").count() >= 6
