"""The longest lessons that are shown have small pages and small messages to a lab."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import workbench as wb
from tests.workbench.widgets.played import SHOP, key_rows
from workbench.funnel.inspect.one_key import MOST_ROWS
from workbench.widgets.lessons.edited import LessonMaker, open_player
from workbench.widgets.lessons.fresh import partition_of_rows
from workbench.widgets.lessons.funnel import funnel_maker
from workbench.widgets.lessons.window import window_maker
from workbench.windows.inspect.one_partition import MOST_STEPPED

MOST_BYTES = 2_000_000
#: A Jupyter server drops messages of more than this a second.
MOST_SENT = 1_000_000
#: No chain is ever complete, so each row is looked at.
ENDLESS = ["landing_page", "signup", "add_to_cart"]
FUNNELS: dict[str, dict[str, Any]] = {
    "once": {"modes": ["strict_once"]},
    "in any order": {"order": "any"},
}
FRAME = wb.Frame.rows(-49, 0)
CALLS = {
    "three quantiles": (wb.fn.quantile("v", [0.25, 0.5, 0.75]), FRAME),
    "max": (wb.fn.max("v"), FRAME),
}


def funnel_of(case: str) -> LessonMaker:
    random = np.random.default_rng(0)
    events = [(ENDLESS[random.integers(3)], 3 * i) for i in range(MOST_ROWS)]
    funnel = wb.Funnel(SHOP, "1 hour", **FUNNELS[case])
    return funnel_maker(funnel, key_rows(events), "ann")


def call_of(case: str) -> LessonMaker:
    function, frame = CALLS[case]
    values = np.random.default_rng(0).random(MOST_STEPPED).round(3).tolist()
    call = wb.Over(order_by="k", frame=frame, engine="kernel", m=function)
    return window_maker(partition_of_rows(call, {"k": list(range(MOST_STEPPED)), "v": values}))


LONG = [*((funnel_of, case) for case in FUNNELS), *((call_of, case) for case in CALLS)]


@pytest.mark.parametrize(("make", "case"), LONG, ids=[case for _, case in LONG])
def test_the_longest_lesson_fits_into_a_page_and_a_message(
    make: Any, case: str, tmp_path: Path
) -> None:
    player = open_player(make(case))
    assert player.to_html(tmp_path / "long.html").stat().st_size < MOST_BYTES
    packed = player.get_state()["lesson"]["packed"]
    assert len(packed) < MOST_SENT
    sent = json.loads(gzip.decompress(packed))
    assert len(sent["steps"]) >= len(player.lesson["input"]["rows"])
    assert sent["steps"] == player.lesson["steps"]
    assert [one["title"] for one in sent["pictures"]] == [
        one["title"] for one in player.lesson["pictures"]
    ]
