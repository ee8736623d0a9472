"""Cases of PostHog's public tests of funnels as streams of events, with the answers of both."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A funnel over the events of some users.

    Attributes
    ----------
    name : str
        What it is about.
    steps : list
        As :class:`workbench.Funnel` takes them.
    users : list of str
        Each user's events in order of time, one letter each; or ``event@time`` and blanks.
    posthog : list of int
        How many users reached each step there.
    source : str
        Where PostHog's answer comes from.
    given : dict
        Further options of the funnel, which give PostHog's answer where that is possible.
    window : int
    usual : list of int, optional
        What the funnel answers without the option that PostHog's way needs.
    ours : list of int, optional
        What it answers where PostHog's answer cannot be had.
    why : str
        Why the answers differ.
    """

    name: str
    steps: list[Any]
    users: list[str]
    posthog: list[int]
    source: str
    given: dict[str, Any] = field(default_factory=dict)
    window: int = 100
    usual: list[int] | None = None
    ours: list[int] | None = None
    why: str = ""

    @property
    def row(self) -> str:
        """The case's line in the page that compares products."""
        users = ", ".join(f"`{one}`" for one in self.users)
        given = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        both = ["/".join(map(str, one)) for one in (self.posthog, self.ours or self.posthog)]
        cells = [f"{self.name} ({self.source})", users, f"`{given}`" if given else "", *both]
        return f"| {' | '.join([*cells, self.why or 'the same'])} |"


STRICT, ANY = {"order": "strict"}, {"order": "any"}
OUT_OF_ALL = {"exclude": "X", "exclude_from": "all"}

CASES = [
    Case(
        "strict, eight users", [*"SPI"],
        ["S", "PS", "SPxI", "IxPS", "PSxPI", "xSxP", "xSPIx", "IP"],
        [7, 2, 1], "test_basic_strict_funnel", STRICT,
    ),
    Case("strict, something between", [*"ABC"], ["ABxC"], [1, 1, 0],
         "test_funnel_strict.py", STRICT),
    Case("strict, the first step twice", [*"ASPQ"], ["AASPQ", "ASPAQ"], [2, 2, 2, 1],
         "test_funnel_strict.py", STRICT),
    Case("any order", [*"ABC"], ["A", "BA", "CBA"], [3, 2, 1], "test_basic_unordered_funnel", ANY),
    Case("a step twice, two events at one time", ["A", "P", "P"], ["A@0 P@1 P@1 P@2"], [1, 1, 1],
         "issue 25048"),
    Case("a newer first step replaces the older", [*"ABC"], ["A@0 A@30 B@45 C@75"], [1, 1, 1],
         "read in steps.rs", window=60),
    Case("steps 2 and 4 optional", [*"12345"],
         ["1", "123", "13", "12345", "1235", "134", "1345", "135"], [8, 3, 7, 3, 4],
         "test_funnel.py", {"optional": [2, 4]}),
    Case("an exclusion", [*"AB"], ["AXB", "AB", "AB"], [2, 2], "test_funnel.py", OUT_OF_ALL,
         usual=[3, 2],
         why="without `exclude_from=\"all\"` the steps before are kept: 3/2"),
    Case("an exclusion, and a clean path after it", [*"AB"], ["AXBAB"], [1, 1], "read in steps.rs",
         OUT_OF_ALL, usual=[1, 1]),
    Case("an exclusion after the window", [*"AB"], ["A@0 X@11 B@12"], [1, 0], "test_funnel.py",
         OUT_OF_ALL, window=10, usual=[1, 0]),
    Case("any order, an event for two steps", [["a", "b"], ["b"]], ["b@0 a@1"], [1, 0],
         "read in unordered_steps.rs", ANY, ours=[1, 1],
         why="PostHog gives `b` to the first step that it fits; here both steps are found, as a "
             "matching (decision 0027)"),
]  # fmt: skip
