"""Results as a table for people and as data."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Result:
    """One measured value and what it should be.

    Attributes
    ----------
    what, against : str
        The measured query, and the system or way that it is compared with.
    rows : int
        Events in the file.
    ours, theirs : str
        Both measured values, with their units.
    value : float
        The value that is compared with the target.
    target : float, optional
        None for a value that is only reported.
    unit : str
        Of value and target; "x" for a ratio.
    at_most : bool
        Whether the target is an upper bound, or a lower one.
    """

    what: str
    against: str
    rows: int
    ours: str
    theirs: str
    value: float
    target: float | None
    unit: str = "x"
    at_most: bool = True

    @property
    def met(self) -> bool:
        """Whether the value meets its target, if it has one."""
        if self.target is None:
            return True
        return self.value <= self.target if self.at_most else self.value >= self.target

    def line(self) -> str:
        """Return the result as a line of the table."""
        measured = f"{self.value:.3g} {self.unit}"
        bound = met = ""
        if self.target is not None:
            bound = f"{'<=' if self.at_most else '>='} {self.target:g} {self.unit}"
            met = "met" if self.met else "MISSED"
        return (
            f"{self.what:<44} {self.against:<22} {short(self.rows):>5} {self.ours:>10} "
            f"{self.theirs:>10} {measured:>11} {bound:>12}  {met}"
        )


HEADER = (
    f"{'':<44} {'against':<22} {'rows':>5} {'ours':>10} {'theirs':>10} {'measured':>11} "
    f"{'target':>12}"
)


@dataclass
class Report:
    """All results of a run, printed as they come.

    Attributes
    ----------
    results : list of Result
    seconds : dict
        The median time by query, way and size, which shows how cost grows. A size is a number of
        rows, or the name of a frame.
    """

    results: list[Result] = field(default_factory=list)
    seconds: dict[str, dict[str, dict[int | str, float]]] = field(default_factory=dict)

    def add(self, result: Result) -> None:
        """Add a result and print it."""
        if not self.results:
            print(HEADER)
        self.results.append(result)
        print(result.line(), flush=True)

    def took(self, what: str, size: int | str, medians: dict[str, float]) -> None:
        """Add the median times of the ways for a size."""
        for way, seconds in medians.items():
            self.seconds.setdefault(what, {}).setdefault(way, {})[size] = seconds

    def growth(self) -> Iterator[str]:
        """Yield the lines of the table of cost by size."""
        for what, ways in self.seconds.items():
            sizes = next(iter(ways.values()))
            by = "frame" if isinstance(next(iter(sizes)), str) else "number of events"
            yield f"\n{what}: seconds by {by}"
            for way, times in ways.items():
                cells = (f"{size_text(size)}: {seconds:.3g}" for size, seconds in times.items())
                yield f"  {way:<22}" + "".join(f"{cell:>20}" for cell in cells)

    def verdict(self) -> str:
        """Return how cost grows, and how many targets are met."""
        judged = [result for result in self.results if result.target is not None]
        met = sum(result.met for result in judged)
        return "\n".join([*self.growth(), f"\n{met} of {len(judged)} targets are met."])


def write_json(path: Path, report: Report) -> None:
    """Write a report as data."""
    results = [asdict(result) | {"met": result.met} for result in report.results]
    data = {"machine": machine(), "results": results, "seconds": report.seconds}
    path.write_text(json.dumps(data, indent=1) + "\n")


def machine() -> str:
    """Return the number of cores and the load of the machine as text."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    busy = " Others keep it busy: read ratios, not times." if load > 1 else ""
    return f"{os.cpu_count()} cores, load {load:.1f} before the start.{busy}"


def parse_count(text: str) -> int:
    """Parse a number such as 5M or 200k.

    Examples
    --------
    >>> parse_count("5M"), parse_count("200k"), parse_count("1_000")
    (5000000, 200000, 1000)
    """
    factors = {"k": 1_000, "m": 1_000_000}
    factor = factors.get(text[-1:].lower(), 1)
    return int(text if factor == 1 else text[:-1]) * factor


def short(count: int) -> str:
    """Return a count of rows in short form.

    Examples
    --------
    >>> short(20_000_000), short(200_000), short(70)
    ('20M', '200k', '70')
    """
    for size, letter in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:g}{letter}"
    return str(count)


def size_text(size: int | str) -> str:
    """Return a size for the table of growth."""
    return size if isinstance(size, str) else short(size)


def plain_seconds(value: float) -> str:
    """Return seconds for a cell of the table."""
    return f"{value:.2f} s"


def milliseconds(value: float) -> str:
    """Return seconds as milliseconds for a cell of the table."""
    return f"{value * 1e3:.0f} ms"


def megabytes(value: float) -> str:
    """Return bytes for a cell of the table."""
    return f"{value / 1e6:.0f} MB"
