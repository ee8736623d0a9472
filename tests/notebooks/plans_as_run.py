"""For the run of the notebooks: a committed picture of a plan has the operators that a run has.

A plugin of pytest, as nbval makes the cases: ``-p tests.notebooks.plans_as_run``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from nbval.plugin import IPyNbCell

Outputs = Sequence[Mapping[str, Any]]


def shapes(outputs: Outputs) -> list[str]:
    """What the plans among a cell's outputs say of themselves: how many operators of which kind."""
    texts = [out.get("data", {}).get("text/plain", "") for out in outputs]
    return [text for text in texts if text.startswith(("Query plan: ", "Query plans: "))]


def compare_plans(committed: Outputs, fresh: Outputs) -> None:
    """Refuse committed plans that a run does not have."""
    was, is_now = shapes(committed), shapes(fresh)
    assert was == is_now, f"committed {was}, but a run has {is_now}: run `make notebooks`"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Compare the plans of a cell when it has been run."""
    yield
    if isinstance(item, IPyNbCell):
        compare_plans(item.cell.outputs, item.test_outputs or ())
