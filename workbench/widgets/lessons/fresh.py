"""New inputs: for each notebook a lesson like its own, on rows drawn by a seed.

Without Spark: the kernels of the notebook run, uncompiled, on a few rows.
"""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from kernels import trace
from kernels.frames.extent import FrameExtent, frame_extent
from kernels.funnel.paths import NOTHING, collapsed_path
from kernels.tiling.cells import COUNT, HEAD, join_windows
from workbench.durations import MINUTE
from workbench.engine.block import Call
from workbench.engine.order import ordered_block
from workbench.engine.task import WindowTask
from workbench.frames.frame import Frame
from workbench.functions import fn
from workbench.functions.order import OrderColumn
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.one_key import KeyRows
from workbench.widgets.lessons.cells_timeline import joined_cells
from workbench.widgets.lessons.funnel import funnel_lesson
from workbench.widgets.lessons.stream import play_close
from workbench.widgets.lessons.tiling import play_rung
from workbench.widgets.lessons.tree import tree_lesson
from workbench.widgets.lessons.window import window_lesson
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.questions import WHAT_NEXT, questions_of
from workbench.widgets.stepper.trace_lesson import array_pictures, lesson_of
from workbench.windows.inspect.one_partition import Partition
from workbench.windows.over import Over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: The number of steps asked about, and the most inputs drawn until a run has that many.
QUESTIONS, _MOST_DRAWN = 10, 100
INTRO = f"{QUESTIONS} questions on an input that the notebook has not shown."
Draw = Callable[[Random], Lesson]
WHOLE = Frame.rows(None, None)
CASCADE = ["departed 15 min late", "departed 60 min late", "landed 120 min late"]
SHOP = ["signup", "product_page", "add_to_cart", "checkout"]
AROUND = ["landing_page", "search"]


def fresh_lesson(name: str, seed: int) -> Lesson:
    """Return a lesson like that of a notebook on a new input, with ten questions.

    Parameters
    ----------
    name : str
        A key of :data:`FRESH`.
    seed : int
        The same seed draws the same input.

    Returns
    -------
    dict
        As :class:`workbench.widgets.stepper.player.Player` takes it.

    Examples
    --------
    >>> lesson = fresh_lesson("03-segment-tree", 2)
    >>> len(lesson["asked"]), lesson == fresh_lesson("03-segment-tree", 2)
    (10, True)
    """
    # Seeded by the name, too: notebooks with the same kernel ask different questions.
    random = Random(f"{name} {seed}")
    for _ in range(_MOST_DRAWN):
        lesson = FRESH[name](random)
        asked = [
            at for at, one in enumerate(questions_of(lesson)) if one and asks_about_picture(one)
        ]
        if len(asked) >= QUESTIONS:
            break
    # One from each part of the run, so that its end is asked about, too.
    ends = np.linspace(0, len(asked), QUESTIONS + 1).astype(int).tolist()
    chosen = [random.choice(asked[first:end]) for first, end in pairwise(ends)]
    return {**lesson, "intro": INTRO, "asked": chosen, "telling": 0}


def asks_about_picture(question: dict[str, Any]) -> bool:
    """Whether a question is about a picture, as all questions of an exercise are."""
    asked: str = question["ask"]
    return not asked.endswith(WHAT_NEXT)


def partition_of_rows(over: Over, rows: dict[str, list[Any]]) -> Partition:
    """Return the one partition of a call, without ``where``, as Spark's workers get it.

    Parameters
    ----------
    over : Over
        A call whose functions name their columns.
    rows : dict of str to list
        The columns.

    Returns
    -------
    Partition
        Without a table, as there is no Spark.
    """
    order = tuple(OrderColumn(term.name, term.descending, True) for term in over.order_by)
    calls = tuple(
        Call(
            name,
            one.name,
            tuple(map(str, one.arguments)),
            one.options,
            one.frame or over.frame or WHOLE,
        )
        for name, one in over.columns.items()
    )
    task = WindowTask(tuple((name, name) for name in rows), (), order, calls)
    block = ordered_block(pa.table(rows), (), order)
    return Partition(over, cast("DataFrame", None), (), task, block, False)


def _funnel(steps: list[str], others: Sequence[str]) -> Draw:
    def draw(random: Random) -> Lesson:
        # The last step comes late, as the scan ends with it.
        names = [steps[0], *random.choices([*steps[:-1], *others], k=13)]
        names += random.choices([*steps, *others], k=4)
        time = np.cumsum([random.randint(1, 14) for _ in names]) * MINUTE
        bits = [1 << steps.index(name) if name in steps else 0 for name in names]
        rows = KeyRows(time, np.array(bits, np.uint32), names, False, False)
        return funnel_lesson(Funnel(steps, "1 hour"), rows, "a key of its own")

    return draw


