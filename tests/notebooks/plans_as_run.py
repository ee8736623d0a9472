"""For the run of the notebooks: a committed picture of a plan has the operators of a new run.

A plugin of pytest, because nbval makes the cases: ``-p tests.notebooks.plans_as_run``.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from nbval.plugin import IPyNbCell

Outputs = Sequence[Mapping[str, Any]]


def shapes(outputs: Outputs) -> list[str]:
    """Return the summaries of the plans in a cell's outputs: how many operators of which kind."""
    texts = [out.get("data", {}).get("text/plain", "") for out in outputs]
    return [text for text in texts if text.startswith(("Query plan: ", "Query plans: "))]


def compare_plans(committed: Outputs, fresh: Outputs) -> None:
    """Fail if the committed plans are not those of a new run."""
    before, now = shapes(committed), shapes(fresh)
    assert before == now, f"committed {before}, but a run has {now}: run `make notebooks`"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Compare the plans of a cell after its run."""
    yield
    if isinstance(item, IPyNbCell):
        compare_plans(item.cell.outputs, item.test_outputs or ())
