"""The test data report: what stands on which page, what is missing, what is never claimed or ranked."""

from __future__ import annotations

import json
import re
import subprocess
from typing import get_args

import pytest

import needs
from emerald_runs import METER, THERMOMETER, Knobs, Made, measured, plan, rerun, with_stage
from iowatt.base.errors import InputError
from iowatt.emerald.analyze import judge, modelled_supplies, supplies_figure
from iowatt.emerald.classify import ATTRIBUTES
from iowatt.emerald.phases import PHASES
from iowatt.emerald.report import (
    compose,
    export,
    gather,
    read_several,
    side_by_side,
    write_report,
)
from iowatt.emerald.report.product import COMS
from iowatt.emerald.report.recorded import CONDITIONS
from iowatt.emerald.report.result import NOT_THE_TEMPLATE, State
from iowatt.emerald.report.result import mark as mark_of
from iowatt.emerald.report.tables import NOT_STATED
from iowatt.emerald.rules import load
from iowatt.render.figure import PublishedFigure
from refused import refused
from report.workbook import Book

NOT_APPLICABLE = get_args(State)[-1]
PRODUCT = """
schema = "iowatt.product/1"
vendor = "Example Systems"
name = "Array 240"
access = "random"
time_to_first_data = "15ms"
connectivity = "network"
integrated_controller = true
storage_protection = true
maximum_configuration = 240
"""
ABOUT = """
schema = "iowatt.emerald-about/1"
notes = ["The sequential points follow."]
[submitter]
name = "A. Tester"
company = "Example Laboratory"
[system]
firmware = "5.1"
topology = "One host, two controllers, two shelves."
protection = "RAID 5"
[[host]]
name = "load1"
[[lun]]
name = "lun0"
capacity = "2TB"
[[device]]
type = "hdd"
model = "15k SFF"
rpm = 15000
capacity = "146GB"
count = 50
[power_supply]
count = 4
[com.compression]
available = true
during_test = false
[com.thin-provisioning]
available = false
"""
COM = {
    "schema": "iowatt.emerald-com/1",
    "source": "storage",
    "coms": [
        {"com": "compression", "verdict": "yes", "why": "28 %", "unverified": ["com.compression"]},
        {"com": "thin-provisioning", "verdict": "yes", "why": "creation cost 1 %", "unverified": []},
        {"com": "data-deduplication", "verdict": "not tested", "why": "no", "unverified": []},
    ],
}


def folder(path, whole=None, version="emerald-4.0.0", *, with_plan=True):
    """A measurement's folder as far as a report looks at it."""
    whole = whole or measured(plan(version, product={"vendor": "Example Systems", "name": "Array 240"}))
    path.mkdir(parents=True, exist_ok=True)
    found = judge(whole, load(version))
    (path / "analysis.json").write_text(json.dumps(found.as_dict()), "utf-8")
    if with_plan:
        (path / "plan.json").write_text(whole.plan.model_dump_json(by_alias=True), "utf-8")
        (path / "settings-before.json").write_text(json.dumps({"settings": {"scheduler": "none"}}))
        (path / "settings-after.json").write_text(json.dumps({"settings": {"scheduler": "none"}}))
    for one in whole.stages:
        if one.run is None:
            continue
        place = path / "runs" / one.stage.id
        place.mkdir(parents=True, exist_ok=True)
        (place / "run.json").write_text(json.dumps(one.run.summary), "utf-8")
    return path


def known(path, **texts):
    """Everything given, from texts."""
    named = {}
    for name, text in texts.items():
        file = path.parent / f"{name}{'.json' if name == 'com' else '.toml'}"
        file.write_text(text if isinstance(text, str) else json.dumps(text), "utf-8")
        named[name] = file
    return gather(path, **named)


@pytest.fixture(scope="module")
def full(tmp_path_factory):
    path = folder(tmp_path_factory.mktemp("report") / "measurement")
    return known(path, product=PRODUCT, about=ABOUT, com=COM)


