"""The pages of the server in a browser: walked by keyboard, light and dark, wide and narrow."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from visit import NEEDS_BROWSER

import needs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "web"))
from serving import served
from workspaces import FIO, GROUPS, workspace

pytestmark = NEEDS_BROWSER
SIZES = [(1440, "light"), (390, "dark"), (1440, "dark"), (390, "light")]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(workspace(tmp_path_factory.mktemp("work"))) as one:
        one.settled()
        yield one


class Walk:
    """A page of the server, and all that it complained about or asked of others."""

    def __init__(self, browser, server, path, width, scheme):
        self.troubles = []
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        own = (server.address, "data:", "blob:")
        self.page.on(
            "console", lambda m: self.troubles.append(m.text) if m.type in ("error", "warning") else None
        )
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.troubles.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda r: None if r.url.startswith(own) else self.troubles.append(r.url))
        self.page.goto(server.address + path)

    def until(self, expression, arg=None):
        """Wait for an expression to hold. Playwright's own wait evaluates text, which the page forbids."""
        for _ in range(600):
            if self.page.evaluate(expression, arg):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(expression)

    def tab_to(self, selector):
        """Move the focus to an element by the tab key."""
        for _ in range(200):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("one => document.activeElement?.matches(one)", selector):
                return
        raise AssertionError(f"{selector} is not reached by keyboard")

    def press(self, selector, key="Enter"):
        self.tab_to(selector)
        self.page.keyboard.press(key)

    def sound(self):
        """No console error, nothing asked of others, nothing wider than the page, nothing for axe."""
        needs.modules("axe_playwright_python")
        from axe_playwright_python.sync_playwright import Axe

        assert self.troubles == []
        wide = self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wide <= 0
        found = Axe().run(self.page).response["violations"]
        serious = [one for one in found if one["impact"] in ("serious", "critical")]
        assert not serious, [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in serious]


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_systems_are_compared_and_a_design_is_changed_by_keyboard(browser, server, width, scheme):
    walk = Walk(browser, server, "/", width, scheme)
    page = walk.page
    page.wait_for_selector("#results tbody tr:nth-child(3)")
    page.wait_for_selector("html[data-plots=drawn]")
    assert page.locator("#chart .scatterlayer .trace").count() >= 2  # simulated and measured
    assert page.locator("#chart .xtick text").count() >= 3
    assert page.locator("#chart .textpoint text").count() >= 2
    walk.sound()
    walk.tab_to("#level")
    page.keyboard.press("Control+A")
    page.keyboard.type("0.0001")
    walk.until("document.getElementById('best').textContent.length > 0")
    low = page.locator("#best").text_content()
    page.keyboard.press("Control+A")
    page.keyboard.type("100000")
    walk.until("one => document.getElementById('best').textContent !== one", arg=low)
    walk.press('#results input[aria-label$="runs/raid5"]', "Space")
    page.evaluate("document.getElementById('main').focus()")
    walk.press('#results input[aria-label$="runs/cache"]', "Space")
    assert page.locator("#compare").is_enabled()
    page.evaluate("document.getElementById('main').focus()")
    walk.press('#results button[aria-label$="runs/raid5"]')
    walk.until("document.getElementById('start').value === 'run:runs/raid5'")
    listed = (
        page.locator("#start optgroup").first.locator("option").evaluate_all("all => all.map(o => o.value)")
    )
    assert {"run:runs/raid5", "run:runs/cache"} <= set(listed) and "run:lab/fio" not in listed
    assert page.locator("#start optgroup").nth(1).locator("option").count() >= 4
    walk.tab_to("#knob-array-pool-disks-count")
    page.keyboard.press("Control+A")
    page.keyboard.type(f"{9 + SIZES.index((width, scheme))}")
    # The simulation waits until the estimate was seen: a small one is done before a test has looked.
    waiting = []

    def hold(route):
        waiting.append(route)

    page.route("**/api/whatif/simulate", hold)
    page.keyboard.press("Enter")
    # An estimate is compared with an estimate, a simulation with a simulation.
    page.wait_for_selector("#figures .mark.estimate")
    page.wait_for_selector("#figures [data-before=estimate]")
    for _ in range(600):
        if waiting:
            break
        page.wait_for_timeout(50)
    waiting[0].continue_()
    page.unroute("**/api/whatif/simulate")
    page.wait_for_selector("#figures .mark:not(.estimate)")
    page.wait_for_selector("#figures [data-before=simulated]")
    assert page.locator("#figures a").get_attribute("href").startswith("/result/what-if/")
    # Of the Runs of changed designs the page shows this one alone, until it is asked for the others.
    changed = "document.querySelectorAll('#results a[href^=\"/result/what-if/\"]').length"
    walk.until(f"{changed} === 1")
    count = SIZES.index((width, scheme)) + 1
    walk.until("one => Number(document.getElementById('what-ifs-count').textContent) >= one", arg=count)
    page.locator("#what-ifs").check()
    walk.until(f"one => {changed} >= one", arg=count)
    page.locator("#what-ifs").uncheck()
    walk.until(f"{changed} === 1")
    walk.press("#command-box summary")
    walk.until("document.getElementById('command').textContent.includes('--set array.pool.disks.count=')")
    walk.sound()
    page.locator("#undo").focus()
    page.keyboard.press("Enter")
    walk.until("document.getElementById('knob-array-pool-disks-count').value === '7'")
    page.evaluate("document.getElementById('main').focus()")
    walk.press("#compare")
    page.wait_for_url("**/view/compare**")
    page.wait_for_selector("html[data-plots=drawn]")
    walk.sound()
    walk.context.close()


