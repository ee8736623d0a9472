"""Lines of Python that are shown run where they are pasted."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html import unescape
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from workbench.widgets.html import code_line

#: Values that stand in lines of Python as ``repr`` writes them.
VALUES = (
    datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 5, 1, tzinfo=ZoneInfo("Europe/Vienna")),
    timedelta(hours=1), Decimal("1.50"), UUID(int=7), np.int64(3), pd.Timestamp("2024-05-01"),
    "datetime.datetime", 5,
)  # fmt: skip


def copied(text: str) -> str:
    return unescape(code_line(text).partition("<code>")[2].partition("</code>")[0])


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_line_has_the_imports_of_the_values_in_it(value: Any) -> None:
    namespace: dict[str, Any] = {}
    exec(copied(f"found = {value!r}"), namespace)
    assert namespace["found"] == value


@pytest.mark.parametrize("text", ["wb.fn.count()", "'datetime.date'", "SELECT a FROM b WHERE c",
                                  "import datetime\ndatetime.date(2024, 1, 1)"])  # fmt: skip
def test_a_line_that_needs_no_imports_stays_as_it_is(text: str) -> None:
    assert copied(text) == text
