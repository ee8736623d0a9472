"""A module that plotly imports indirectly, and nothing calls, is not loaded for a chart."""

import subprocess
import sys

import pytest

LOADED = "'lark' in sys.modules"


def run(code: str) -> list[str]:
    """Return the words that a fresh process prints."""
    command = [sys.executable, "-W", "error", "-c", f"import sys; {code}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("module", ["workbench.widgets.chart", "workbench.figures.theme"])
def test_a_chart_loads_no_grammars(module: str) -> None:
    widget = f"import {module}, plotly.graph_objects as go; go.FigureWidget()"
    assert run(f"{widget}; print({LOADED})") == ["False"]


@pytest.mark.parametrize(
    ("address", "valid"), [("https://example.org/é", "True"), ("no address", "False")]
)
def test_addresses_are_still_validated(address: str, valid: str) -> None:
    schema = "{'type': 'string', 'format': 'iri'}"
    code = f"""
import workbench.figures
from jsonschema import Draft202012Validator as Validator, FormatChecker
print(Validator({schema}, format_checker=FormatChecker()).is_valid({address!r}), {LOADED})
"""
    assert run(code) == [valid, "True"]


@pytest.mark.parametrize(
    "use",
    [
        "from rfc3987_syntax import parse",
        "from rfc3987_syntax.syntax_helpers import parse",
        "import rfc3987_syntax.syntax_helpers; parse = rfc3987_syntax.syntax_helpers.parse",
    ],
)
def test_the_other_names_of_the_module_can_be_imported(use: str) -> None:
    call = "print(parse('iri', 'https://example.org').data)"
    assert run(f"import workbench.figures; {use}; {call}") == ["iri"]


def test_a_module_that_is_not_installed_is_not_added() -> None:
    code = "from workbench.figures.call_later import call_later; call_later('no_module', 'none')"
    assert run(f"{code}; print('no_module' in sys.modules)") == ["False"]