@pytest.fixture(scope="module")
def report(full):
    return compose(full)


@pytest.fixture(scope="module")
def book(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("xlsx") / "tdr.xlsx"
    write_report(report, path)
    return Book(path)


def page(report, key):
    return next(one for one in report.document.sections if one.key == key)


def table(report, key, name):
    return next(one.table for one in page(report, key).figures if one.key == name)


def sheet(report, key):
    """Name of the sheet of a page."""
    number = [one.key for one in report.document.sections].index(key)
    return f"{number + 1} {report.document.sections[number].title}"


def below(book, sheet, title):
    """Rows of a sheet below a cell with this text, up to an empty one."""
    rows = book.rows(sheet)
    start = next(at for at, row in enumerate(rows) if title in row.values())
    return rows[start + 1 :]


def test_the_first_pages_are_product_and_metrics(book, report):
    assert book.names[:2] == [sheet(report, "product"), sheet(report, "metrics")]
    first = {row.get("A"): row.get("B") for row in book.rows(book.names[0])}
    product, submitter, kind = ([row[1] for row in one.table.rows] for one in page(report, "product").figures)
    assert (product[0], product[1], product[6]) == ("Example Systems", "Array 240", "online-3")
    assert (submitter[0], kind[0]) == ("A. Tester", "measured")
    for figure in page(report, "product").figures:
        assert all(first[name] == value for name, value in figure.table.rows)


def test_a_metric_shows_three_digits_and_keeps_all_of_them(book, full, report):
    metrics = sheet(report, "metrics")
    rows = {row.get("A"): row for row in book.rows(metrics)}
    idle = rows["EP_RI"]
    assert idle["B"] == pytest.approx(7300 / 592.692, rel=1e-12)
    assert idle["D"] == pytest.approx(7300 / 592.692, rel=1e-12)
    assert idle["E"] == pytest.approx(592.692)
    assert idle["F"] == pytest.approx(7300)
    assert idle["G"] == 120
    style = re.search(r'<c r="B(\d+)" s="(\d+)"><v>12\.3', book.xml(metrics))
    formats = dict(re.findall(r'<numFmt numFmtId="(\d+)" formatCode="([^"]+)"', book.parts["xl/styles.xml"]))
    cells = book.parts["xl/styles.xml"].partition("<cellXfs")[2]
    used = re.findall(r'<xf numFmtId="(\d+)"', cells)[int(style[2])]
    assert formats[used] == "0.0"
    hot = rows["EP_HB"]
    phase = full.analysis.phases[0]
    assert (hot["B"], hot["D"], hot["E"]) == (
        PHASES["HB"].title,
        "IOPS/W",
        pytest.approx(phase.ep, rel=1e-12),
    )
    assert (hot["H"], hot["I"], hot["J"], hot["K"]) == (
        30,
        pytest.approx(8),
        "measured",
        "valid, NON-COMPLIANT",
    )


@pytest.mark.parametrize(
    ("text", "full_figure", "number"),
    [("12.3", 12.317, 12.317), ("1230", 1234.5, 1230.0), ("0.120", 0.1204, 0.1204), ("123", 123.4, 123.4)],
)
def test_a_cell_holds_the_full_figure_where_a_format_can_show_it_as_published(text, full_figure, number):
    shown = PublishedFigure(text, full_figure)
    assert shown == text
    assert shown.as_number == number
    assert f"{shown.as_number:.{shown.decimals}f}" == text


def test_capacity_optimisation_has_both_columns_and_the_test(full, report):
    rows = {row[0]: row[1:] for row in table(report, "metrics", "capacity-optimisation").rows}
    compression, parity, thin, deduplication = (
        rows[COMS[name]] for name in ("compression", "parity-raid", "thin-provisioning", "data-deduplication")
    )
    assert len(rows) == 6
    assert compression[:2] == ["no", "yes"]
    tested = full.com_test("compression")
    assert tested.verdict == "yes" and tested.unverified
    assert compression[2].startswith(f"{tested.verdict} (measured") and "unverified" in compression[2]
    assert parity[:2] == [NOT_STATED, NOT_STATED]
    assert full.com_test("parity-raid") is None and not parity[2].startswith(("yes", "no "))
    assert thin[1] == "no"
    assert "disagree" in thin[3]
    assert deduplication[1:3] == [NOT_STATED, f"{full.com_test('data-deduplication').verdict} (measured)"]


def test_the_taxonomy_page_has_attributes_and_what_stops_it(full, report):
    assert "no_single_point_of_failure" in {one.attribute for one in full.classification.stops}
    assert all(one.text in page(report, "taxonomy").sentences[0] for one in full.classification.stops)
    attributes = dict(table(report, "taxonomy", "attributes-of-the-product").rows)
    assert attributes[ATTRIBUTES["maximum_configuration"]] == "240"
    assert attributes[ATTRIBUTES["non_disruptive_serviceability"]] == NOT_STATED


def test_instruments_have_serial_calibration_and_conditions(report):
    (meter, thermometer) = table(report, "instruments", "instruments").rows
    assert meter[:6] == ["wt310", "power", "ptdaemon", "WT310E", "C1", "2026-01-10"]
    assert thermometer[0] == "inlet"
    rows = table(report, "instruments", "conditions-by-phase").rows
    assert ["HB", "inlet", *CONDITIONS["celsius"], 22.4, 22.4, 22.4, "measured"] in [
        [round(cell, 9) if isinstance(cell, float) else cell for cell in row] for row in rows
    ]
    assert {row[0] for row in rows} == {"HB", "RR", "RW", "SR", "SW", "RI"}


def test_power_stands_by_phase_and_by_supply_with_the_sum(tmp_path):
    """Three elements of 0.2, 0.3 and 0.5 of 800 W: 160, 240, 400 W; the largest is 50 % above their mean."""
    elements = [
        {**METER, "name": f"element {n}", "details": {"channel": str(n), "share": str(share)}}
        for n, share in ((1, 0.2), (2, 0.3), (3, 0.5))
    ]
    whole = measured(plan(), instruments=[*elements, THERMOMETER])
    found = compose(gather(folder(tmp_path / "measurement", whole)))
    made = table(found, "instruments", "power-by-supply")
    assert [column.title for column in made.columns][:4] == [
        "Phase", *(f"element {n} of WT310E" for n in (1, 2, 3))
    ]  # fmt: skip
    rows = {row[0]: row[1:] for row in made.rows}
    assert rows["HB"] == pytest.approx([160, 240, 400, 800, 50, 800])
    assert rows["Ready idle"][3] == pytest.approx(592.692)
    assert len(rows) == 6


def test_a_channel_without_a_figure_leaves_no_sum(tmp_path):
    """A meter that recorded the hot band only: the other phases have no sum of both."""
    meters = [METER, {**METER, "name": "second", "serial": "C2"}]
    whole = rerun(measured(plan()), "HB", instruments=[*meters, THERMOMETER])
    rows = {row[0]: row for row in supplies_figure(judge(whole, load("emerald-4.0.0"))).table.rows}
    assert rows["HB"][3] == pytest.approx(1600)
    assert rows["RR"][2:4] == [None, None]
    assert rows["RR"][1] == pytest.approx(800)


def test_modelled_power_stands_by_enclosure_and_pool():
    """6 J of two disks, 20 J of the head and 4 J of its supplies in 2 s: 3 W and 12 W."""
    joules = {"disks.0": 2.0, "disks.1": 4.0, "head.controller": 20.0, "head.supplies": 4.0}
    run = {"source": "simulation", "energy": {"by_component_j": joules}, "window": {"duration_s": 2.0}}
    part = judge(measured(plan()), load("emerald-4.0.0")).phases[0]
    made = modelled_supplies([part], {part.stage: run}).table
    assert made.rows == [["HB", 3.0, 12.0, 15.0, part.power_w]]
    assert modelled_supplies([part], {part.stage: {**run, "source": "vdbench"}}) is None


def test_minutes_stand_with_native_charts(book, full, report):
    name = sheet(report, "minutes-HB")
    rows = [row for row in below(book, name, "Minute") if "A" in row]
    phase = full.analysis.phases[0]
    assert [row["A"] for row in rows] == [one.minute for one in phase.minutes]
    assert [row.get("H") for row in rows] == pytest.approx([one.ea for one in phase.minutes])
    assert "H" not in rows[0]  # no average before ten minutes
    charts = [text for part, text in book.parts.items() if part.startswith("xl/charts/chart")]
    assert len(charts) == 5 * 4 + 1
    minutes = [sheet(report, one.key) for one in report.document.sections if one.key.startswith("minutes-")]
    assert all(any(f"'{one}'!" in text for one in minutes) for text in charts)


def test_stability_rates_shares_rules_and_files_are_there(report, full):
    assert len(table(report, "stability", "stability").rows) == 5
    rates = {row[0]: row[1:4] for row in table(report, "stability", "asked-and-achieved").rows}
    assert rates["HB"][2] == pytest.approx(100, abs=0.1)
    assert rates["SR"][0] is None
    assert len(table(report, "stability", "shares-of-the-streams-(skew)").rows) == 13
    used = table(report, "rules", "unverified-rule-values-used").rows
    assert len(used) == len(full.analysis.rules.unverified) > 0
    files = {row[0]: row[2] for row in table(report, "files", "files").rows}
    assert {"analysis.json", "plan.json", "settings-before.json", "about.toml", "com.json"} <= files.keys()
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in files.values())


