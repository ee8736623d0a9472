"""Paths around a step, checked by a scan of every user's events, in process and on Spark."""

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import workbench as wb
from tests.drawn import draws
from tests.workbench.funnel.events import (
    FUNNEL,
    ROWS,
    STEPS,
    WAYS,
    WINDOW,
    block_of,
    of_users,
)
from tests.workbench.spark.jobs import no_job
from workbench.columnar.blocks import NAME
from workbench.funnel.behaviour.paths import Paths
from workbench.funnel.bind import task_of
from workbench.funnel.worker.paths import PathsTask

Path = tuple[tuple[str, ...], bool]
#: The steps before and after a path, and whether only those count who went no further.
AROUND: list[tuple[int | None, int | None, bool]] = [
    (0, 1, False), (0, 2, False), (1, 2, False), (0, None, False), (1, None, True),
    (0, None, True), (2, None, False), (None, 1, False), (None, 0, False),
]  # fmt: skip


def path_of(
    events: list[tuple[int, str | None]], chain: tuple[int, ...], window: int, longest: int,
    after: int | None, before: int | None, dropped: bool,
) -> Path | None:  # fmt: skip
    """Return a user's path, computed from all events of the user, or None if there is none."""
    needed = before if before is not None else after
    assert needed is not None
    if len(chain) <= needed or (dropped and after is not None and len(chain) > after + 1):
        return None
    if after is None:
        first, last = chain[needed] - window, chain[needed] - 1
    else:
        first = chain[after] + 1
        last = chain[after] + window if before is None else chain[before] - 1
    there = sorted((at, name) for at, name in events if name is not None and first <= at <= last)
    names = [name for name, _ in groupby(name for _, name in there)]
    kept = names[-longest:] if after is None else names[:longest]
    return tuple(kept), len(names) > longest


def counts_by_path(batch: Any, longest: int) -> Counter[Path]:
    """Return a worker's counts, by path."""
    counts: Counter[Path] = Counter()
    for row in batch.to_pylist():
        names = [row[str(k)] for k in range(longest) if row[str(k)] is not None]
        counts[tuple(names), row["cut"]] += row["users"]
    return counts


USERS = st.lists(
    st.lists(
        st.tuples(st.integers(-5, 25), st.sampled_from([*"AABBCxyyz", None])),
        min_size=1,
        max_size=10,
    ),
    min_size=1,
    max_size=5,
)


@given(USERS, st.sampled_from(AROUND), st.integers(1, 4))
@draws(200)
def test_paths_are_those_of_a_scan_of_every_user(
    users: list[list[tuple[int, str | None]]],
    around: tuple[int | None, int | None, bool],
    longest: int,
) -> None:
    users = [[(0, "A"), (1, "x")], *users]
    funnel = wb.Funnel(["A", "B", "C"], window=9)
    events = task_of(funnel, integer_time=True, names=True, next=NAME)
    task, block = PathsTask(events, *around, longest), block_of(users)
    expected: Counter[Path] = Counter()
    for one, answer in zip(users, events.answer(block).to_pylist(), strict=True):
        path = path_of(one, tuple(answer["reached"]), 9, longest, *around)
        if path is not None:
            # Paths before a step are read backwards, from its end.
            expected[path[0][::-1] if task.backwards else path[0], path[1]] += 1
    assert counts_by_path(task.counts(block), longest) == expected
    everybody = replace(task, with_paths=True).people(block).to_pylist()
    paths_of_people = Counter((tuple(row["path"]), row["more"]) for row in everybody)
    assert paths_of_people == {(path[::-1] if task.backwards else path, cut): count
                               for (path, cut), count in expected.items()}  # fmt: skip
    for (names, cut), count in expected.items():
        wanted = names[::-1] if task.backwards else names
        assert len(replace(task, wanted=(wanted, cut)).people(block)) == count


def by_hand(
    longest: int, after: int | None, before: int | None, dropped: bool
) -> dict[Path, set[int]]:
    users_of_path: dict[Path, set[int]] = defaultdict(set)
    for user, rows in of_users(ROWS).items():
        path = path_of(
            [(at, name) for at, name, _ in rows],
            WAYS[user].chain,
            WINDOW,
            longest,
            after,
            before,
            dropped,
        )
        if path is not None:
            users_of_path[path].add(user)
    return users_of_path


def as_counts(paths: Paths) -> dict[Path, int]:
    rows: Any = paths.table.itertuples()
    return {(row.path, row.more): row.users for row in rows}


def step(k: int | None) -> str | None:
    return None if k is None else STEPS[k]


