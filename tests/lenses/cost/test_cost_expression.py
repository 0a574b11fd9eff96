"""Expressions of components: computed as spreadsheets do it, and nothing else than that."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iowatt.lenses.cost.pricing.component import number
from iowatt.lenses.cost.result.costs import Carbon, CostComponent, DriveCost, SystemCost
from iowatt.pages.cost import expression

VALUES = {"cooling.pue": 1.54, "years": 5.0, "purchase.price.hdd-to-6tb": 0.035}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1+2*3", 7.0),
        ("(1+2)*3", 9.0),
        ("7-2-1", 4.0),
        ("8/4/2", 1.0),
        ("-2^2", 4.0),
        ("2^3^2", 64.0),
        ("2-(-0.5)", 2.5),
        ("1e-3*2E+3", 2.0),
        ("2000.0*{purchase.price.hdd-to-6tb}", 70.0),
        ("10*({cooling.pue}-1)", 5.4),
        ("MAX(0,{years}-7)", 0.0),
        ("MAX({years})", 5.0),
        ("MAX(3,{years},4)", 5.0),
        ("IF({years}=5,1,1/0)", 1.0),
        ("IF({years}<>5,1/0,2)", 2.0),
        ("(1<2)+(2<=2)+(3>2)+(3>=4)", 3.0),
    ],
)
def test_an_expression_comes_to_what_a_spreadsheet_makes_of_it(text, value):
    assert expression.evaluate(text, VALUES.__getitem__) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1+",
        "(1",
        "1)",
        "=1",
        '"a"',
        "A1",
        "cmd()",
        "{}",
        "1/0",
        "(-1)^0.5",
        "MAX()",
        "CEILING(1,1)",
        "IF(1,2)",
        "1 2",
        "{a",
    ],
)
def test_what_is_no_expression_or_has_no_value_is_said_to_be_so(text):
    with pytest.raises(ValueError):
        expression.evaluate(text, VALUES.__getitem__)


@settings(deadline=None)
@given(st.text(alphabet="0123456789.+-*/^()<>=,{}aMIFX eE", max_size=40))
def test_no_text_raises_anything_but_that(text):
    try:
        value = expression.evaluate(text, lambda name: 2.0)
    except ValueError:
        return
    assert isinstance(value, float)


@settings(deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_keeps_all_its_digits(value):
    assert expression.evaluate(number(value), VALUES.__getitem__) == value
    assert expression.evaluate(f"1-{number(value)}", VALUES.__getitem__) == 1 - value


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_none_of_an_expression(value):
    with pytest.raises(ValueError):
        number(value)


def test_names_are_told_once_and_written_as_cells():
    text = "{years}*2+{cooling.pue}*{years}"
    assert expression.names(text) == ("years", "cooling.pue")
    cells = {"years": "$B$4", "cooling.pue": "cooling_pue"}
    assert expression.written(text, cells.__getitem__) == "$B$4*2+cooling_pue*$B$4"


def component(key, text, usd=0.0, device=None):
    return CostComponent.model_construct(key=key, expression=text, usd=usd, device=device)


def test_components_refer_to_one_another_their_drives_and_the_horizon():
    system = SystemCost.model_construct(
        repeats=10.0, years=2.0,
        drives=[DriveCost.model_construct(name="a", price_usd=100.0)],
        carbon=Carbon.model_construct(operational_kg=5.0, embodied_kg=6.0),
        components=[
            component("cooling", "{usd:energy}*({cooling.pue}-1)"),
            component("energy", "3.0*0.5*{repeats}"),
            component("carbon", "({kg.operational}+{kg.embodied})/10"),
            component("wear", "{price}*{years}", device="a"),
            component("stated", None, usd=7.0),
            component("twice 7", "{usd:stated}*2"),
            component("ring", "{usd:gnir}"),
            component("gnir", "{usd:ring}"),
            component("unknown", "{no.such}"),
            component("of none", "{price}", device="z"),
        ],
    )  # fmt: skip
    assert expression.values(system, VALUES) == {
        "energy": 15.0,
        "cooling": pytest.approx(8.1, rel=1e-15),
        "carbon": 1.1,
        "wear": 200.0,
        "twice 7": 14.0,
    }
