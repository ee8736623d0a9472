"""The look of everything: colours for light and dark, fonts, formats, and empty figures.

Figures, stills, widgets and pages are drawn in the colours of a light page, each of which stands
for a role. In a page, :func:`stylesheet_of` gives a role its colour in the theme of the page: that
of JupyterLab, by its own variables, or that of the reader's system. It follows a change of theme.
"""

import textwrap
from collections.abc import Callable
from typing import Any, NamedTuple

import plotly.graph_objects as go

from workbench.markup import chart_text, in_lines

FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
#: Sizes of text in pixels: labels of marks and axes, normal text, and titles.
SMALL, TEXT, HEAD = 11, 12, 15
#: The most letters of a line of a sentence in an empty figure, which fits a narrow chart.
_LINE = 80


class Token(NamedTuple):
    """A colour by its role.

    Attributes
    ----------
    light, dark : str
        The colour on a light and on a dark page.
    in_lab : str
        The CSS value in JupyterLab, or empty if it is as on other pages.
    """

    light: str
    dark: str
    in_lab: str = ""


def _mixed(share: int) -> str:
    """Return this share of the ink mixed with the ground: visible in any theme, but subdued."""
    return f"color-mix(in srgb, var(--wb-ink) {share}%, var(--wb-ground))"


#: Okabe and Ito's palette, which colour-blind people can distinguish; grounds, inks and rules.
TOKENS = {
    "ground": Token("#ffffff", "#16181d", "var(--jp-layout-color1, #ffffff)"),
    "ink": Token("#16181d", "#eef0f3", "var(--jp-ui-font-color0, #16181d)"),
    "quiet": Token("#4a4f59", "#b0b6c2", _mixed(72)),
    "grey": Token("#6b7280", "#9aa1ad"),
    "either": Token("#7a7a7a", "#b0b6c2", _mixed(72)),
    "rule": Token("#d3d6dc", "#3a3f4a", _mixed(18)),
    "grid": Token("#eceef2", "#2a2e37", _mixed(8)),
    "raised": Token("#f3f4f6", "#20232a", _mixed(5)),
    "blue": Token("#0072b2", "#56b4e9"),
    "vermillion": Token("#c65200", "#ff8b3d"),
    "orange": Token("#e69f00", "#f7d06e"),
    "sky": Token("#56b4e9", "#2a7fb5"),
    "green": Token("#007a5a", "#35c79b"),
    "pink": Token("#b4588f", "#e7a0c8"),
    "blue-soft": Token("#c6e4f6", "#1d3d54"),
    "orange-soft": Token("#f8e4b8", "#4a3a16"),
    "vermillion-soft": Token("#f6e3d6", "#4a2d1a"),
}
GROUND, INK, QUIET, GREY = (TOKENS[name].light for name in ("ground", "ink", "quiet", "grey"))
RULE, GRID, RAISED, EITHER = (TOKENS[name].light for name in ("rule", "grid", "raised", "either"))
BLUE, VERMILLION, ORANGE, SKY, GREEN, PINK = (
    TOKENS[name].light for name in ("blue", "vermillion", "orange", "sky", "green", "pink")
)
BLUE_SOFT, ORANGE_SOFT = (TOKENS[name].light for name in ("blue-soft", "orange-soft"))


class Look(NamedTuple):
    """The style of one of several series, so that they differ not by colour alone.

    Attributes
    ----------
    color, dash, symbol, pattern : str
        The names in plotly, for lines, marks and bars.
    """

    color: str
    dash: str
    symbol: str
    pattern: str


#: The looks of series in order.
SERIES = (
    Look(BLUE, "solid", "circle", ""),
    Look(ORANGE, "dash", "square", "/"),
    Look(GREEN, "dot", "diamond", "x"),
    Look(PINK, "dashdot", "triangle-up", "."),
    Look(SKY, "longdash", "x", "\\"),
    Look(GREY, "solid", "circle-open", "-"),
)


