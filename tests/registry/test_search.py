"""Search, product families and CSV: nothing is ranked across metric families, or measured with modelled."""

from __future__ import annotations

import csv
import io
import itertools

import pytest

from iowatt.base.errors import InputError
from iowatt.registry import publish
from iowatt.registry.reanalysis import FoundFigure
from iowatt.registry.store import SubmissionRecord

NUMBERS = itertools.count(1)


def record(*, value=1.0, metric="EP_HB", unit="IOPS/W", **keys):
    shown = None if value is None else f"{value}"
    given = {
        "id": f"iow-{next(NUMBERS):06d}", "state": "accepted", "kind": "emerald", "title": "t",
        "vendor": "Example", "product": "Array", "family": "Array", "form": None, "protocol": "FC",
        "category": "online-3", "profile": "emerald-4.0.0", "configuration": {}, "submitter": "lab",
        "public_key": "k", "sha256": "0" * 64, "bytes": 1, "received": "2026-01-01T00:00:00Z",
        "analysis": "reproduced", "basis": "measured", "metric_family": "hot-band", "standing": "valid",
        "unverified_rules": 0, "year": 2026, "published": "2026-01-01T00:00:00Z",
        "window_ends": "2026-03-01T00:00:00Z",
        "superseded_by": None, "open_findings": 0,
        "figures": [FoundFigure(metric=metric, unit=unit, value=value, shown=shown)],
    }  # fmt: skip
    return SubmissionRecord(**{**given, **keys})


def test_groups_are_of_one_basis_and_one_metric_family():
    listed = [
        record(basis=basis, metric_family=family, value=float(n))
        for n, (basis, family) in enumerate(
            itertools.product(("measured", "modelled"), ("hot-band", "mixed", "run-a"), repeat=1)
        )
        for _ in range(2)
    ]
    found = publish.searched(listed, {})
    assert found.count == 12 and len(found.groups) == 6
    for group in found.groups:
        assert {(one.basis, one.metric_family) for one in group.results} == {
            (group.basis, group.metric_family)
        }
    assert [(g.basis, g.metric_family) for g in found.groups] == sorted(
        (g.basis, g.metric_family) for g in found.groups
    )


@pytest.mark.parametrize("other", [{"metric_family": "mixed"}, {"basis": "modelled"}])
def test_a_sort_across_groups_is_refused(other):
    listed = [record(), record(**other)]
    with pytest.raises(InputError) as caught:
        publish.searched(listed, {}, sort="EP_HB")
    assert caught.value.code == "not-comparable" and caught.value.place.name == "sort"
    facets = {"family": "hot-band", "basis": "measured"}
    assert publish.searched(listed, facets, sort="EP_HB").groups[0].sorted_by == "EP_HB"
    with pytest.raises(InputError) as caught:
        publish.searched(listed, facets, sort="EP_XX")
    assert caught.value.code == "unknown-name"


def test_best_is_first_and_refused_last():
    values = (2.0, None, 3.0, 1.0)
    (group,) = publish.searched([record(value=value) for value in values], {}).groups
    assert [one.figures[0].value for one in group.results] == [3.0, 2.0, 1.0, None]
    less = [record(value=value, metric="mean power", unit="W") for value in (20.0, 10.0)]
    (group,) = publish.searched(less, {}).groups
    assert [one.figures[0].value for one in group.results] == [10.0, 20.0]


def test_a_group_says_how_many_it_has():
    listed = [record(value=float(number)) for number in range(5)]
    (group,) = publish.searched(listed, {}, most=2).groups
    assert (group.count, [one.figures[0].value for one in group.results]) == (5, [4.0, 3.0])


def test_facets_narrow_and_are_counted():
    listed = [record(vendor="A"), record(vendor="B", year=2025), record(vendor="B", form="rack")]
    found = publish.searched(listed, {"vendor": "B"})
    assert found.count == 2
    assert [(one.value, one.count) for one in found.values["year"]] == [("2025", 1), ("2026", 1)]
    assert publish.searched(listed, {"vendor": "B", "year": "2025"}).count == 1
    assert publish.searched(listed, {"form": "rack"}).count == 1


def test_csv_has_no_formulas():
    text = publish.csv_text(publish.searched([record(vendor="=cmd()", title="-1+1", value=-1.5)], {}))
    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["vendor"], row["title"], row["value"]) == ("'=cmd()", "'-1+1", "-1.5")


def configuration(drives, **more):
    return {"drives": drives, "drive": "sff", "raid": "raid-5", "controller": "lower", **more}


def test_an_optimal_point_and_its_range():
    listed = [
        record(value=10.0, configuration=configuration(50)),
        record(value=12.7, configuration=configuration(125)),
        record(value=12.0, configuration=configuration(140)),
        record(value=11.0, configuration=configuration(150)),
        record(value=12.5, configuration=configuration(120, raid="raid-10")),
        record(value=99.0, configuration=configuration(100), basis="modelled"),
        record(value=99.0, configuration=configuration(100), metric_family="mixed"),
        record(value=99.0, configuration=configuration(100), category="online-4"),
        record(value=99.0, configuration=configuration(100), family="Another"),
    ]
    found = publish.families_of(listed).families
    assert len(found) == 5
    family = next(one for one in found if len(one.ids) == 5)
    (point,) = family.points
    assert (point.id, point.value, point.drives) == (listed[1].id, 12.7, 125)
    # -40 % and +15 % of 125 drives, by an unverified rule.
    assert (point.range.least, point.range.most, point.range.verified) == (75, 143, False)
    standings = {one.id: one.standing for one in point.others}
    assert standings == {
        listed[0].id: "not covered",
        listed[2].id: "covered if the unverified rule holds",
        listed[3].id: "not covered",
        listed[4].id: "not covered",
    }


def test_no_range_without_a_configuration():
    (family,) = publish.families_of([record(), record(value=2.0)]).families
    assert family.points[0].range is None and family.points[0].others == []


@pytest.mark.parametrize("standing", ["compliant", "valid", "invalid"])
def test_no_result_passes_by_rules_that_nobody_verified(standing):
    verified, not_verified = (
        publish.search_page(publish.searched([record(standing=standing, unverified_rules=n)], {}), "t", None)
        for n in (0, 2)
    )
    columns = [column.title for column in verified.sections[0].figures[0].table.columns]
    at = columns.index("Judged")
    plain, marked = (page.sections[0].figures[0].table.rows[0][at] for page in (verified, not_verified))
    assert plain != marked and "unverified" in marked
    assert ("not compliant" in plain) == (standing == "valid")
