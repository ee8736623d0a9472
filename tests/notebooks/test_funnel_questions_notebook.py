"""The notebook of questions about a funnel runs on a reader's table."""

from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import SparkSession

from tests.notebooks.own_tables import texts_with

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "09-funnel-questions.ipynb"
OWN_TABLE = """
source = {paid!r}
key, time, event = "card", "at", "what"
steps = ["tea", "milk", "bread"]
window, every, segment = "6 hours", "1 day", "shop"
"""


@pytest.mark.filterwarnings("ignore:.*rows were left out")
def test_it_runs_on_a_reader_s_table(spark: SparkSession, tmp_path: Path) -> None:
    paid = pd.DataFrame(
        {
            "card": [f"c{i % 5}" for i in range(900)],
            "shop": [f"shop {i % 5 % 2}" for i in range(900)],
            "at": pd.date_range("1969-12-20", periods=900, freq="17min", tz="UTC"),
            "what": [["tea", "milk", "bread", "tea", None][i * i % 7 % 5] for i in range(900)],
        }
    )
    texts = texts_with(spark, NOTEBOOK, OWN_TABLE, tmp_path, paid=paid)
    assert any("who entered from 19" in text for text in texts)
    assert any(text.startswith("Explorer of") and "key='card'" in text for text in texts)