def test_what_if_runs_are_deleted_but_for_that_in_use(browser, server):
    walk = Walk(browser, server, "/?of=run:runs/raid5", 1440, "light")
    page = walk.page
    # A small simulation may replace its estimate before a test has seen it: only Runs are waited for.
    answers = "document.querySelector('#figures a[href*=\"what-if\"]')?.getAttribute('href') ?? ''"
    page.wait_for_selector("#knob-array-pool-disks-count")
    seen = [""]
    for count in ("14", "15"):
        page.fill("#knob-array-pool-disks-count", count)
        page.keyboard.press("Enter")
        walk.until(f"seen => !seen.includes({answers})", arg=seen)
        seen.append(page.evaluate(answers))
    runs = server.workspace / "what-if"
    walk.until("Number(document.getElementById('what-ifs-count').textContent) >= 2")
    walk.press("#what-ifs-delete")
    assert len([one for one in runs.iterdir() if one.is_dir()]) >= 2
    page.keyboard.press("Enter")
    walk.until("document.getElementById('what-ifs-count').textContent === '1'")
    assert [f"/result/what-if/{one.name}" for one in runs.iterdir() if one.is_dir()] == seen[-1:]
    walk.sound()
    # A change whose Run is gone is simulated again.
    page.locator("#undo").click()
    walk.until("document.getElementById('what-ifs-count').textContent === '2'")
    walk.until(f"seen => !seen.includes({answers})", arg=seen)
    walk.context.close()


def test_an_axis_has_marks_for_any_range(browser, server):
    walk = Walk(browser, server, "/", 1440, "light")
    for low, high in ((52, 80), (60, 60), (8, 75), (19.9, 20.1), (3, 900), (0.01, 1e6), (1e-3, 2e-3)):
        found = walk.page.evaluate(
            """async ([low, high]) => {
                const { marks, range } = await import("/assets/axis.js");
                const span = range([low, high]);
                return { span, ...marks(span) };
            }""",
            [low, high],
        )
        low_end, high_end = (10**power for power in found["span"])
        assert low_end < low <= high < high_end
        assert 3 <= len(found["tickvals"]) <= 30
        assert len(set(found["ticktext"])) == len(found["tickvals"])
        assert all(low_end <= one <= high_end for one in found["tickvals"])
    walk.context.close()


