"""What became of the questions of another system's tests."""

import re
from collections import Counter
from dataclasses import dataclass, field

from tests.peers.records import Record

PASSED, FAILED, NOT_APPLICABLE, REFUSED, ANSWERED = (
    "passed", "failed", "not applicable", "refused", "answered",
)  # fmt: skip


@dataclass
class Report:
    """All questions by what became of them.

    Attributes
    ----------
    whole : bool
        Whether each question that failed is told at once.
    found : list of (Record, str, str)
        Each question, what became of it, and why.
    of_another_version : list of Record
        Those to which the system here gives another answer than the file, and so is the judge.
    """

    whole: bool = False
    found: list[tuple[Record, str, str]] = field(default_factory=list)
    of_another_version: list[Record] = field(default_factory=list)

    def note(self, record: Record, became: str, why: str = "") -> None:
        """Add what became of a question."""
        self.found.append((record, became, why))
        if self.whole and became in (FAILED, ANSWERED):
            print(f"{record.place}: {became}: {' '.join(record.text.split())}")
            print("".join(f"    {line}\n" for line in why.splitlines()), end="", flush=True)

    def count(self, *became: str) -> int:
        """How many questions became one of these."""
        return sum(one in became for _, one, _ in self.found)

    def text(self) -> str:
        """The counts, and the reasons by how often they are given."""
        asked = self.count(PASSED, FAILED)
        lines = [
            f"{asked + self.count(NOT_APPLICABLE):,} queries, {asked:,} applicable, "
            f"{self.count(PASSED):,} passed, {self.count(FAILED):,} failed"
        ]
        if errors := self.count(REFUSED, ANSWERED):
            lines.append(f"{errors:,} that must fail, {self.count(REFUSED):,} refused")
        if others := len(self.of_another_version):
            lines.append(f"{others:,} of whose answers are of another version than the one here")
        for became in (NOT_APPLICABLE, FAILED, ANSWERED):
            counts = Counter(_general(why) for _, one, why in self.found if one == became)
            lines += [f"\n{became}:"] if counts else []
            lines += [f"{count:6,}  {why}" for why, count in counts.most_common()]
        return "\n".join(lines)


def _general(why: str) -> str:
    """A reason without what is particular to one question."""
    first = why.strip().splitlines()[0] if why.strip() else ""
    first = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "'...'", first)
    return re.sub(r"\d+(\.\d+)?", "N", first)[:150]
