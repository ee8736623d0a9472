"""The common look is readable in light and dark and with colour blindness; all figures have it."""

import json
import re
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from kernels.core.arrays import Floats
from tests.hostile import figures, stills
from workbench.figures.theme import (
    SERIES,
    TEMPLATE,
    TOKENS,
    moment,
    number,
    share,
    still_style,
    stylesheet_of,
)

THEMES = ("light", "dark")
#: What eyes without one kind of cones see of linear red, green and blue.
#: Source: Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color
#: vision deficiency" (2009), severity 1.
EYES: dict[str, Any] = {
    "all cones": np.eye(3),
    "no long cones": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                      [-0.003882, -0.048116, 1.051998]],
    "no medium cones": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                        [-0.011820, 0.042940, 0.968881]],
}  # fmt: skip
#: From linear sRGB to CIE XYZ; the sums of the rows are white.
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(color: str) -> Floats:
    """Return red, green and blue as linear light, from 0 to 1."""
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    """Return the contrast as guidelines for accessible pages define it, from 1 to 21."""
    low, high = sorted(float(XYZ[1] @ linear(one)) for one in (a, b))
    return (high + 0.05) / (low + 0.05)


def perceived(color: str, eyes: str) -> Floats:
    """Return a colour in CIE 1976 L*a*b*, in which equal distances look equal."""
    light = np.clip(EYES[eyes] @ linear(color), 0, 1)
    x, y, z = np.cbrt(XYZ @ light / XYZ.sum(axis=1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", THEMES)
def test_texts_are_readable_on_their_background(theme: str) -> None:
    colors = {name: getattr(token, theme) for name, token in TOKENS.items()}
    for ground in ("ground", "raised"):
        for ink in ("ink", "quiet", "blue", "green"):
            assert contrast(colors[ink], colors[ground]) >= 4.5, (ink, ground)
    assert contrast(TOKENS["either"].light, colors["ground"]) >= 4
    for mark in ("vermillion", "grey", "pink"):
        assert contrast(colors[mark], colors["ground"]) >= 3, mark


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eyes", EYES)
def test_colours_that_mean_different_things_stay_apart(theme: str, eyes: str) -> None:
    drawn = ("blue", "vermillion", "orange", "sky", "green")
    colors = {name: perceived(getattr(TOKENS[name], theme), eyes) for name in drawn}
    distances = {
        (a, b): float(np.linalg.norm(colors[a] - colors[b])) for a, b in combinations(colors, 2)
    }
    assert min(distances.values()) > 10, distances


def test_no_series_is_distinguished_by_its_colour_alone() -> None:
    assert len({(look.dash, look.symbol) for look in SERIES}) == len(SERIES)
    assert len({look.pattern for look in SERIES}) == len(SERIES)


def test_figures_fill_their_place_in_colours_that_have_a_dark_counterpart() -> None:
    known = {token.light for token in TOKENS.values()}
    for kind, figure in figures("a").items():
        assert figure.layout.width is None, kind
        assert figure.layout.template == TEMPLATE, kind
        drawn = json.loads(figure.to_json())
        del drawn["layout"]["template"]
        colors = re.findall(r'"(#\w+|white|black|gr[ae]y)"', json.dumps(drawn))
        assert set(colors) <= known, kind


def test_a_still_has_a_dark_counterpart_for_each_of_its_colours() -> None:
    for kind, picture in stills("a").items():
        style, _, drawn = picture.partition("</style>")
        for side, color in set(re.findall(r'(fill|stroke)="(#\w+|white|black)"', drawn)):
            assert f'[{side}="{color}"]' in style, (kind, side, color)


def test_the_style_of_a_still_has_only_colours_that_the_still_uses() -> None:
    assert "#0072b2" not in still_style('<path fill="#16181d"/>')


def test_in_a_dark_lab_backgrounds_and_inks_are_those_of_the_lab() -> None:
    css = stylesheet_of(".a", ".b")
    dark = css[css.index('body[data-jp-theme-light="false"]') :]
    assert "--wb-blue: #56b4e9" in dark
    assert "--wb-ink: #" not in dark[: dark.index("}")]
    assert '.a [style*="stroke: rgb(0, 114, 178)"]' in css
    assert css.count("{") == css.count("}")


def test_numbers_and_times_are_written_in_one_way() -> None:
    assert [number(x) for x in (0, 12, -3.5, 1e-7, 1234567.89, float("nan"), 2e20)] == [
        *("0", "12", "-3.5", "1e-07", "1,234,567.9", "", "2e+20"),
    ]  # fmt: skip
    assert share(0.00049) == "0.0%"
    assert moment(np.float64(3)) == "3.0"
