"""The specification of a window call: checked data, no plan."""

from collections.abc import Sequence
from keyword import iskeyword
from typing import Any

from workbench.arguments import check_known, check_text, optional_names
from workbench.described import Described
from workbench.errors import WorkbenchError
from workbench.frames.frame import Frame
from workbench.functions.fn import Function
from workbench.functions.order import order_terms, term_as_given
from workbench.windows.bind import frame_for
from workbench.windows.checks import check_order
from workbench.windows.cutting import check_cut, how_cut, why_uncut
from workbench.windows.spark_engine import ENGINES, EngineChoice, choose


class WindowCall(Described):
    """Window functions that share a partitioning and an order.

    Internal functions take this class; :class:`workbench.Over` adds the methods for users.

    Parameters
    ----------
    partition_by, order_by, frame, engine, cut, **columns
        As for :class:`workbench.Over`.

    Attributes
    ----------
    partition_by : tuple of str
    order_by : tuple of OrderColumn
    frame : Frame or None
    engine : str
    cut : str, int or None
    columns : dict of str to Function
    choice : EngineChoice
        The engine that computes the result, and why.
    uncut : str or None
        Why large partitions are not cut; None where they are.

    Raises
    ------
    WorkbenchError
        When the functions, the frame or the order are invalid.
    """

    def __init__(
        self,
        partition_by: str | Sequence[str] | None = (),
        order_by: Any = (),
        frame: Frame | None = None,
        engine: str = "auto",
        cut: str | int | None = "auto",
        **columns: Function,
    ) -> None:
        self.partition_by = optional_names(partition_by, "partition_by")
        self.order_by = order_terms(order_by)
        self.frame, self.engine = _checked_frame(frame, columns), engine
        self.columns = _checked_columns(columns)
        check_known(engine, ENGINES, "engine")
        frames, ordered = self._frames, bool(self.order_by)
        for name, function in columns.items():
            check_order(name, function, frames[name], len(self.order_by))
        self.cut = check_cut(cut, engine, self.columns, frames, ordered)
        requested = "kernel" if isinstance(cut, int) and engine == "auto" else engine
        self.choice: EngineChoice = choose(requested, self.columns, frames)
        self.uncut = why_uncut(self.cut, self.choice.engine, self.columns, frames, ordered)

    def __repr__(self) -> str:
        columns = {"partition_by": list(self.partition_by), "order_by": self.order_terms}
        arguments = [f"{name}={value!r}" for name, value in columns.items() if value]
        arguments += [f"frame={self.frame!r}"] if self.frame else []
        arguments += [f"engine={self.engine!r}"] if self.engine != "auto" else []
        arguments += [f"cut={self.cut!r}"] if self.cut != "auto" else []
        plain = {name: one for name, one in self.columns.items()
                 if name.isidentifier() and not iskeyword(name)}  # fmt: skip
        arguments += [f"{name}={function!r}" for name, function in plain.items()]
        others = {name: one for name, one in self.columns.items() if name not in plain}
        arguments += [f"**{others!r}"] if others else []
        return f"wb.Over({', '.join(arguments)})"

    @property
    def _frames(self) -> dict[str, Frame]:
        """The frame of each function, by the name of its result."""
        ordered = bool(self.order_by)
        return {name: frame_for(one, self.frame, ordered) for name, one in self.columns.items()}

    @property
    def order_terms(self) -> list[Any]:
        """The order as users write it: names, or tuples."""
        return [term_as_given(term) for term in self.order_by]

    def _facts(self) -> dict[str, object]:
        order = ", ".join(map(str, self.order_terms))
        columns = "; ".join(f"{name} = {function!r}" for name, function in self.columns.items())
        return {
            "columns": columns,
            "partition by": ", ".join(self.partition_by) or "nothing: all rows are one partition",
            "order by": order or None,
            "frame": repr(self.frame) if self.frame else None,
            "engine": f"{self.choice.engine}, because {self.choice.why}",
        }

    def explain(self) -> str:
        """Return which engine runs and why, what may be cut, and the frame of each function.

        Returns
        -------
        str
        """
        lines = [f"engine: {self.choice.engine}, because {self.choice.why}"]
        frames, uncut = self._frames, f"one task each, because {self.uncut}"
        cut = how_cut(self.columns, frames) if self.uncut is None else uncut
        lines.append(f"large partitions: {cut}")
        for name, function in self.columns.items():
            frame = frames[name]
            over = f" over {frame!r}" if function.info.has_frame else ""
            lines.append(f"{name}: {function!r}{'' if function.frame else over}")
        return "\n".join(lines)


def _checked_frame(frame: Any, columns: dict[str, Any]) -> Frame | None:
    if frame is None:
        return None
    if not isinstance(frame, Frame):
        raise WorkbenchError(
            f"frame: {frame!r} is not a frame; give one such as wb.Frame.rows(-3, 3)."
        )
    functions = [one for one in columns.values() if isinstance(one, Function)]
    if functions and not any(one.info.has_frame for one in functions):
        raise WorkbenchError(
            f"frame: {functions[0].name} has no frame, it looks at the whole partition; "
            "leave the frame out."
        )
    return frame


def _checked_columns(columns: dict[str, Any]) -> dict[str, Function]:
    if not columns:
        raise WorkbenchError(
            "columns: there are no functions; give one under the name of its result, "
            "such as mean=wb.fn.avg('mwh')."
        )
    for name, function in columns.items():
        check_text(name, "columns")
        if not name.strip():
            raise WorkbenchError(
                f"columns: {name!r} is not a name for a result; give one, "
                "such as mean=wb.fn.avg('mwh')."
            )
        if not isinstance(function, Function):
            raise WorkbenchError(
                f"{name}: {function!r} is not a window function; "
                f"give one of wb.fn, such as {name}=wb.fn.avg('mwh')."
            )
    names = [name.lower() for name in columns]
    if twice := [name for name in columns if names.count(name.lower()) > 1]:
        raise WorkbenchError(
            f"columns: {' and '.join(map(repr, twice))} are the same name to Spark; rename one."
        )
    return dict(columns)
