"""HTML, SVG and the tags of chart texts are made in one module, which escapes by default."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HELPERS = [ROOT / "workbench/markup.py", ROOT / "workbench/described.py"]
HTML_MODULE = ROOT / "workbench/widgets/html.py"
MODULES = [
    path
    for folder in ("kernels", "workbench", "benchmarks")
    for path in sorted(ROOT.joinpath(folder).rglob("*.py"))
    if path not in (*HELPERS, HTML_MODULE)
]
TAGS = (
    "a abbr article b bdi body br button canvas circle clipPath code col div em embed extra"
    " figure font footer foreignObject form g h1 h2 h3 h4 head header hr html i iframe image img"
    " input label li line link main marker mark meta object ol option p path pattern polygon"
    " polyline pre rect script section select small span strong style sub sup svg symbol table"
    " tbody td text textarea tfoot th thead title tr tspan u ul use video"
)
# A single letter at the end is a format of `struct`, such as "<q".
TAG = re.compile(rf"</?(?:{TAGS.replace(' ', '|')})(?:(?=[\s/>])|(?<=\w\w)$)|<!--|<!doctype")
OTHER_ESCAPERS = {"html", "markupsafe", "cgi", "xml.sax.saxutils"}
#: Classes of ipywidgets and IPython that show a text as markup.
RAW = {"HTML", "HTMLMath", "SVG", "Javascript"}


def handmade_markup(source: str) -> list[str]:
    """Return the lines where a module makes markup by itself, or shows a text as markup."""
    tree = ast.parse(source)
    ignored = {id(part) for text in texts_without_markup(tree) for part in ast.walk(text)}
    uses = (
        (getattr(node, "lineno", 0), word)
        for node in ast.walk(tree)
        if id(node) not in ignored
        for word in forbidden(node)
    )
    return [f"{line}: {word}" for line, word in sorted(uses)]


def texts_without_markup(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield docstrings, and rules of style, whose types look like tags."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        if isinstance(node, ast.Call) and name_of(node.func) == "stylesheet":
            yield from node.args


def forbidden(node: ast.AST) -> list[str]:
    """Return what a node uses that only :mod:`workbench.markup` may use."""
    match node:
        case ast.Constant(value=str(text)):
            return TAG.findall(text)
        case ast.Import(names=names):
            return [alias.name for alias in names if alias.name in OTHER_ESCAPERS]
        case ast.ImportFrom(module=str(module)) if module in OTHER_ESCAPERS:
            return [module]
        case ast.ImportFrom(module=module, names=names) if module != "workbench.widgets.html":
            return [alias.name for alias in names if alias.name in RAW]
        case ast.Attribute(attr=name) if name in RAW | {"to_html"}:
            return [name]
        case ast.Call(func=func, args=[_, *_]) if name_of(func) == "Markup":
            return ["Markup(...)"]
        case ast.FunctionDef(name="_repr_html_" | "__html__" as name):
            return [name]
    return []


def name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def test_no_other_module_makes_markup() -> None:
    uses = {
        str(path.relative_to(ROOT)): handmade_markup(path.read_text("utf-8")) for path in MODULES
    }
    assert len(uses) > 200
    assert {path: places for path, places in uses.items() if places} == {}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('x = f"<b>{name}</b>"', ["1: </b", "1: <b"]),
        ('x = "<p style=" + style', ["1: <p"]),
        ('x = f"{name}<br>{name}"', ["1: <br"]),
        ('x = "<!-- note -->"', ["1: <!--"]),
        ("from html import escape", ["1: html"]),
        ("import markupsafe", ["1: markupsafe"]),
        ("import ipywidgets as widgets\nwidgets.HTML(name)", ["2: HTML"]),
        ("from ipywidgets import HTML", ["1: HTML"]),
        ("from IPython.display import SVG", ["1: SVG"]),
        ("Markup(name)", ["1: Markup(...)"]),
        ("markup.Markup(name)", ["1: Markup(...)"]),
        ("class A:\n    def _repr_html_(self): ...", ["2: _repr_html_"]),
        ("table.to_html()", ["1: to_html"]),
    ],
)
def test_handmade_markup_is_found(source: str, expected: list[str]) -> None:
    assert handmade_markup(source) == expected


@pytest.mark.parametrize(
    "allowed",
    [
        '"""A module about <b>."""',
        'schema = "ids array<long>, names map<string, int>"',
        "x = Markup() + name",
        "stylesheet(\"@property --n{syntax:'<a>'}\")",
        "from workbench.widgets.html import HTML\nHTML(name)",
        'low = "x < b and a <= c"',
        'struct.pack("<b", 5)',
    ],
)
def test_other_texts_are_allowed(allowed: str) -> None:
    assert handmade_markup(allowed) == []


def test_scripts_write_texts_and_no_markup() -> None:
    writes = re.compile(r"(?:inner|outer)HTML|insertAdjacentHTML|document\.write|setHTMLUnsafe")
    static = ROOT / "workbench/widgets/static"
    uses = {path.name: writes.findall(path.read_text("utf-8")) for path in static.iterdir()}
    players = ("chart.js", "explorer.css", "player.css", "player.html", "player.js", "sheet.js")
    pages = ("controls.css", "framed.html", "lesson.css", "lesson.html", "living.js")
    scripts = ("grid.js", "heard.js", "shared.css", "shared.html", "shared.js", "shared_script.js")
    files = (*players, *pages, *scripts, "clipboard.js")
    assert uses == {file: [] for file in files}