def test_a_mistake_is_said_at_its_field(browser, server):
    walk = Walk(browser, server, "/?of=example:oltp-raid5.toml", 1440, "light")
    field = "#knob-array-pool-disks-count"
    walk.page.wait_for_selector(f"{field}")
    walk.until("document.querySelectorAll('#knob-array-pool-disks-device optgroup').length >= 4")
    assert walk.page.input_value("#knob-array-pool-disks-device") == "toshiba-mg04sca500e"
    walk.page.fill(field, "2")
    walk.page.keyboard.press("Enter")
    walk.page.wait_for_selector(f"{field}[aria-invalid=true]")
    described = walk.page.locator(field).get_attribute("aria-describedby")
    assert walk.page.locator(f"#{described}").text_content()
    # The browser itself reports the refusal, as of every answer that is an error.
    walk.troubles = [one for one in walk.troubles if "422" not in one]
    walk.sound()
    walk.context.close()


def test_the_line_of_the_service_level_is_dragged(browser, server):
    walk = Walk(browser, server, "/", 1440, "light")
    page = walk.page
    page.wait_for_selector("html[data-plots=drawn]")
    line = page.locator("#chart .shapelayer path").first.bounding_box()
    before = float(page.input_value("#level"))
    page.mouse.move(line["x"] + line["width"] / 2, line["y"] + line["height"] / 2)
    page.mouse.down()
    page.mouse.move(line["x"] + line["width"] / 2, line["y"] - 60, steps=6)
    page.mouse.up()
    walk.until("one => Number(document.getElementById('level').value) > one", arg=before)
    walk.sound()
    walk.context.close()


@pytest.mark.parametrize("value", ["-5", "0", ""])
def test_a_service_level_that_is_no_time_is_refused_at_its_field(browser, server, value):
    walk = Walk(browser, server, "/", 1440, "light")
    page = walk.page
    page.wait_for_selector("html[data-plots=drawn]")
    page.fill("#level", value)
    page.wait_for_selector("#level[aria-invalid=true][aria-describedby=level-error]")
    assert page.locator("#level-error").text_content()
    walk.sound()
    page.fill("#level", "30")
    page.wait_for_selector("#level[aria-invalid=false][aria-describedby=level-help]")
    assert not page.locator("#level-error").text_content()
    walk.context.close()


@pytest.mark.parametrize(("width", "scheme"), SIZES[:2])
def test_a_trace_is_dropped_described_and_replayed_on_a_design(browser, server, tmp_path, width, scheme):
    trace = tmp_path / f"dropped-{width}.csv"
    lines = [f"{n / 100},R,{(n * 7919 % 4096) * 4096},4096" for n in range(3000)]
    trace.write_text("\n".join(["time_s,op,offset,size", *lines]) + "\n", "utf-8")
    walk = Walk(browser, server, "/traces", width, scheme)
    walk.page.set_input_files("#file", str(trace))
    walk.page.wait_for_selector("#described h2")
    assert "3,000" in walk.page.locator("#described").text_content()
    walk.sound()
    walk.page.select_option("#design", "run:runs/raid5")
    walk.page.locator("#replay").focus()
    walk.page.keyboard.press("Enter")
    walk.page.wait_for_url("**/?trace=**")
    walk.until("document.getElementById('start').value === 'run:runs/raid5'")
    walk.page.wait_for_selector("#figures a")
    walk.sound()
    walk.context.close()