def _template(ground: str, ink: str, quiet: str, rule: str, grid: str) -> go.layout.Template:
    """Return the fonts, colours, grid and legends of plotly's figures."""
    axis = {
        "automargin": True, "gridcolor": grid, "linecolor": rule, "zerolinecolor": rule,
        "zerolinewidth": 1, "tickcolor": rule, "ticks": "",
        "tickfont": {"size": SMALL, "color": quiet},
        "title": {"font": {"size": TEXT, "color": quiet}, "standoff": 8},
    }  # fmt: skip
    bars = {"marker": {"line": {"width": 0},
                       "pattern": {"fillmode": "overlay", "size": 8, "solidity": 0.2}}}  # fmt: skip
    scale = {"thickness": 12, "outlinewidth": 0, "tickfont": {"size": SMALL, "color": quiet},
             "title": {"font": {"size": TEXT, "color": quiet}}}  # fmt: skip
    return go.layout.Template(
        data={"bar": [bars], "heatmap": [{"colorbar": scale}]},
        layout={
            "font": {"family": FONT, "size": TEXT, "color": ink},
            "paper_bgcolor": ground, "plot_bgcolor": ground,
            "colorway": [look.color for look in SERIES],
            "xaxis": axis, "yaxis": axis,
            "title": {"font": {"size": HEAD}, "x": 0, "xref": "container", "xanchor": "left"},
            "annotationdefaults": {"font": {"color": quiet}},
            "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom",
                       "font": {"size": TEXT}, "traceorder": "normal", "itemwidth": 40},
            "hoverlabel": {"align": "left", "bgcolor": GROUND, "bordercolor": RULE,
                           "namelength": -1, "font": {"color": INK, "size": TEXT, "family": FONT}},
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": quiet, "activecolor": BLUE},
            "hovermode": "closest", "separators": ".,",
        }
    )  # fmt: skip


TEMPLATE = _template(GROUND, INK, QUIET, RULE, GRID)
#: The template for figures without our style sheet, readable on light and dark grounds.
ON_ANY_GROUND = _template(
    "rgba(0,0,0,0)", EITHER, EITHER, "rgba(128,128,128,0.5)", "rgba(128,128,128,0.2)"
)
_MARGIN = {"l": 8, "r": 16, "t": 32, "b": 8}
#: From zero to the maximum, over any ground: heat maps are images, whose colours a style sheet
#: cannot change.
DENSITY = [[0.0, "rgba(42,127,181,0)"], [1.0, "rgba(42,127,181,1)"]]


def themed(figure: go.Figure, **layout: Any) -> go.Figure:
    """Give a figure the common look; it fills the available width.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    **layout
        Further properties of its layout, by plotly's names.

    Returns
    -------
    plotly.graph_objects.Figure
        The same figure.

    Examples
    --------
    >>> figure = themed(go.Figure(), height=300)
    >>> figure.layout.width, figure.layout.height, figure.layout.template.layout.font.color
    (None, 300, '#16181d')
    """
    margin = _MARGIN | layout.pop("margin", {})
    properties = {"autosize": True, "margin": margin, **layout}
    if figure.layout.to_plotly_json().keys() <= {"template"}:
        # There is nothing to merge with: assignment takes half the time.
        figure.layout = properties
    else:
        figure.update_layout(properties)
    _give_template(figure.layout)
    return figure


def _give_template(layout: go.Layout) -> None:
    """Set the template without validation, as plotly sets its default one.

    Validating and copying it would take two thirds of the time of a small figure.
    """
    layout._validate = False
    try:
        layout.template = TEMPLATE
    finally:
        layout._validate = True


def empty(figure: go.Figure, sentence: str) -> go.Figure:
    """Show in a figure why nothing is drawn in it, in place of its axes.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    sentence : str

    Returns
    -------
    plotly.graph_objects.Figure
        The same figure, without traces.

    Examples
    --------
    >>> figure = empty(themed(go.Figure(go.Bar(y=[0]))), "Nobody reached all steps.")
    >>> len(figure.data), figure.layout.annotations[0].text, figure.layout.xaxis.visible
    (0, 'Nobody reached all steps.', False)
    """
    note = {
        "text": chart_text(in_lines(textwrap.wrap(sentence, _LINE))), "showarrow": False,
        "x": 0.5, "y": 0.5,
        "xref": "paper", "yref": "paper", "font": {"size": TEXT + 1, "color": QUIET},
    }  # fmt: skip
    figure.data = ()
    figure.layout.update(annotations=[note], shapes=[], showlegend=False)
    figure.update_xaxes(visible=False)
    return figure.update_yaxes(visible=False)


def number(value: float | int | None) -> str:
    """Return a number as text: with thousands separators and at most five significant digits.

    Examples
    --------
    >>> number(661610), number(1234.5678), number(0.00123456), number(None)
    ('661,610', '1,234.6', '0.0012346', '')
    """
    if value is None or value != value:
        return ""
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.1f}" if 1000 <= abs(value) < 1e15 else f"{value:,.5g}"