def test_every_sheet_bears_the_mark_and_never_claims_to_be_the_template(book, full):
    for name in book.names:
        (first, *_) = book.rows(name)
        assert first["A"].startswith("MEASURED · NON-COMPLIANT (")
        assert full.analysis.rules.unverified and full.analysis.judged in first["A"]
        xml = book.xml(name)
        assert "NON-COMPLIANT" in re.search("<oddHeader>(.*?)</oddHeader>", xml)[1]
        assert NOT_THE_TEMPLATE in re.search("<oddFooter>(.*?)</oddFooter>", xml)[1]


def test_what_is_missing_is_named_with_where_to_give_it(report):
    lacking = [one for one in report.result.items if one.lacking]
    (conditions,) = [one for one in lacking if one.page == "Instruments" and one.what.startswith("HB:")]
    absent = ", ".join(CONDITIONS[name][0] for name in ("volts", "hertz", "power_factor", "thd_percent"))
    assert conditions.how.endswith(f": {absent}")
    (serial,) = [one for one in lacking if one.what.startswith("inlet:") and "serial=" in one.how]
    assert serial.state == "missing"
    (parity,) = [one for one in lacking if "com.parity-raid.available" in one.how]
    assert parity.what.startswith(COMS["parity-raid"])
    assert not [one for one in lacking if one.what.startswith(COMS["compression"])]
    assert not [one for one in lacking if one.what == "submitter"]
    assert not report.result.complete
    rows = table(report, "completeness", "what-is-missing").rows
    assert [row[0] for row in rows] == [one.what for one in report.result.items if one.lacking]


