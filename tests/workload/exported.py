"""Profiles that the tests of `trace export` share, and a plain reading of the two file formats."""

from __future__ import annotations

import needs
from iowatt.sources.export.sections import prepare

needs_fio = needs.mark("fio")

HEAD = 'schema = "iowatt.profile/1"\nname = "mine"\ntitle = "Mine"\nspan = "64MiB"\n'
POISSON = 'arrivals = { law = "poisson", rate = 1000 }\n'
UNIFORM = (
    '[[stream]]\nname = "a"\nshare = 100\nread_share = 70\nsize = "8k"\naccess = { pattern = "uniform" }\n'
)


def profile(tmp_path, text, **options):
    """A profile of one's own, ready for export."""
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return prepare(str(path), **options)


def jobs(text):
    """Sections of a job file of fio, each a dict; an option without a value is ``True``."""
    found, name = {}, None
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("["):
            name = line.strip("[]")
            assert name not in found
            found[name] = {}
        else:
            key, _, value = line.partition("=")
            assert key not in found[name], f"{key} twice in {name}"
            found[name][key] = value or True
    return found


def keys(exported):
    """Keys of what could not be expressed."""
    return [omission.key for omission in exported.omissions]
