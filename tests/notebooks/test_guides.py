"""What the pages for analysts and clusters tell is so: their code runs, their options are ours."""

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from workbench.doctor.place import APPROXIMATE, NEEDED
from workbench.spark.session import BUFFERS, PROVIDER, ROCKSDB, UNCHECKED

DOCS = Path(__file__).parents[2] / "docs"


# A busy machine takes its time for the jobs behind a page.
@pytest.mark.timeout(600)
def test_the_way_of_an_analyst_can_be_walked(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (DOCS / "analysts.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        # As a notebook has cells: one behind the other, on the same names.
        exec(block.replace("users=5_000", "users=300"), known)
    reached = known["steps"].groupby("step")["users"].sum()
    assert reached["signup"] > reached["add_to_cart"] > reached["checkout"] > 0
    assert known["lost"].count() == reached["add_to_cart"] - reached["checkout"]
    assert len(known["differ"])
    assert "checkout" in (tmp_path / "funnel.html").read_text("utf-8")
    assert (tmp_path / "funnel.csv").stat().st_size > 0


@pytest.mark.parametrize(
    "said", [BUFFERS, str(2**31 - 1), UNCHECKED, PROVIDER, ROCKSDB, *NEEDED, *APPROXIMATE]
)
def test_the_page_for_clusters_names_what_the_doctor_looks_at(said: str) -> None:
    assert f"`{said}`" in (DOCS / "clusters.md").read_text("utf-8").replace("add `", "`")