def test_a_refused_metric_is_not_printed_as_a_value(tmp_path):
    whole = measured(knobs=Knobs(iops={"HB": 4330.0}, response_ms={"HB": 32.8}))
    found = known(folder(tmp_path / "m", whole))
    report = compose(found)
    (hot, *_) = table(report, "metrics", "active-power-tests").rows
    assert hot[2] == "refused"
    assert hot[-1] == "INVALID"
    item = next(one for one in report.result.items if one.what == "EP_HB")
    assert item.state == "refused"
    assert "32.8" in item.how
    assert any(one.startswith("HB") for one in report.mark.against)
    assert all(one in report.mark.line for one in report.mark.against)
    field = {one.name: one for one in export(found).fields}
    assert field["trans_optimal_point_hot_band_workload_test_iops_w"].value is None
    assert field["trans_optimal_point_random_read_workload_test_iops_w"].value == 1.25


def test_fio_time_scale_and_simulation_are_on_the_mark(tmp_path):
    fio = known(folder(tmp_path / "fio", measured(plan(source="fio"))))
    assert "Emerald-like (fio)" in mark_of(fio.analysis).line
    assert "NON-COMPLIANT" in mark_of(fio.analysis).line
    quick = known(folder(tmp_path / "quick", measured(plan(time_scale=0.01))))
    assert "0.01" in mark_of(quick.analysis).line and not mark_of(quick.analysis).compliant
    made = known(folder(tmp_path / "sim", measured(plan(source="simulation"))))
    assert re.match(r"MODELLED\b.* · NON-COMPLIANT", mark_of(made.analysis).line)
    report = compose(made)
    assert {row[-2] for row in table(report, "metrics", "active-power-tests").rows} == {"modelled"}
    assert {one.state for one in report.result.items if one.what == "instruments"} == {NOT_APPLICABLE}


