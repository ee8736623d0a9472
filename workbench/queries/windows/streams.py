"""The windows of a SELECT over a stream, whose rows go on when the query says so."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.parts import Translation
from workbench.queries.staged import staged_column
from workbench.queries.windows.changes import TOGETHER, check_no_own_op, not_around
from workbench.spark.table import BoundTable
from workbench.windows.over import Over
from workbench.windows.stream.checks import has_watermark
from workbench.windows.stream.emit import emitted, stream_call
from workbench.windows.stream.watermarks import plan_of
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: What EMIT ON WINDOW CLOSE asks for.
ON_CLOSE = "on window close"
#: What a stream has no end for, or cannot take back.
_REFUSED = {part: TOGETHER[part] for part in ("distinct", "order", "limit", "offset")}


def windowed_stream(
    df: "DataFrame",
    found: Sequence[Over],
    staged: Mapping[str, exp.Expr],
    last: exp.Select,
    work: Translation,
) -> "DataFrame":
    """Return the answer to a SELECT over a stream.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        What the windows look at.
    found : sequence of Over
    staged : mapping of str to sqlglot.exp.Expr
        What each column of ``df`` is.
    last : sqlglot.exp.Select
        What is made of their answers; it is changed.
    work : Translation

    Returns
    -------
    pyspark.sql.DataFrame
        On update, with a column ``op`` before all others.

    Raises
    ------
    WorkbenchError
        When it asks for what no stream gives.
    """
    emit = work.emit or "on update"
    if len(found) != 1:
        raise WorkbenchError(
            f"query: its windows have {len(found)} partitions and orders, and those over a stream "
            "share one; make a view for each."
        )
    refused = _REFUSED | ({"where": "QUALIFY"} if emit == "on update" else {})
    if asked := [word for part, word in refused.items() if last.args.get(part) is not None]:
        raise not_around(asked[0], emit)
    if emit == "on update":
        check_no_own_op(last)
    call = stream_call(found[0], BoundTable.of(df, found[0].partition_by), ())
    # Names only remind of what they stand for: x > 3 and x < 3 are both called x_3.
    # A table within them that stands for an answer is called otherwise each time.
    values = [one for one in staged.values() if not isinstance(one, exp.Column)]
    computed = [one.sql().replace(work.tables.token, "") for one in values]
    answer = emitted(call._replace(computed=tuple(computed)), emit)
    why = f"windows over a stream are answered by the kernels, and rows go on {emit}"
    work.ours("over", found[0], why, df, answer, f"{found[0]!r}.run({{df}}, emit={emit!r})")
    if emit == "on update":
        last.set("expressions", [staged_column(OP), *last.expressions])
    last.set("from_", exp.From(this=work.tables.answer(answer, "")))
    return work.spark(last, "it is what is made of the answers")


def check_groups_close(df: "DataFrame", work: Translation) -> None:
    """Refuse groups of a stream that are to go on once, where nothing says that one is complete.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The answer to the query.
    work : Translation

    Raises
    ------
    WorkbenchError
    """
    if work.emit != ON_CLOSE or not df.isStreaming:
        return
    streams = [BoundTable.of(one) for one, _ in work.tables.read.values() if one.isStreaming]
    marked = any(has_watermark(one, name) for one in streams for name in one.names)
    keys = keys_of_groups(plan_of(df))
    if not keys or (marked and all(map(_close, keys))):
        return
    if any(part.engine == "over" for part in work.parts):
        raise not_around("GROUP BY, or an aggregate,", ON_CLOSE)
    if not marked:
        raise WorkbenchError(
            "query: EMIT ON WINDOW CLOSE needs a watermark, as nothing else says that a group is "
            "complete; call withWatermark of the stream along its column of times first."
        )
    raise WorkbenchError(
        "query: EMIT ON WINDOW CLOSE needs groups by the column of the watermark, or by "
        "window_start or window_end right around TUMBLE or HOP, as Spark knows of no others when "
        "they are complete; GROUP BY one of these as well, or leave EMIT ON WINDOW CLOSE out and "
        "write in the output mode 'update'."
    )


#: Groups of a stream in Spark's plan: their keys, and what each has. Of all rows they have no keys.
_GROUPS = re.compile(r"~Aggregate \[(?:(.*?)\], \[)?")
_WITHIN, _MARKED = re.compile(r"\([^()]*\)"), re.compile(r"-T\d+ms(, |$)")


def keys_of_groups(plan: str) -> list[str]:
    """Return the keys of groups of a stream in Spark's plan, without what functions are of.

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
    found = _GROUPS.findall(plan)
    while any(map(_WITHIN.search, found)):
        found = [_WITHIN.sub("", keys) for keys in found]
    return found


def _close(keys: str) -> bool:
    """Say whether a key has the watermark; Spark writes 25, and how many more there are."""
    return "more fields" in keys or _MARKED.search(keys) is not None
