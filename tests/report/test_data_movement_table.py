"""What schemes that move data counted, as a report shows it."""

from __future__ import annotations

from iowatt.pages.run import outcome
from iowatt.run.summary_parts import MaidCounts, PdcCounts, WriteOffLoadingCounts, ZonedCounts


def test_every_count_has_its_words():
    counted = {
        name
        for model in (MaidCounts, PdcCounts, WriteOffLoadingCounts, ZonedCounts)
        for name in model.model_fields
    }
    assert counted == {*outcome.MOVEMENT, "kind", "requests_by_part"}


def test_a_table_for_each_pool_that_moves():
    counts = dict.fromkeys(PdcCounts.model_fields, 3) | {"kind": "pdc", "requests_by_part": [1234, 5]}
    counts["migrated_bytes"] = 5 * 10**9
    pools = [{"name": "plain", "data_movement": None}, {"name": "all", "data_movement": counts}]
    ((title, table),) = outcome.tables({"virtual_pools": pools})
    assert title.endswith(" all")
    assert [outcome.MOVEMENT["migrated_bytes"], "5.000\u00a0GB"] in table.rows
    assert [cells[1] for cells in table.rows[-2:]] == ["1,234", "5"]
    assert outcome.tables({}) == []
