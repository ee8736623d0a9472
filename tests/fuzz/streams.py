"""Streams in both emit modes against the answers of a batch over the rows so far."""

from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

import workbench as wb
from tests.fuzz.check import Check
from tests.fuzz.windows import AT_ENDS, EXACT
from tests.workbench.windows.cases import COLUMNS
from tests.workbench.windows.stream import test_close as on_close
from tests.workbench.windows.stream import test_update as on_update
from tests.workbench.windows.stream.cases import TICK, Row, batches, by_batch, calls, query_of
from tests.workbench.windows.stream.changelogs import Change, Query, histories
from tests.workbench.windows.test_pieces import ORDERED, orders
from workbench.functions.fn import Function
from workbench.windows.stream.worker.close import CloseOperator

#: Sums that overflow for some values at the ends.
SUMS = ("total", "total_once")
#: An order, and a frame along it.
Along = tuple[list[Any], wb.Frame]


def rows_leave_once_with_the_answers_over_all_rows_that_were_in_time(
    given_batches: list[list[Row]], delay: int, functions: dict[str, Function], part_bytes: int
) -> None:
    query = query_of(CloseOperator, functions, part_bytes)
    admitted, left = on_close.run(query, given_batches, delay * TICK)
    expected = by_batch(functions, admitted)
    for number, row in left.items():
        assert repr(row) == repr(expected[number]), f"{row} is not {expected[number]}"
    waits = {row["id"] for row in on_close.held_rows(query)}
    lost = set(expected) - set(left) - waits
    assert not lost, f"{lost} neither left nor wait"


def the_watermark_alone_closes_what_needs_no_later_row(
    given_batches: list[list[Row]], delay: int, functions: dict[str, Function]
) -> None:
    admitted, left = on_close.run(query_of(CloseOperator, functions), given_batches, delay * TICK)
    waits = {row[3] for row in admitted} ^ set(left)
    assert not waits, f"{waits} wait, or left without having come"


def changes_come_to_the_answers_over_the_table(
    history: list[list[Change]],
    keys: list[str],
    along: Along,
    functions: dict[str, Function],
    part_bytes: int | None,
) -> None:
    order, frame = along
    on_update.follow(Query(tuple(keys), order, frame, functions, part_bytes=part_bytes), history)


def changes_with_a_watermark_come_to_the_answers_over_the_rows_in_time(
    history: list[list[Change]],
    hours: list[int],
    keys: list[str],
    along: Along,
    functions: dict[str, Function],
) -> None:
    order, frame = along
    query = Query(tuple(keys), order, frame, on_update.RANKS | functions, timed=True)
    for batch, watermark in on_update.following(history, hours):
        assume(not query.reuses_passed_id(batch))
        query.run(batch, watermark)
        query.check()


def full_or_not(
    first: st.SearchStrategy[Any], frames: st.SearchStrategy[wb.Frame]
) -> st.SearchStrategy[Along]:
    """Draw an order, with and without ties, and a frame that counts."""
    return st.tuples(st.one_of(st.tuples(first), st.tuples(first, st.just("id"))), frames).map(
        lambda drawn: (list(drawn[0]), drawn[1])
    )


def alone(along: tuple[Any, wb.Frame]) -> Along:
    return [along[0]], along[1]


keys = st.sampled_from([[], ["p"], ["p", "yes"]])
CHECKS = [
    Check(
        rows_leave_once_with_the_answers_over_all_rows_that_were_in_time,
        {
            "given_batches": batches(),
            "delay": st.integers(0, 8),
            "functions": calls(),
            "part_bytes": st.sampled_from([1, 3_000, 10**6]),
        },
    ),
    Check(
        the_watermark_alone_closes_what_needs_no_later_row,
        {"given_batches": batches(), "delay": st.integers(0, 8), "functions": calls(ahead=False)},
    ),
    Check(
        changes_come_to_the_answers_over_the_table,
        {
            "history": histories(most_batches=5),
            "keys": keys,
            "along": st.one_of(
                full_or_not(orders(ORDERED), on_update.counted),
                on_update.measured().map(alone),
            ),
            "functions": on_update.some_of(on_update.EVERY),
            "part_bytes": st.sampled_from([None, 1, 300]),
        },
        examples=50,
    ),
    Check(
        changes_come_to_the_answers_over_the_table,
        {
            # Times with a zone, which the rows have too, end before the last year does.
            "history": histories(columns=AT_ENDS | {"moment": COLUMNS["moment"]}),
            "keys": keys,
            "along": full_or_not(orders(ORDERED), on_update.counted),
            "functions": on_update.some_of(
                {name: one.function for name, one in EXACT.items() if name not in SUMS}
            ),
            "part_bytes": st.sampled_from([None, 1, 300]),
        },
        examples=50,
    ),
    Check(
        changes_with_a_watermark_come_to_the_answers_over_the_rows_in_time,
        {
            "history": histories(most_batches=5),
            "hours": on_update.hours,
            "keys": keys,
            "along": st.one_of(
                full_or_not(on_update.ascending, on_update.counted),
                st.tuples(on_update.ascending, on_update.frames_in_time()).map(alone),
            ),
            "functions": on_update.some_of(on_update.EVERY),
        },
        examples=50,
    ),
]
