"""Lessons of a few rows, made without Spark, which several tests of the player step through."""

from typing import Any

import numpy as np

import workbench as wb
from workbench.funnel.inspect.one_key import KeyRows
from workbench.widgets.lessons.edited import LessonMaker
from workbench.widgets.lessons.funnel import funnel_maker

MINUTE = 60_000_000
SHOP = ["signup", "add_to_cart", "checkout"]
EVENTS = [
    *(("landing_page", 0), ("signup", 1), ("welcome", 2), ("add_to_cart", 3), ("related", 4)),
    *(("add_to_cart", 5), ("checkout", 6), ("signup", 60), ("add_to_cart", 70)),
]


def key_rows(events: list[tuple[str, int]] = EVENTS) -> KeyRows:
    """Return the rows of a key from names and minutes."""
    bits = [1 << SHOP.index(name) if name in SHOP else 0 for name, _ in events]
    time = np.array([MINUTE * minute for _, minute in events], np.int64)
    return KeyRows(time, np.array(bits, np.uint32), [name for name, _ in events], False, False)


def shop(*modes: str, events: list[tuple[str, int]] = EVENTS) -> LessonMaker:
    """Return the function that makes the lesson of the shop's funnel."""
    funnel = wb.Funnel(SHOP, "1 hour", modes=list(modes))
    return funnel_maker(funnel, key_rows(events), "ann")


QUERY, TIME = [24, 31, 45, 62, 80, 83], [1, 9, 15, 22, 30, 41, 44, 58, 66, 79, 82]
VALUE = [11.0, 10.0, 9.0, 3.0, 8.0, 2.0, 7.0, 6.0, 1.0, 4.0, 5.0]
RUNG: dict[str, Any] = {"query": QUERY, "time": TIME, "values": VALUE, "window": 40, "hop": 10}