def _window(columns: Callable[[Random], dict[str, Any]]) -> Draw:
    def draw(random: Random) -> Lesson:
        rows = range(random.randint(11, 13))
        days = np.cumsum([random.randint(1, 3) for _ in rows]).tolist()
        values = [random.randint(10, 99) for _ in rows]
        before, after = random.randint(1, 3), random.randint(1, 3)
        over = Over([], "day", Frame.range(-before, after), **columns(random))
        return window_lesson(partition_of_rows(over, {"day": days, "mwh": values}))

    return draw


def _quartiles(_random: Random) -> dict[str, Any]:
    return {"iqr": fn.quantile("mwh", [0.25, 0.5, 0.75])}


def _one_function(random: Random) -> dict[str, Any]:
    return {"answer": random.choice([fn.min, fn.max, fn.median])("mwh")}


def _tree(random: Random) -> Lesson:
    values = [random.randint(1, 20) for _ in range(8)]
    frame = Frame.rows(-random.randint(2, 5), random.randint(1, 3))
    return tree_lesson(random.choice(["sum", "max", "min"]), values, frame)


def _rung(*rungs: tuple[str, str]) -> Draw:
    def draw(random: Random) -> Lesson:
        time = sorted(random.sample(range(1, 90), 12))
        query = sorted(random.sample(range(20, 95), 5))
        values = [float(random.randint(1, 20)) for _ in time]
        rung, name = random.choice(rungs)
        lesson: Lesson = play_rung(rung, name, query, time, values, 40, 10).lesson
        return {key: one for key, one in lesson.items() if key != "input"}

    return draw


def _clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def _stream(random: Random) -> Lesson:
    times = np.cumsum([random.randint(1, 9) for _ in range(16)]) + 600
    before, after = random.randint(1, 3), random.randint(1, 2)
    looks = [FrameExtent("rows", -before, 0), FrameExtent("rows", 0, after)]
    looks.append(frame_extent("lead", 1))
    lesson: Lesson = play_close(times.tolist(), looks, int(times[-2]), _clock).lesson
    return lesson


def _online(random: Random) -> Lesson:
    hops = range(0, 60, 5)
    cells = [[0, hop, hop + random.randint(0, 4), random.randint(1, 6)] for hop in hops]
    windows = [[0, length, 5, length] for length in (15, 20, 35)]
    states, query = np.zeros(12, int), random.randint(50, 59)
    arguments = np.array(cells).ravel(), np.zeros(6 * len(cells)), query, -50, 30, 1
    slots = np.array([[COUNT, HEAD, 0]])
    run = trace(join_windows, *arguments, np.array(windows), slots, states, np.zeros(0))
    return {**lesson_of(run, "join_windows"), "pictures": joined_cells(run)}


#: The code of an event in a caption.
_CODE = re.compile(r"(?<=of the path is )\d+")


def _path(random: Random) -> Lesson:
    names = [*SHOP, *AROUND]
    codes = random.choices(range(len(names)), k=20)
    time = np.cumsum([random.randint(1, 5) for _ in codes]) * MINUTE
    between = time[[random.randint(0, 2), -1]]
    arguments = time, np.array(codes, np.uint32), between, random.random() < 0.5

    def clocks(times: Any) -> Any:
        return [_clock(one // MINUTE) for one in times]

    show = {"time": lambda time: _clock(time // MINUTE)}
    run = trace(collapsed_path, *arguments, np.full(14, NOTHING), show=show)

    def event_names(code: Any) -> Any:
        return (
            [event_names(one) for one in code]
            if isinstance(code, list)
            else _event_name(names, code)
        )

    formatters: dict[str, Callable[[Any], Any]] = dict.fromkeys(("code", "path"), event_names)
    formatters |= dict.fromkeys(("time", "between"), clocks)
    lesson = lesson_of(run, "What a user did between two times", formatters)
    for step in lesson["steps"]:
        # The kernel knows codes alone.
        step["caption"] = _CODE.sub(lambda code: names[int(code[0])], step["caption"])
    pictures = [one for one in array_pictures(run) if one["title"] in ("code", "path")]
    for state in (one for picture in pictures for one in picture["states"] if one):
        state["cells"] = event_names(state["cells"])
    return {**lesson, "pictures": pictures}


def _event_name(names: Sequence[str], code: int) -> str | None:
    return None if code == NOTHING else names[code]


#: The lesson that a reader of each notebook can predict at its end.
FRESH: dict[str, Draw] = {
    "00-start-here": _funnel(CASCADE, ["departed", "landed"]),
    "01-funnel": _funnel(SHOP, AROUND),
    "02-windows": _window(_one_function),
    "03-segment-tree": _tree,
    "04-moving-iqr": _window(_quartiles),
    "05-window-tiling": _rung(("sawtooth", "max"), ("cursor hops", "sum"), ("search", "avg")),
    "06-backfill": _rung(("sawtooth", "avg"), ("sawtooth", "max"), ("sawtooth", "sum")),
    "07-streaming-windows": _stream,
    "08-online-offline": _online,
    "09-funnel-questions": _path,
    "10-sql": _funnel(["signup", "add_to_cart", "checkout"], ["welcome", "product_page"]),
}
