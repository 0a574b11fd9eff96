"""The studies by name."""

from __future__ import annotations

from iowatt.base.errors import Argument, InputError
from iowatt.base.problems import suggestion
from iowatt.studies.study import Study


def studies() -> list[Study]:
    """All studies, by name."""
    from iowatt.studies import arrays2002, dollars2014, emerald2012, hotband2013, latency2015, offloading2008

    return [
        arrays2002.STUDY,
        dollars2014.STUDY,
        emerald2012.STUDY,
        hotband2013.STUDY,
        latency2015.STUDY,
        offloading2008.STUDY,
    ]


def find(name: str) -> Study:
    """The study of that name."""
    known = {study.name: study for study in studies()}
    if name not in known:
        raise InputError(
            "unknown-name",
            Argument("study"),
            f"there is no study {name!r}",
            hint=suggestion(name, list(known), "studies"),
        )
    return known[name]