def share(part: float | None) -> str:
    """Return a part of a whole in percent, with one digit.

    Examples
    --------
    >>> share(0.1786), share(1.0), share(float("nan"))
    ('17.9%', '100.0%', '')
    """
    return "" if part is None or part != part else f"{part:.1%}"


def moment(time: Any) -> str:
    """Return a time as short text; a number stays a number.

    Examples
    --------
    >>> from datetime import datetime
    >>> moment(datetime(2013, 3, 24, 12, 59)), moment(5)
    ('24 Mar 12:59', '5')
    """
    return f"{time:%d %b %H:%M}" if hasattr(time, "strftime") else str(time)


DARK_LAB = 'body[data-jp-theme-light="false"]'
_DARK_PAGE = "body:not([data-jp-theme-light], [data-vscode-theme-kind])"
_DARK_CODE = 'body[data-vscode-theme-kind*="dark"]'
#: Rules for parts without our colours: plotly's toolbar, and its grounds, which are the page's.
_PLOTLY = """
.js-plotly-plot .main-svg { background: transparent !important; }
.js-plotly-plot .modebar-btn path { fill: var(--wb-quiet) !important; }
.js-plotly-plot .modebar-btn:is(:hover, .active) path { fill: var(--wb-blue) !important; }
.js-plotly-plot .modebar-group { background: var(--wb-ground) !important; border-radius: 6px; }
"""


def stylesheet_of(*scopes: str) -> str:
    """Return the rules that give each role its colour in the theme of the page.

    Parameters
    ----------
    *scopes : str
        Selectors of SVG that is drawn in the colours of a light page, by plotly or by us.

    Returns
    -------
    str
        CSS: a variable ``--wb-ROLE`` for each token, such as ``--wb-ink``, and within the scopes
        rules that replace the token's light colour by it.

    Examples
    --------
    >>> css = stylesheet_of(".picture")
    >>> "--wb-ink: var(--jp-ui-font-color0, #16181d)" in css
    True
    >>> '.picture [fill="#0072b2"]' in css
    True
    """
    font = "--wb-font: var(--jp-ui-font-family, system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif)"
    code = "--wb-code-font: var(--jp-code-font-family, ui-monospace, 'DejaVu Sans Mono', monospace)"
    light = _variables(lambda token: token.in_lab or token.light)
    dark = _variables(lambda token: token.dark)
    in_dark_lab = _variables(lambda token: "" if token.in_lab else token.dark)
    return "\n".join(
        [
            f"body {{{font}; {code}; {light}}}",
            f"@media (prefers-color-scheme: dark) {{{_DARK_PAGE} {{color-scheme: dark; {dark}}}}}",
            f"{_DARK_CODE} {{{dark}}}",
            f"{DARK_LAB} {{{in_dark_lab}}}",
            *(_color_rules(name, token.light, scopes) for name, token in TOKENS.items() if scopes),
            _PLOTLY,
        ]
    )


def _variables(colour: Callable[[Token], str]) -> str:
    values = ((name, colour(token)) for name, token in TOKENS.items())
    return "; ".join(f"--wb-{name}: {value}" for name, value in values if value)


def _color_rules(name: str, light: str, scopes: tuple[str, ...]) -> str:
    """Return the rules that replace a colour in attributes of our SVG and in plotly's styles."""
    rgb = f"rgb({', '.join(str(int(light[i : i + 2], 16)) for i in (1, 3, 5))})"
    rules = []
    for side in ("fill", "stroke"):
        selectors = f'[{side}="{light}"]', f'[{side}="{rgb}"]', f'[style*="{side}: {rgb}"]'
        selected = ", ".join(f"{scope} {one}" for scope in scopes for one in selectors)
        rules.append(f"{selected} {{{side}: var(--wb-{name}) !important}}")
    return "\n".join(rules)


def still_style(drawn: str) -> str:
    """Return the rules that let a picture follow the theme if it is a document by itself.

    Parameters
    ----------
    drawn : str
        The picture; only the colours in it get a rule.

    Returns
    -------
    str
        CSS for an SVG element of the class ``wb-still``.
    """
    rules = [
        f'.wb-still [{side}="{token.light}"]{{{side}:{token.dark}}}'
        for token in TOKENS.values()
        for side in ("fill", "stroke")
        if f'{side}="{token.light}"' in drawn
    ]
    ink = f".wb-still{{fill:{TOKENS['ink'].dark}}}"
    return f"@media(prefers-color-scheme:dark){{{ink}{''.join(rules)}}}"