@pytest.mark.parametrize("around", [(0, 2, False), (0, None, True), (None, 1, False)])
def test_a_table_and_prepared_events_have_the_same_paths(
    events: DataFrame, prepared: wb.Prepared, around: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    after, before, dropped = around
    expected = {path: len(users) for path, users in by_hand(3, *around).items()}
    query = {"after": step(after), "before": step(before), "dropped": dropped, "longest": 3}
    paths = FUNNEL.paths(events, **query, most=1_000)
    assert as_counts(paths) == expected
    assert (paths.users, paths.different) == (sum(expected.values()), len(expected))
    assert as_counts(FUNNEL.paths(prepared, **query, most=1_000)) == expected
    monkeypatch.setattr(prepared, "tasks", 2)
    assert as_counts(FUNNEL.paths(prepared, **query, most=1_000)) == expected


def test_a_funnel_by_conditions_has_paths_too(events: DataFrame) -> None:
    steps = {name: f"event = '{name}'" for name in STEPS}
    funnel = wb.Funnel(steps, f"{WINDOW} seconds")
    expected = {path: len(users) for path, users in by_hand(3, 0, 1, False).items()}
    paths = funnel.paths(events, after="view", before="cart", longest=3, most=1_000)
    assert as_counts(paths) == expected
    with funnel.prepare(events, keep=["event"]) as prepared:
        again = funnel.paths(prepared, after="view", before="cart", longest=3, most=1_000)
        assert as_counts(again) == expected
    with funnel.prepare(events) as prepared, pytest.raises(wb.WorkbenchError) as error:
        funnel.paths(prepared, after="view")
    assert str(error.value) == (
        "event: the prepared events do not hold 'event', the names of what happened; "
        "prepare them with keep=['event']."
    )


def test_the_most_frequent_come_first_and_the_others_are_counted(prepared: wb.Prepared) -> None:
    counts = sorted(map(len, by_hand(5, 0, None, False).values()), reverse=True)
    paths = FUNNEL.paths(prepared, after="view", most=4)
    assert paths.table["users"].tolist() == counts[:4]
    assert paths.others == sum(counts[4:])
    assert paths.kept["share"].sum() == pytest.approx(1)
    assert f"{paths.others:,} others" in paths._repr_html_()
    whole = FUNNEL.paths(prepared, after="view", most=1_000)
    assert (whole.others, "others" in whole._repr_html_()) == (0, False)


@pytest.mark.parametrize("around", [(0, None, False), (None, 1, False)])
def test_people_of_a_path_are_those_who_took_it(
    events: DataFrame, prepared: wb.Prepared, around: Any
) -> None:
    after, before, _ = around
    expected = by_hand(2, *around)
    for table in (events, prepared):
        paths = FUNNEL.paths(table, after=step(after), before=step(before), longest=2)
        rows: Any = paths.table.head(3).itertuples()
        for path, more in [(one.path, one.more) for one in rows]:
            people = paths.people(path, more).toPandas()["user_id"].tolist()
            assert sorted(people) == sorted(expected[path, more])
        everybody = paths.people().toPandas()
        taken = zip(everybody["path"], everybody["more"], everybody["user_id"], strict=True)
        assert {(tuple(path), more, user) for path, more, user in taken} == {
            (*path, user) for path, users in expected.items() for user in users
        }


def test_each_chain_of_a_user_has_its_path(events: DataFrame) -> None:
    funnel = wb.Funnel(STEPS, f"{WINDOW} seconds", count="conversions")
    levels = funnel.levels(events).toPandas()
    paths = funnel.paths(events, after="view", most=1_000)
    assert paths.users == (levels["level"] > 0).sum()
    row = paths.table.iloc[0]
    people = paths.people(row["path"], row["more"]).toPandas()
    assert people.columns.tolist() == ["user_id", "chain"]
    assert len(people) == row["users"]


def test_without_events_there_are_no_paths(spark: SparkSession) -> None:
    table = spark.createDataFrame([], "user_id long, timestamp long, event string")
    paths = wb.Funnel(["a", "b"], 5).paths(table, after="a")
    assert (paths.users, paths.others, paths.different, len(paths.table)) == (0, 0, 0, 0)


#: Invalid arguments, and the error message.
WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "after: no step is named; say after which step, or before= which, or both."),
    ({"after": "vew"}, "after: 'vew' is not known; give one of 'view', 'cart', 'buy'."),
    ({"before": 4}, "before: there is no step 4; give 1 to 3."),
    ({"after": "cart", "before": "view"}, "before: 'view' does not come after 'cart'; name a "
     "later step."),
    ({"after": 2, "before": 2}, "before: 'cart' does not come after 'cart'; name a later step."),
    ({"before": 2, "dropped": True}, "dropped: it is for those who took no step after one; give "
     "after= alone, or leave it out."),
    ({"after": 1, "longest": 0}, "longest: 0 is not possible; give 1 to 10 events."),
    ({"after": 1, "longest": 11}, "longest: 11 is not possible; give 1 to 10 events."),
    ({"after": 1, "most": True}, "most: True is not possible; give 1 to 1,000 paths."),
]  # fmt: skip


@pytest.mark.parametrize(("given", "sentence"), WRONG, ids=[one for _, one in WRONG])
def test_invalid_arguments_are_refused_before_a_job(
    spark: SparkSession, events: DataFrame, given: dict[str, Any], sentence: str
) -> None:
    with no_job(spark), pytest.raises(wb.WorkbenchError) as error:
        FUNNEL.paths(events, **given)
    assert str(error.value) == sentence


def test_steps_in_any_order_have_no_paths_and_events_need_names(
    spark: SparkSession, events: DataFrame
) -> None:
    with no_job(spark):
        with pytest.raises(wb.WorkbenchError, match=r"^after: steps in any order do not follow"):
            wb.Funnel(STEPS, "1 hour", order="any").paths(events, after=1)
        with pytest.raises(wb.WorkbenchError, match=r"^event: there is no column 'event'"):
            wb.Funnel({"a": "user_id > 1"}, "1 hour").paths(events.drop("event"), after=1)


def test_an_unknown_path_is_refused(prepared: wb.Prepared) -> None:
    paths = FUNNEL.paths(prepared, after="view", longest=1)
    for path in ("cart", [1], ["cart", "buy"]):
        with pytest.raises(wb.WorkbenchError, match=r"^path: .* is not a path; give the names"):
            paths.people(path)  # type: ignore[arg-type]
    with pytest.raises(wb.WorkbenchError, match=r"^more: some whose path is cart went on"):
        paths.people(["cart"])
    with pytest.raises(wb.WorkbenchError, match=r"^more: 'yes' is not known; give True or False"):
        paths.people(["cart"], more="yes")  # type: ignore[arg-type]
