"""The lessons of funnels with an order, optional steps, windows of steps or exclusions."""

from typing import Any

import numpy as np
import pytest

import workbench as wb
from workbench.funnel.inspect.one_key import KeyRows
from workbench.widgets.lessons.funnel import funnel_maker

#: A user's events; each is named by the step that it fulfils; x and z may be excluded.
EVENTS = [(0, "A"), (2, "x"), (3, "A"), (4, "B"), (5, "z"), (7, "C")]

#: Options, the kernel that answers, its last caption, and the events of the winning chain.
LESSONS: dict[str, tuple[dict[str, Any], str, str, list[int]]] = {
    "rules of a chain": (
        {"optional": ["B"], "within": {"C": 6}, "exclude": {"x": ("A", "C")}},
        "chain_funnel", "The answer is level 3 of 3.", [2, 3, 5],
    ),
    "an event that takes a key out of all steps": (
        {"exclude": {"z": ("B", "C")}, "exclude_from": "all"},
        "chain_funnel", "The answer is level 2 of 3. But an excluded event ended its chain: "
        "exclude_from='all' makes it level 0.", [2, 3],
    ),
    "an event before another chain that gets as far": (
        {"exclude": {"x": ("A", "B")}, "exclude_from": "all"},
        "chain_funnel", "The answer is level 3 of 3.", [2, 3, 5],
    ),
    "strict order": ({"order": "strict"}, "chain_funnel", "The answer is level 2 of 3.", [2, 3]),
    "any order": ({"order": "any"}, "any_order_funnel", "The answer is level 3 of 3.", [2, 3, 5]),
}  # fmt: skip


@pytest.mark.parametrize("case", LESSONS)
def test_a_funnel_with_rules_is_stepped_through_in_the_kernel_that_answers_it(case: str) -> None:
    options, kernel, last, chain = LESSONS[case]
    names = [*"ABC", *options.get("exclude", ())]
    bits = [1 << names.index(name) if name in names else 0 for _, name in EVENTS]
    rows = KeyRows(
        np.array([at for at, _ in EVENTS]), np.array(bits, np.uint32),
        [name for _, name in EVENTS], integer_time=True, cut=False,
    )  # fmt: skip
    lesson: Any = funnel_maker(wb.Funnel([*"ABC"], window=10, **options), rows, "ann")(None)
    assert lesson["steps"][-1]["function"] == kernel
    assert lesson["steps"][-1]["caption"] == last
    level = 0 if "level 0" in last else int(last.split()[4])
    assert lesson["result"] == str(level)
    timeline, slots = lesson["pictures"]
    assert timeline["states"][-1]["chain"] == chain
    assert any(state["cells"] != [None] * 3 for state in slots["states"])
