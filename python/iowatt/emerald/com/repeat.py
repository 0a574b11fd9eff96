"""A test is repeated until chance cannot have made its answer, or too often.

Free space belongs to everyone who writes there: one try on a busy machine may give any figure. A test is
answered once the 95 % interval of its figure lies on one side of the limit: that of the mean (Student's t),
or of the median where single tries are far off (the sign test: ranks k and n + 1 - k, with
2 P(B(n, 1/2) < k) <= 5 %). It is looked at after each try, so that the chance of a wrong answer is somewhat
above 5 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from iowatt.emerald.com.result import ComTest, Verdict
from iowatt.run.statistics import student_t_quantile

MOST_TRIES: Final = 9  #: The fewest of which the median is known with one of them far off.
_WRONG: Final = 0.05
_SHOWN: Final = 5


def repeated(one_try: Callable[[int], ComTest], most: int = MOST_TRIES) -> ComTest:
    """The answer of several tries, with the steps of all; ``one_try`` is called with their number from 0.

    An answer without a figure (data that does not read back, space that shows nothing) counts once a second
    try gives it too.
    """
    tries: list[ComTest] = []
    while len(tries) < most:
        tries.append(one_try(len(tries)))
        if len(tries) > 1 and (answer := _answer(tries)) is not None:
            return answer
    return _undecided(tries) if most > 1 else tries[0]


def interval(figures: Sequence[float]) -> tuple[float, float] | None:
    """The narrower 95 % interval of a figure: of its mean or its median; None of a single one."""
    count = len(figures)
    if count < 2:
        return None
    mean = math.fsum(figures) / count
    deviation = math.sqrt(math.fsum((one - mean) ** 2 for one in figures) / (count - 1))
    half = student_t_quantile(1 - _WRONG / 2, count - 1) * deviation / math.sqrt(count)
    rank = _rank(count)
    if rank:
        ordered = sorted(figures)
        low, high = ordered[rank - 1], ordered[count - rank]
        if high - low < 2 * half:
            return low, high
    return mean - half, mean + half


def _rank(count: int) -> int:
    """Greatest rank k whose interval of order statistics holds the median with 95 %; 0: there is none."""
    rank, below = 0, 0.0
    while rank < count // 2:
        below += math.comb(count, rank) / 2.0**count
        if 2 * below > _WRONG:
            break
        rank += 1
    return rank


def _answer(tries: Sequence[ComTest]) -> ComTest | None:
    """The answer that the tries allow; None where more are needed."""
    last = tries[-1]
    if last.percent is None:
        return _with_steps(last, tries) if _same(tries[-2], last) else None
    figures = [one.percent for one in tries if one.percent is not None]
    found = interval(figures)
    limit = last.limit_percent
    if found is None or limit is None or found[0] <= limit < found[1]:
        return None
    verdict: Verdict = "yes" if found[1] <= limit else "no"
    agreeing = [one for one in tries if one.percent is not None and one.verdict == verdict]
    if not agreeing:
        return None
    return replace(_with_steps(agreeing[-1], tries), interval_percent=found)


def _same(first: ComTest, second: ComTest) -> bool:
    return first.percent is None and first.verdict == second.verdict


def _undecided(tries: Sequence[ComTest]) -> ComTest:
    figures = [one.percent for one in tries if one.percent is not None]
    last = next((one for one in reversed(tries) if one.percent is not None), tries[-1])
    if not figures:
        return _with_steps(last, tries)
    listed = ", ".join(f"{one:.2f}" for one in sorted(figures)[:_SHOWN])
    more = f" ... {max(figures):.2f}" if len(figures) > _SHOWN else ""
    without = len(tries) - len(figures)
    text = f"{len(tries)} tries gave {listed}{more} %, on both sides of the limit or too far apart to tell"
    if without:
        text += f", and {without} no figure ({next(one.why for one in tries if one.percent is None)})"
    text += ": something else writes there; test again while nothing does, or with a larger `data_size=`"
    answer = replace(_with_steps(last, tries), verdict="undecided", why=text)
    return replace(answer, interval_percent=interval(figures))


def _with_steps(one: ComTest, tries: Sequence[ComTest]) -> ComTest:
    """An answer with the steps and figures of all tries."""
    steps = [
        replace(step, what=f"try {number}: {step.what}")
        for number, each in enumerate(tries, 1)
        for step in each.steps
    ]
    figures = [each.percent for each in tries if each.percent is not None]
    return replace(one, steps=steps, tries_percent=figures)
