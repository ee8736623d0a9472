"""The windows of a SELECT over a stream, which emits rows as the query states."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.parts import Translation
from workbench.queries.staged import staged_column
from workbench.queries.windows.changes import MULTI_ROW_CLAUSES, check_no_own_op, not_available
from workbench.spark.table import BoundTable
from workbench.windows.over import Over
from workbench.windows.stream.checks import has_watermark
from workbench.windows.stream.emit import emitted, stream_call
from workbench.windows.stream.watermarks import plan_of
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The emit mode of EMIT ON WINDOW CLOSE.
ON_CLOSE = "on window close"
#: Clauses that need the end of a stream, or rows that it cannot retract.
_REFUSED_CLAUSES = {
    part: MULTI_ROW_CLAUSES[part] for part in ("distinct", "order", "limit", "offset")
}


def answer_stream(
    df: "DataFrame",
    overs: Sequence[Over],
    staged: Mapping[str, exp.Expr],
    final_select: exp.Select,
    translation: Translation,
) -> "DataFrame":
    """Return the answer to a SELECT over a stream.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The input of the windows.
    overs : sequence of Over
    staged : mapping of str to sqlglot.exp.Expr
        The expression of each column of ``df``.
    final_select : sqlglot.exp.Select
        The SELECT over the answers of the windows; it is changed.
    translation : Translation

    Returns
    -------
    pyspark.sql.DataFrame
        On update, with a column ``op`` before all others.

    Raises
    ------
    WorkbenchError
        When a part of it is not available on a stream.
    """
    emit = translation.emit or "on update"
    if len(overs) != 1:
        raise WorkbenchError(
            f"query: its windows have {len(overs)} different partitions and orders, but windows "
            "over a stream must share one; make a view for each."
        )
    refused_clauses = _REFUSED_CLAUSES | ({"where": "QUALIFY"} if emit == "on update" else {})
    if clauses := [
        word for part, word in refused_clauses.items() if final_select.args.get(part) is not None
    ]:
        raise not_available(clauses[0], emit)
    if emit == "on update":
        check_no_own_op(final_select)
    call = stream_call(overs[0], BoundTable.of(df, overs[0].partition_by), ())
    # Names do not identify an expression: x > 3 and x < 3 are both called x_3.
    # A table that stands for an answer has another name each time.
    values = [one for one in staged.values() if not isinstance(one, exp.Column)]
    computed = [one.sql().replace(translation.tables.token, "") for one in values]
    answer = emitted(call._replace(computed=tuple(computed)), emit)
    why = f"windows over a stream are answered by the kernels, and rows are emitted {emit}"
    translation.add_part(
        "over", overs[0], why, df, answer, f"{overs[0]!r}.run({{df}}, emit={emit!r})"
    )
    if emit == "on update":
        final_select.set("expressions", [staged_column(OP), *final_select.expressions])
    final_select.set("from_", exp.From(this=translation.tables.add_answer(answer, "")))
    return translation.run_spark(final_select, "the rest of the query, after its windows")


def check_groups_close(df: "DataFrame", translation: Translation) -> None:
    """Refuse groups of a stream that Spark cannot count, or of which none is known to be complete.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The answer to the query.
    translation : Translation

    Raises
    ------
    WorkbenchError
    """
    if not df.isStreaming:
        return
    plan = plan_of(df)
    if _DISTINCT.search(plan):
        raise WorkbenchError(
            "query: DISTINCT in an aggregate of the groups of a stream is not available, as Spark "
            "does not keep their values; use approx_count_distinct(x), or compute it from the "
            "written rows."
        )
    if translation.emit != ON_CLOSE:
        return
    streams = [BoundTable.of(one) for one, _ in translation.tables.read.values() if one.isStreaming]
    has_watermarks = any(has_watermark(one, name) for one in streams for name in one.names)
    keys = keys_of_groups(plan)
    if not keys or (has_watermarks and all(map(_have_watermark, keys))):
        return
    if any(part.engine == "over" for part in translation.parts):
        raise not_available("GROUP BY, or an aggregate,", ON_CLOSE)
    if not has_watermarks:
        raise WorkbenchError(
            "query: EMIT ON WINDOW CLOSE needs a watermark, as nothing else says that a group is "
            "complete; call withWatermark on the stream's column of times first."
        )
    raise WorkbenchError(
        "query: EMIT ON WINDOW CLOSE needs groups by the column of the watermark, or by "
        "window_start or window_end directly over TUMBLE or HOP, as Spark cannot know when other "
        "groups are complete; GROUP BY one of these as well, or leave out EMIT ON WINDOW CLOSE and "
        "write in the output mode 'update'."
    )


#: An aggregate of a stream in Spark's plan: its keys, none for all rows, and its columns.
_GROUPS = re.compile(r"~Aggregate \[(?:(.*?)\], \[)?")
_DISTINCT = re.compile(r"~Aggregate .*\(distinct ")
_ARGUMENTS, _WATERMARK = re.compile(r"\([^()]*\)"), re.compile(r"-T\d+ms(, |$)")


def keys_of_groups(plan: str) -> list[str]:
    """Return the keys of groups of a stream in Spark's plan, without arguments of functions.

    Examples
    --------
    >>> groups = "~Aggregate [{}p#1], [p#1, count(1) AS n#2L]".format
    >>> keys_of_groups(groups("window#3-T60000ms, ") + "\\n+- Aggregate [q#7], [q#7]")
    ['window#3-T60000ms, p#1']
    >>> keys_of_groups(groups("date_trunc(hour, cast(at#4-T60000ms as timestamp)), "))
    ['date_trunc, p#1']
    >>> keys_of_groups("~Aggregate [count(1) AS n#2L]")
    ['']
    """
    keys_of_each = _GROUPS.findall(plan)
    while any(map(_ARGUMENTS.search, keys_of_each)):
        keys_of_each = [_ARGUMENTS.sub("", keys) for keys in keys_of_each]
    return keys_of_each


def _have_watermark(keys: str) -> bool:
    """Return whether a key has the watermark; Spark prints 25 keys, and the number of others."""
    return "more fields" in keys or _WATERMARK.search(keys) is not None