def test_a_measurement_in_order_by_rules_read_is_not_called_non_compliant(tmp_path):
    found = known(folder(tmp_path / "m", measured(plan("emerald-1.0.0")), "emerald-1.0.0"))
    mark = mark_of(found.analysis)
    assert mark.compliant
    assert (mark.kind, mark.against, mark.judged) == ("MEASURED", (), found.analysis.judged)
    assert mark.line.startswith("MEASURED") and mark.line.endswith(mark.judged)


def test_missing_minutes_are_empty_cells_and_named(tmp_path):
    values = Made([1000.0] * 30, [800.0] * 10 + [None] * 2 + [800.0] * 18, [8.0] * 30)
    found = known(folder(tmp_path / "m", rerun(measured(), "RR", values)))
    report = compose(found)
    item = next(one for one in report.result.items if one.what == "RR: power of every minute")
    assert item.state == "missing" and re.findall(r"\d+", item.how) == ["2"]
    rows = next(one.figures[-1].table for one in report.document.sections if one.key == "minutes-RR").rows
    assert [row[0] for row in rows if row[5] is None] == [11, 12]
    write_report(report, tmp_path / "tdr.xlsx")
    write_report(report, tmp_path / "tdr.html")


def test_a_phase_without_figures_still_makes_a_report(tmp_path):
    found = known(folder(tmp_path / "m", with_stage(measured(), "SW", run=None), with_plan=False))
    report = compose(found)
    assert next(one for one in report.result.items if one.what == "EP_SW").state == "refused"
    write_report(report, tmp_path / "tdr.xlsx")
    assert "refused" in json.dumps(report.result.as_dict())


def test_the_page_shows_hostile_names_as_text_and_loads_nothing(tmp_path):
    name = "</style><script>alert(1)</script>=cmd|' /C calc'!A0"
    found = known(folder(tmp_path / "m", measured(plan(name=name))))
    report = compose(found)
    write_report(report, tmp_path / "tdr.html")
    text = (tmp_path / "tdr.html").read_text("utf-8")
    assert "<script>alert" not in text
    style = text.partition("<body>")[2].partition("<style>")[2].partition("</style>")[0]
    assert ".charts" in style and "@bottom-right" in style
    assert "default-src &#39;none&#39;" in text  # and so no request, whatever a name says
    write_report(report, tmp_path / "tdr.xlsx")
    assert "<f>" not in "".join(
        text for part, text in Book(tmp_path / "tdr.xlsx").parts.items() if "worksheets/sheet" in part
    )
    row = export(found)
    assert row.csv().splitlines()[1].startswith("</style>")


def test_the_same_report_gives_the_same_workbook(report, tmp_path):
    for name in ("one.xlsx", "two.xlsx"):
        write_report(report, tmp_path / name)
    assert (tmp_path / "one.xlsx").read_bytes() == (tmp_path / "two.xlsx").read_bytes()


