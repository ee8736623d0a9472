"""The pages for analysts and clusters are right: their code runs, and their options exist."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

import workbench as wb
from workbench.doctor import __main__ as doctor
from workbench.doctor.place import APPROXIMATE, NEEDED
from workbench.spark.sessions.session import BUFFERS, PROVIDER, ROCKSDB, UNCHECKED

DOCS = Path(__file__).parents[2] / "docs"
CLUSTERS = (DOCS / "clusters.md").read_text("utf-8")


# On a busy machine, the jobs of a page take long.
@pytest.mark.timeout(600)
def test_the_page_for_analysts_runs_from_its_start_to_its_end(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (DOCS / "analysts.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        # Like cells of a notebook: one after the other, with the same names.
        exec(block.replace("users=5_000", "users=300"), names)
    reached = names["steps"].groupby("step")["users"].sum()
    assert reached["signup"] > reached["add_to_cart"] > reached["checkout"] > 0
    assert names["lost"].count() == reached["add_to_cart"] - reached["checkout"]
    assert len(names["differ"])
    written = (tmp_path / "funnel.html").read_text("utf-8")
    assert "checkout" in written
    assert len(written.encode()) < 2_000_000
    assert (tmp_path / "funnel.csv").stat().st_size > 0
    # "Opens this view again."
    again = wb.explore(names["funnel"], names["clicks"], state=names["explorer"].state)
    assert again.state == names["explorer"].state
    # "The player steps through that person's events with the same code that counted everybody."
    assert names["player"].lesson["steps"][-1]["caption"] == "The answer is level 3 of 3."


def test_the_page_that_an_analyst_shares_has_no_keys(spark: SparkSession, tmp_path: Path) -> None:
    who = [f"keyholder-{number}" for number in range(20) for _ in range(2)]
    at = pd.to_datetime(["2024-01-01 10:00", "2024-01-01 11:30"] * 20)
    happened = ["signup", "checkout"] * 19 + ["signup", "look"]
    clicks = pd.DataFrame({"user_id": who, "timestamp": at, "event": happened})
    funnel = wb.Funnel(["signup", "checkout"], window="1 day")
    page = wb.explore(funnel, clicks).to_html(tmp_path / "funnel.html").read_text("utf-8")
    assert "checkout" in page
    assert "keyholder-" not in page


def readme_tables(spark: SparkSession, folder: Path, day: pd.Timestamp) -> dict[str, Any]:
    """Return the tables and streams that the README names."""
    shop = pd.DataFrame({"customer": ["ann", "ann", "ann", "bob", "bob", "cy"]})
    shop["at"] = pd.date_range(day, periods=6, freq="3h").astype("datetime64[us]")
    shop["what"] = ["visit", "cart", "pay", "visit", "look", "visit"]
    shop["amount"], shop["country"] = [0, 0, 250, 0, 0, 0], ["de", "de", "de", "fr", "fr", "fr"]
    orders = shop.assign(rating=[1, 5, 3, 4, 2, 5], kind="book", price=9.5, paid=True)
    snapshots = orders.assign(order=range(6), ds=str((day - pd.Timedelta("1 day")).date()))
    mutations = snapshots.head(1).assign(op="delete", changed_at=day + pd.Timedelta("22 hours"))
    for table, name in ((shop, "clicks"), (shop, "events"), (orders, "orders"), (orders, "ticks")):
        (folder / name).mkdir()
        table.rename(columns={"customer": "symbol"} if name == "ticks" else {}).assign(
            who=table["customer"], at=table["at"].dt.tz_localize("UTC")
        ).to_parquet(folder / name / "first.parquet")
    (folder / "clicks").rename(folder / "clicks.parquet")
    (folder / "events").rename(folder / "events.parquet")
    schema = spark.read.parquet(str(folder / "orders")).schema
    return {
        "schema": "symbol string, at timestamp, price double",
        "queries": shop[["customer"]].assign(at=shop["at"] + pd.Timedelta("1 day")),
        "orders": orders,
        "snapshots": snapshots,
        "mutations": mutations.assign(ds=str(day.date())),
        "stream": spark.readStream.schema(schema).parquet(str(folder / "orders")),
    }


@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("ignore:.* rows were left out:UserWarning")
def test_the_readme_runs_as_it_is_written(spark: SparkSession, tmp_path: Path) -> None:
    day = pd.Timestamp.now(tz="UTC").tz_localize(None).normalize() - pd.Timedelta("2 days")
    page = (DOCS.parent / "README.md").read_text("utf-8").replace("/data", str(tmp_path))
    names = readme_tables(spark, tmp_path, day)
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        if "backfill = " in block:
            names["events"] = names["orders"]
        # Features from elsewhere, the log of those that were served, and the days of the example.
        for written, here in (("somebodys_features", "features"), ("(view_log", "(features")):
            block = block.replace(written, here)
        for written, days in (("2024-06-30", 1), ("2024-07-01", 1)):
            block = block.replace(written, str((day + pd.Timedelta(days=days)).date()))
        exec(block, names)
    for query in spark.streams.active:
        query.stop()
    assert len(names["view"].fetch(["ann"]).to_pandas()) == 1


@pytest.mark.parametrize(
    "name", [BUFFERS, str(2**31 - 1), UNCHECKED, PROVIDER, ROCKSDB, *NEEDED, *APPROXIMATE]
)
def test_the_page_for_clusters_names_what_the_doctor_checks(name: str) -> None:
    assert f"`{name}`" in CLUSTERS.replace("add `", "`")


def test_a_session_that_is_started_here_has_the_values_of_that_page(spark: SparkSession) -> None:
    rows = re.findall(r"^\| `([\w.]+)` \| `([\w.]+)`", CLUSTERS, re.MULTILINE)
    assert [name for name, _ in rows] == [BUFFERS, PROVIDER, "spark.sql.session.timeZone"]
    assert [(name, spark.conf.get(name)) for name, _ in rows] == rows


def test_the_code_of_that_page_prints_a_sentence_for_each_finding(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, code = re.findall(r"```python\n(.*?)```", CLUSTERS, re.DOTALL)
    exec(code, {"wb": wb})
    lines = capsys.readouterr().out.splitlines()
    assert [one for one in lines if not re.match(r"(ok  |LOOK) [^:]+: .*\.$", one)] == []
    things = {re.sub("^(ok  |LOOK) ", "", one).partition(":")[0] for one in lines}
    assert things >= {"Spark", "Java", "Time zone", "Arrow's buffers", "Kernels here", "Memory"}


def test_the_options_of_the_doctor_on_that_page_are_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = re.findall(r"^python -m workbench\.doctor (--\w+)", CLUSTERS, re.MULTILINE)
    monkeypatch.setattr("sys.argv", ["doctor", "--help"])
    with pytest.raises(SystemExit, match=r"^0$"):
        doctor.main()
    help_text = capsys.readouterr().out
    assert options == ["--master", "--remote"]
    assert all(one in help_text for one in options)
