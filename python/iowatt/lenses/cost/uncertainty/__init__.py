"""What the ranges of assumptions make of costs: how far totals spread, what matters, where rankings flip.

``sample`` draws all ranges at once, ``tornado`` varies one at a time, ``crossovers`` looks for the place
along an assumption at which another system becomes the cheaper one, and for how sure that place is. All know
a system only as a function of a book and a horizon (``Pricer``); nothing here knows what a cost is made of.

Shapes in the document ``iowatt.cost/1`` (dollars are those that ``dollars`` says: ``present``, by the book's
``discount.rate``, or ``paid``):

``uncertainty``
    ``samples``, ``seed``, ``dollars``, ``method`` (a sentence);
    ``figures`` [``key``, ``unit``, ``text``, ``law`` (triangular, log-triangular), ``low``, ``mode``,
    ``high``];
    ``systems`` [``name``, ``usd`` (at the book's values), ``mean``, ``sd``, ``quantiles`` {p5, p25, p50, p75,
    p95}, ``curve`` (the 99 percentiles), ``share_above`` (of the draws, above ``usd``),
    ``groups`` [``group``, ``usd``, ``quantiles``], ``cheapest_share``];
    ``differences`` [``a`` (the first system), ``b``, ``usd`` (b - a), ``mean``, ``sd``, ``quantiles``,
    ``curve``, ``share_above``, ``share_b_cheaper``].
``tornado``, a list
    ``of`` (total, difference), ``system``, ``a``, ``b``, ``usd``, ``dollars``;
    ``bars`` [``key``, ``unit``, ``text``, ``low``, ``value``, ``high``, ``usd_low``, ``usd_high``, ``swing``,
    ``flips``]; ``without_effect`` (keys).
``crossovers``, a list
    ``of``, ``unit``, ``text``, ``value``, ``low``, ``high``, ``ended_by``, ``dollars``, ``axis`` (log,
    linear);
    ``course`` {``at`` [n], ``usd`` {name: [n]}}; ``cheapest`` [``from``, ``until``, ``system``];
    ``pairs`` [``a``, ``b``, ``crossings`` [``at``, ``lower``, ``upper``, ``kind`` (cross, jump, tie),
    ``cheaper_below``, ``cheaper_above``, ``usd_below``, ``usd_above``, ``also`` [``text``, ``value``,
    ``unit``]],
    ``why`` (there is none), ``range`` {``draws``, ``seed``, ``p5``, ``p50``, ``p95``, ``share_crossing``,
    ``share_a_cheaper``, ``share_b_cheaper``, ``share_same``, ``share_reversed``}].
"""

from iowatt.lenses.cost.uncertainty.crossover import DRAWS, Crossing, Crossover, Pair, crossovers
from iowatt.lenses.cost.uncertainty.pricing import Dollars, Pricer
from iowatt.lenses.cost.uncertainty.spread import Spread, sample
from iowatt.lenses.cost.uncertainty.tornado import Bar, Tornado, tornado

__all__ = [
    "DRAWS",
    "Bar",
    "Crossing",
    "Crossover",
    "Dollars",
    "Pair",
    "Pricer",
    "Spread",
    "Tornado",
    "crossovers",
    "sample",
    "tornado",
]