@pytest.mark.browser
@needs.mark("chromium")
def test_every_page_of_the_pdf_bears_the_mark(report, tmp_path):
    write_report(report, tmp_path / "tdr.pdf")
    content = (tmp_path / "tdr.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    needs.program("pdftotext", "poppler-utils")
    done = subprocess.run(
        ["pdftotext", "-layout", tmp_path / "tdr.pdf", "-"], capture_output=True, text=True, check=True
    )
    pages = done.stdout.split("\f")[:-1]
    assert len(pages) >= len(report.document.sections)
    assert all("NON-COMPLIANT" in text and NOT_THE_TEMPLATE in text for text in pages)
    assert page(report, "product").figures[0].table.rows[0][0] in pages[0]
    assert "EP_RI" in pages[1] and all(one.title in pages[1] for one in page(report, "metrics").figures)


# ENERGY STAR


def test_the_export_has_the_fields_of_the_data_set(full):
    row = export(full)
    names = [one.name for one in row.fields]
    assert len(names) == len(set(names)) == 289
    assert names[0] == "pd_id"
    assert names[-1] == "energy_star_model_identifier"
    assert "cap_device_6_optimal_point_ready_idle_wrkld_test_gb_w" in names
    values = {one.name: one.value for one in row.fields}
    assert values["trans_optimal_point_hot_band_workload_test_iops_w"] == 1.25
    assert values["stream_optimal_point_seq_read_workload_test_mibps_w"] == 0.625
    assert values["cap_optimal_point_ready_idle_workload_test_gb_w"] == 12.3
    assert values["trans_storage_device_1_type"] == "HDD"
    assert values["trans_device_1_optimal_point_random_read_wrkld_test_iops_w"] == 1.25
    assert values["trans_physical_or_modeled_data_device_1_optimal_point"] == "Physical"
    assert values["trans_storage_device_2_type"] is None
    assert values["capacity_optimizing_methods_coms"] == "Compression"  # stated and found
    assert values["snia_online_taxonomy_category"] == "Online 3"
    assert values["pd_id"] is None


def test_the_export_names_what_is_missing_and_only_that(full):
    row = export(full)
    missing = {one.name: one.note for one in row.missing}
    assert missing["energy_star_partner"].split() == ["--about:", "energystar.partner"]
    assert "pd_id" not in missing  # given by the programme
    assert "trans_storage_device_2_type" not in missing
    assert any("optimal_point_of" in remark for remark in row.remarks)
    document = json.loads(row.result().json_text())
    assert not document["compliant"]
    assert document["notes"]["trans_optimal_point_hot_band_workload_test_iops_w"] == "measured, NON-COMPLIANT"
    assert set(document["fields"]).isdisjoint(one["field"] for one in document["missing"])


def test_only_the_classes_that_are_declared_are_filled(tmp_path):
    about = ABOUT + '[energystar]\noptimal_point_of = ["transactional"]\n'
    row = export(known(folder(tmp_path / "m"), about=about))
    values = {one.name: one.value for one in row.fields}
    assert values["trans_optimal_point_ready_idle_workload_test_gb_w"] == 12.3
    assert values["stream_optimal_point_ready_idle_workload_test_gb_w"] is None
    assert not any(one.name.startswith(("stream_", "cap_")) for one in row.missing)


def test_metrics_of_mixed_devices_are_no_devices_own(tmp_path):
    about = ABOUT + '[[device]]\ntype = "ssd"\ncount = 4\n'
    row = export(known(folder(tmp_path / "m"), about=about))
    values = {one.name: one.value for one in row.fields}
    assert values["trans_ratio_devices_mixed_optimal_point"] == "50:4"
    assert values["trans_num_devices_storage_device_2_optimal_point"] == 4
    assert values["trans_device_1_optimal_point_random_read_wrkld_test_iops_w"] is None


def test_metrics_of_version_1_are_refused_by_the_export(tmp_path):
    found = known(folder(tmp_path / "m", measured(plan("emerald-1.0.0")), "emerald-1.0.0"))
    with refused("not-applicable", str(tmp_path / "m" / "analysis.json")) as caught:
        export(found)
    assert "emerald-1.0.0 (mixed)" in caught.value.message


# Side by side


def test_version_1_and_the_hot_band_are_never_ranked(tmp_path):
    old = folder(tmp_path / "old", measured(plan("emerald-1.0.0", name="old")), "emerald-1.0.0")
    new = folder(tmp_path / "new", measured(plan(name="new")))
    for pair in ([old, new], [new, old], [new, new, old]):
        odd = pair[-1] / "analysis.json"
        with refused("not-comparable", str(odd)):
            read_several(pair)


def test_analyses_of_one_kind_are_ranked_by_what_is_published(tmp_path):
    slow = folder(tmp_path / "a", measured(plan(name="slow")))
    fast = folder(tmp_path / "b", measured(plan(name="fast"), Knobs(watts={"HB": 700.0})))
    bad = folder(tmp_path / "c", measured(plan(name="bad"), Knobs(response_ms={"HB": 32.8})))
    report = side_by_side(read_several([slow, fast, bad]))
    rows = {row[0]: row[2:] for row in table(report, "side-by-side", "metrics").rows}
    *shown, ranked = rows["EP_HB"]
    assert shown == ["1.25", "1.43", "refused"] and ranked.split(" > ") == ["fast", "slow"]
    assert rows["EP_RR"][-1].split(" = ") == ["slow", "fast", "bad"]
    write_report(report, tmp_path / "both.xlsx")
    book = Book(tmp_path / "both.xlsx")
    assert any(one.startswith("bad: HB") for one in report.mark.against)
    assert book.rows(book.names[0])[0]["A"] == report.mark.line


def test_measured_and_modelled_stand_side_by_side_without_an_order(tmp_path):
    one = folder(tmp_path / "a", measured(plan(name="a")))
    two = folder(tmp_path / "b", measured(plan(name="a", source="simulation")))
    report = side_by_side(read_several([one, two]))
    reasons = page(report, "side-by-side").sentences[1:]
    assert any("measured" in reason and "modelled" in reason for reason in reasons)
    metrics = table(report, "side-by-side", "metrics")
    assert not any(sign in row[-1] for row in metrics.rows for sign in "=>")
    assert [column.title for column in metrics.columns[2:4]] == ["a [1] (measured)", "a [2] (modelled)"]


# Bad input


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda found: found.pop("phases"), "phases"),
        (lambda found: found["phases"][0].pop("ep"), "phases.0.ep"),
        (lambda found: found["phases"][1].update(ep="much"), "phases.1.ep"),
        (
            lambda found: found["phases"][0]["minutes"][3].update(power_w=True),
            "phases.0.minutes.3.power_w",
        ),
        (
            lambda found: found["phases"][0]["stability"].update(readings=[]),
            "phases.0.stability.readings",
        ),
        (lambda found: found["ready_idle"].update(findings={}), "ready_idle.findings"),
        (lambda found: found.update(schema="iowatt.run/1"), None),
    ],
)
def test_a_damaged_analysis_is_refused_with_the_place(tmp_path, change, place):
    path = folder(tmp_path / "m") / "analysis.json"
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))
    with refused("wrong-format", str(path)) if place is None else refused("damaged", f"{path}: {place}"):
        gather(path)


