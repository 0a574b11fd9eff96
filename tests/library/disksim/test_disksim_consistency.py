"""Figures of the library's extracted sets that no other set has: a rule explains each, or it is named."""

from __future__ import annotations

import dataclasses
from collections import Counter

from disksim_files import CHEETAH

from iowatt.model.library import device_file, device_names
from iowatt.model.library.disksim import read_drive, rules
from iowatt.model.library.disksim.convert import import_drive

OPERATIONS = ("read_hit", "read_miss", "write_hit", "write_miss")


def extracted():
    """The library's drives with overheads and a buffer of their own."""
    files = [device_file(name) for name in device_names()]
    return {
        file.name: file
        for file in files
        if file.controller is not None and file.buffer is not None and file.based_on is None
    }


def overheads(file):
    """Positive overheads in nanoseconds, by name and place in the pair."""
    found = {}
    for name in file.controller.model_fields_set - {"sector", "read_watermark", "write_watermark"}:
        value = getattr(file.controller, name)
        for place, part in enumerate(value if isinstance(value, tuple) else (value,)):
            if isinstance(part, float) and part > 0:
                found[name, place] = round(part * 1e9)
    return found


def names(file, other):
    """Whether an assumption of ``file`` names ``other`` by vendor and model."""
    model = " ".join(other.title.split(",")[0].split()[:3])
    return any(model in said for said in file.assumptions)


def unexplained(files):
    """Sentences on figures that contradict the set they stand in, or are another drive's."""
    found = []
    every = {name: overheads(file) for name, file in files.items()}
    owners = Counter(ns for figures in every.values() for ns in set(figures.values()))
    for name, file in files.items():
        figures, by_hand = every[name], file.controller.extraction == "separate"
        twins = [other for other in every if other != name and every[other] == figures]
        # Of a pair, one may have been measured; the other one says whose figures it has.
        if any(not names(file, files[twin]) and not names(files[twin], file) for twin in twins):
            found.append(f"{name}: all overheads are those of {', '.join(twins)}")
        for operation in OPERATIONS:
            after_read, after_write = getattr(file.controller, operation)
            if operation.endswith("hit") and (after_read == 0) != (after_write == 0):
                found.append(f"{name}: {operation} is 0 after one direction alone")
            if by_hand and operation == "read_miss" and after_read != after_write:
                found.append(f"{name}: {operation} differs by the direction before")
        finer = {key for key, ns in figures.items() if ns % 1000}
        if by_hand and finer and 2 * len(finer) < len(figures):
            found.append(f"{name}: {sorted(finer)} are finer than the rest")
        if not twins:
            # Some whole microseconds are equal by chance, figures of hundredths of one are not.
            found += [f"{name}: {key} is another drive's" for key in finer if owners[figures[key]] > 1]
        if not by_hand and max(file.controller.write_hit) < file.controller.read_hit[1]:
            found.append(f"{name}: no write hit was measured at rest")
    return found


def test_no_figure_of_the_library_is_left_without_a_rule():
    files = extracted()
    assert len(files) >= 15
    assert unexplained(files) == []


def test_figures_left_over_or_not_measured_are_found():
    files = extracted()
    file = files["hp-c2490a"]
    times = {
        "read_hit": (1.419e-3, 0.0),
        "read_miss": (3.616e-3, 2.275e-3),
        "write_hit": (3.283e-3, 0.82391e-3),
        "write_miss": (3.283e-3, 0.82391e-3),
    }
    raw = file.model_copy(update={"controller": file.controller.model_copy(update=times)})
    said = unexplained({**files, file.name: raw})
    assert len(said) == 5 and all(text.startswith("hp-c2490a: ") for text in said)
    silent = files["wd-4tb-g4"].model_copy(update={"assumptions": []})
    assert len(unexplained({**files, silent.name: silent})) == 2


def by_hand(**ms):
    """The Cheetah 9LP with overheads of a hand-made set, in milliseconds."""
    drive = read_drive(CHEETAH)
    given = {
        "read_hit_after_read": 1.4, "read_hit_after_write": 1.2, "read_miss_after_read": 2.3,
        "read_miss_after_write": 2.3, "write_hit_after_read": 3.3, "write_hit_after_write": 2.9,
        "write_miss_after_read": 3.3, "write_miss_after_write": 2.9, "read_completion": 0.1, **ms,
    }  # fmt: skip
    seconds = {f"{name}_s": value / 1e3 for name, value in given.items()}
    return dataclasses.replace(drive, overheads=dataclasses.replace(drive.overheads, **seconds))


def pair(times, operation):
    return [round(getattr(times, f"{operation}_after_{way}_s") * 1e6, 3) for way in ("read", "write")]


def test_a_consistent_set_is_taken_as_it_is():
    for drive in (by_hand(), read_drive(CHEETAH)):
        assert rules.overheads(drive) == drive.overheads
        assert not any(text.startswith("overhead") for text in rules.remarks(drive))


def test_a_read_miss_by_hand_costs_what_it_does_without_a_read_ahead():
    drive = by_hand(read_miss_after_read=3.6, read_miss_after_write=2.25)
    assert pair(rules.overheads(drive), "read_miss") == [2250, 2250]
    assert [text for text in rules.remarks(drive) if " = 3.6 ms" in text]


def test_a_figure_of_another_resolution_is_left_over():
    times = rules.overheads(by_hand(write_hit_after_write=0.82391, write_miss_after_write=0.82391))
    assert pair(times, "write_hit") == pair(times, "write_miss") == [3300, 3300]
    # A set that was measured finer throughout is consistent.
    fine = {"read_hit_after_read": 1.40001, "read_hit_after_write": 1.20001, "read_miss_after_read": 2.30001,
            "read_miss_after_write": 2.30001, "write_hit_after_read": 3.30001}  # fmt: skip
    assert pair(rules.overheads(by_hand(**fine)), "write_hit") == [3300.01, 2900]


def test_a_hit_that_costs_nothing_was_not_measured():
    assert pair(rules.overheads(by_hand(read_hit_after_write=0.0)), "read_hit") == [1400, 1400]
    # Miss overheads of an extraction are remainders: nothing may remain.
    extracted_ = import_drive(CHEETAH).file().controller
    assert extracted_.extraction == "commands"
