"""The write cache of drives, through all of iowatt."""

from __future__ import annotations

import small_arrays

import iowatt
from iowatt.model.library import find_drive


def test_writes_complete_in_the_buffer_or_on_the_media(tmp_path):
    # Alone on the drive: every 200 ms a write, with a read 100 ms later.
    lines = [f"{i * 100_000},{'WR'[i % 2]},{i * 7_919 % 100_000 * 4096},4096" for i in range(400)]
    scenario = small_arrays.one_pool(tmp_path, lines, level=0, count=2)

    def means(on: str):
        run = iowatt.run(scenario, set=[f"array.pool.disks.write_cache={on}"])
        note = find_drive("arrays2002-disk").with_write_cache(True).notes[-1]
        assert (note in run.summary["notes"]) == (on == "true")
        response = run.summary["response_time_ms"]
        return response["read"]["mean"], response["write"]["mean"], run.summary["energy"]["total_j"]

    (read_off, write_off, joules_off), (read_on, write_on, joules_on) = means("false"), means("true")
    # In the buffer a write takes its command and the bus; on the media a seek and half a turn (2.5 ms) more.
    assert write_on < 1
    assert write_off > 4
    assert 0.9 * read_off < read_on < 1.1 * read_off
    # The arm moves all the same.
    assert abs(joules_on - joules_off) < 0.02 * joules_off