@pytest.mark.parametrize("text", ["", "{", "[]", "NaN", '{"schema": NaN}', "[" * 100_000, "\udc80"])
def test_what_is_no_json_is_refused(tmp_path, text):
    file = tmp_path / "analysis.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as caught:
        gather(tmp_path)
    assert caught.value.place in (str(file), f"{file}:1")


def test_another_measurements_plan_is_passed_over_and_said(tmp_path):
    path = folder(tmp_path / "m")
    (path / "plan.json").write_text(plan(name="another").model_dump_json(by_alias=True))
    found = known(path)
    assert found.plan is None
    (remark,) = [one for one in found.remarks if str(path / "plan.json") in one]
    cells = table(compose(found), "findings", "findings-and-warnings").rows
    assert any(remark in row[2] for row in cells)


def test_another_product_is_refused(tmp_path):
    with refused("conflict", re.compile(r"\.toml: name$")) as caught:
        known(folder(tmp_path / "m"), product=PRODUCT.replace("Array 240", "Array 9"))
    assert "Array 9" in caught.value.message and "Array 240" in caught.value.message


def test_an_unknown_key_of_the_description_is_refused_with_its_line(tmp_path):
    with pytest.raises(InputError) as caught:
        known(folder(tmp_path / "m"), about='schema = "iowatt.emerald-about/1"\n[system]\nfirmwear = "5"\n')
    assert str(caught.value.place).endswith("about.toml:3: system.firmwear")


