"""The reference of the book of assumptions cannot fall behind the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from iowatt.base.keys import catalogue
from iowatt.lenses.book import listing
from iowatt.lenses.book.find import book_names, find_book
from iowatt.lenses.book.keys import KEYS, key_rule
from iowatt.lenses.cost.systems.inventory_file import InventoryFile
from iowatt.model.library.price_class import PRICE_CLASSES

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "reference" / "cost-book.md").read_text("utf-8")
MODEL = (DOCS / "models" / "cost.md").read_text("utf-8")


def test_the_tables_hold_every_key_and_class():
    rows = listing.key_table().splitlines()
    assert [row.split("`")[1] for row in rows[2:]] == [key.pattern for key in KEYS]
    assert all(row.count("|") - row.count("\\|") == 5 for row in rows)
    assert [row.split("`")[1] for row in listing.class_table().splitlines()[2:]] == list(PRICE_CLASSES)


def test_the_tables_hold_every_figure_of_every_preset():
    text = listing.preset_tables()
    for name in book_names():
        part = text.partition(f"### {name}\n")[2].partition("\n### ")[0]
        book = find_book(name)
        base = find_book(book.lineage[1]).figures if len(book.lineage) > 1 else {}
        own = {key for key, figure in book.figures.items() if base.get(key) != figure}
        assert set(re.findall(r"^\| `([^`]+)`", part, re.MULTILINE)) == own
        assert all(note in text for note in book.notes)


def test_the_page_includes_what_the_build_writes():
    conf = (DOCS / "conf.py").read_text("utf-8")
    for name in re.findall(r"{include} (\S+)", PAGE):
        assert f'"{name}"' in conf


def test_the_books_own_toml_block_is_one_that_is_accepted(tmp_path):
    block = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1]
    path = tmp_path / "our.toml"
    path.write_text(block)
    book = find_book(str(path))
    assert (book.name, book.number("purchase.price.hdd-over-18tb")) == ("our-site", 0.0165)


@pytest.mark.parametrize("page", [PAGE, MODEL], ids=["reference", "model"])
def test_keys_that_the_pages_name_are_keys(page):
    groups = {key.pattern.partition(".")[0] for key in KEYS}
    patterns = {key.pattern for key in KEYS}
    for name in re.findall(r"`([a-z]+\.[A-Za-z_.*-]+)(?: = [^`]*)?`", page):
        if name.partition(".")[0] in groups:
            starred = any(fits.startswith(name.removesuffix("*")) for fits in patterns)
            assert key_rule(name) is not None or (name.endswith("*") and starred), name


def test_every_key_is_found_in_the_models_page_by_itself_or_its_group():
    for key in KEYS:
        group = key.pattern.partition(".")[0]
        assert key.pattern.removesuffix(".*.*").removesuffix(".*") in MODEL or f"`{group}.*`" in MODEL, key


def test_the_13_equations_are_there():
    rows = re.findall(r"^\| (\d+) \|", MODEL, re.MULTILINE)
    assert rows == [str(number) for number in range(1, 14)]


def test_the_estimates_of_carbon_are_those_of_the_book():
    from iowatt.lenses.cost.pricing.carbon import estimates

    table = MODEL.partition("| estimate |")[2].partition("\n\n")[0]
    assert sorted(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == list(estimates(find_book("default")))


def test_every_key_of_an_inventory_is_described():
    keys = catalogue(InventoryFile)
    assert all(key.description for key in keys.values())
    assert {"drive.counts.over", "change.drives", "spread.writes", "part.count"} <= set(keys)