@pytest.mark.parametrize(("width", "scheme"), SIZES[:2])
def test_a_table_of_ones_own_is_read_by_what_its_reader_says(browser, server, tmp_path, width, scheme):
    table = tmp_path / f"own-{width}.csv"
    lines = [f"{n},{'read' if n % 3 else 'write'},{(n * 7919 % 4096) * 4096},4096" for n in range(900)]
    table.write_text("\n".join(["when,kind,address,length", *lines]) + "\n", "utf-8")
    walk = Walk(browser, server, "/traces", width, scheme)
    walk.page.set_input_files("#file", str(table))
    walk.page.wait_for_selector("#described .error")
    assert "when,kind,address,length" in walk.page.locator("pre.preview").text_content()
    assert walk.page.input_value("#read-columns-offset") == "address"
    walk.until("document.activeElement.id === 'read-time_unit'")
    walk.sound()
    # A second try keeps what was said in the first.
    walk.page.fill("#read-sector_size", "no size")
    walk.page.select_option("#read-time_unit", "ms")
    walk.page.click("#described form button.primary")
    walk.page.wait_for_selector("#read-sector_size[aria-invalid=true]")
    assert walk.page.input_value("#read-time_unit") == "ms" and walk.page.input_value("#read-rate_iops") == ""
    walk.page.fill("#read-sector_size", "")
    walk.page.click("#described form button.primary")
    walk.page.wait_for_selector("#replay")
    assert "0.899 s" in walk.page.locator("#described .pairs").text_content()
    walk.sound()
    walk.page.click("#replay")
    walk.page.wait_for_url("**/?trace=**")
    assert json.loads(parse_qs(urlsplit(walk.page.url).query)["trace"][0])["time_unit"] == "ms"
    walk.page.wait_for_selector("#figures a")
    walk.sound()
    walk.context.close()


def test_a_file_that_is_no_trace_is_deleted_by_two_presses(browser, server, tmp_path):
    notes = tmp_path / "notes.md"
    notes.write_text("# No trace.\n", "utf-8")
    walk = Walk(browser, server, "/traces", 390, "dark")
    walk.page.set_input_files("#file", str(notes))
    walk.page.click("#delete")
    assert (server.workspace / "traces" / "notes.md").exists()
    walk.sound()
    walk.page.click("#delete")
    walk.until("document.getElementById('described').childElementCount === 0")
    assert not (server.workspace / "traces" / "notes.md").exists()
    walk.sound()
    walk.context.close()


def test_output_of_fio_is_kept_as_a_measured_run(browser, server):
    walk = Walk(browser, server, "/traces", 1440, "light")
    walk.page.set_input_files("#file", str(FIO))
    walk.page.wait_for_selector("#keep")
    walk.page.locator("#keep").focus()
    walk.page.keyboard.press("Enter")
    walk.page.wait_for_url("**/result/imported/**")
    walk.page.wait_for_selector("html[data-plots=drawn]")
    assert walk.page.locator(".meta").first.text_content().startswith("Measured with fio")
    walk.sound()
    walk.context.close()


def test_job_groups_of_fio_are_kept_as_runs_that_are_compared(browser, server):
    walk = Walk(browser, server, "/traces", 390, "light")
    walk.page.set_input_files("#file", str(GROUPS))
    walk.page.click("#keep")
    walk.page.wait_for_url("**/result/imported/**")
    assert walk.page.locator("#runs tbody a").count() == 2
    walk.sound()
    walk.page.click('a[href^="/view/compare"]')
    walk.page.wait_for_selector("html[data-plots=drawn]")
    walk.sound()
    walk.context.close()


@pytest.mark.parametrize(("width", "scheme"), SIZES[:2])
def test_jobs_are_listed_with_their_results(browser, server, width, scheme):
    for path in ("watts.csv", "lab/fio/run.json"):
        asked = {"kind": "describe", "title": path, "request": {"path": path}}
        server.ended(server.post("/api/jobs", asked).json())
    walk = Walk(browser, server, "/jobs", width, scheme)
    listed = server.http.get("/api/jobs", params={"limit": 1000}).json()["jobs"]
    walk.until("count => document.querySelectorAll('#jobs tbody tr').length === count", arg=len(listed))
    times = walk.page.eval_on_selector_all("#jobs time", "all => all.map((one) => one.dateTime)")
    assert times == [job["created"] for job in listed]
    # A date stands on one line.
    heights = walk.page.eval_on_selector_all(
        "#jobs time", "all => all.map((one) => one.getClientRects().length)"
    )
    assert set(heights) == {1}
    walk.sound()
    walk.context.close()