def test_com_results_that_are_none_are_refused(tmp_path):
    with refused("wrong-format", re.compile(r"com\.json: schema$")):
        known(folder(tmp_path / "m"), com={"schema": "iowatt.run/1"})


def test_the_product_file_names_what_the_plan_did_not(tmp_path):
    path = folder(tmp_path / "m", measured(plan("emerald-4.0.0", product={})))
    bare = known(path)
    assert "name" not in bare.analysis.product
    filled = known(path, product=PRODUCT)
    assert filled.analysis.product["vendor"] == "Example Systems"
    assert filled.analysis.product["name"] == "Array 240"
    assert any("vendor" in remark and "name" in remark for remark in filled.remarks)
    missing = [item.what for item in compose(filled).result.items if item.state == "missing"]
    assert "product" not in missing


def test_fields_of_v2_are_all_unverified_and_carry_the_values_of_v1(full, tmp_path):
    first = {one.name: one for one in export(full).fields}
    row = export(full, "2-block")
    fields = {one.name: one for one in row.fields}
    name = "trans_optimal_point_hot_band_workload_test_iops_w"
    assert fields[name].value == first[name].value is not None
    assert list(row.unverified) == list(fields)
    assert all("unverified" in one.note for one in row.fields)
    assert fields["access_type"].value == "Block I/O"
    # -40 to +15 % of 50 devices
    assert (
        fields["trans_qualified_least_storage_devices"].value,
        fields["cap_qualified_most_storage_devices"].value,
    ) == (30, 57)
    head, values = row.csv().splitlines()
    assert f",{len(fields)}," in values and "iowatt_unverified_fields" in head
    assert row.result().unverified == list(fields)
    about = ABOUT.replace(
        "[power_supply]", '[power_supply]\nefficiency = { "50" = 94.5 }\npower_factor = 0.98'
    )
    more = {one.name: one for one in export(known(folder(tmp_path / "m"), about=about), "2-block").fields}
    assert more["psu_efficiency_50_percent_load"].value == 94.5
    assert more["psu_efficiency_20_percent_load"].lacking
    assert more["psu_power_factor_50_percent_load"].value == 0.98


def test_a_threshold_as_recalled_decides_nothing(full):
    """HB here is 1000 IOPS at 800 W, 1.25 IOPS/W: below 28; said in a remark, and in no field."""
    row = export(full, "2-block")
    (remark,) = [one for one in row.remarks if "28" in one and "IOPS/W" in one]
    assert "1.25" in remark and "unverified" in remark
    assert not any(one.value in ("pass", "yes", True) for one in row.fields if "threshold" in one.name)


def test_file_access_has_fields_of_its_own_and_no_figures_of_block_access(full):
    fields = {one.name: one for one in export(full, "2-file").fields}
    assert fields["access_type"].value == "File I/O"
    database = fields["file_optimal_point_database_workload_test_mibps_w"]
    assert database.value is None and database.lacking
    assert fields["file_optimal_point_ready_idle_workload_test_gb_w"].value is not None
    assert not [name for name in fields if name.startswith(("trans_", "stream_", "cap_"))]
