"""The outcomes of the queries of another system's tests."""

import re
from collections import Counter
from dataclasses import dataclass, field

from tests.peers.records import Record

PASSED, FAILED, NOT_APPLICABLE, REFUSED, ANSWERED = (
    "passed", "failed", "not applicable", "refused", "answered",
)  # fmt: skip


@dataclass
class Report:
    """The outcomes of all queries.

    Attributes
    ----------
    whole : bool
        Whether to print each query that failed at once.
    outcomes : list of (Record, str, str)
        Each query, its outcome, and the reason.
    of_another_version : list of Record
        Queries whose answer in the file differs from that of the system here, which then counts.
    """

    whole: bool = False
    outcomes: list[tuple[Record, str, str]] = field(default_factory=list)
    of_another_version: list[Record] = field(default_factory=list)

    def note(self, record: Record, outcome: str, why: str = "") -> None:
        """Add the outcome of a query."""
        self.outcomes.append((record, outcome, why))
        if self.whole and outcome in (FAILED, ANSWERED):
            print(f"{record.place}: {outcome}: {' '.join(record.text.split())}")
            print("".join(f"    {line}\n" for line in why.splitlines()), end="", flush=True)

    def count(self, *outcomes: str) -> int:
        """Return the number of queries with one of these outcomes."""
        return sum(one in outcomes for _, one, _ in self.outcomes)

    def text(self) -> str:
        """Return the counts, and the reasons by how often they occur."""
        applicable = self.count(PASSED, FAILED)
        lines = [
            f"{applicable + self.count(NOT_APPLICABLE):,} queries, {applicable:,} applicable, "
            f"{self.count(PASSED):,} passed, {self.count(FAILED):,} failed"
        ]
        if errors := self.count(REFUSED, ANSWERED):
            lines.append(f"{errors:,} that must fail, {self.count(REFUSED):,} refused")
        if others := len(self.of_another_version):
            lines.append(f"{others:,} of whose answers are of another version than the one here")
        for outcome in (NOT_APPLICABLE, FAILED, ANSWERED):
            counts = Counter(_general(why) for _, one, why in self.outcomes if one == outcome)
            lines += [f"\n{outcome}:"] if counts else []
            lines += [f"{count:6,}  {why}" for why, count in counts.most_common()]
        return "\n".join(lines)


def _general(why: str) -> str:
    """Return a reason without the names and numbers of one query."""
    first = why.strip().splitlines()[0] if why.strip() else ""
    first = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "'...'", first)
    return re.sub(r"\d+(\.\d+)?", "N", first)[:150]
