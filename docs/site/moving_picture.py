"""The player on the front page, moving: its own stills, one behind the other, in one picture."""

import re
from pathlib import Path

import nbformat

from workbench.markup import Markup, converted, element, joined, stylesheet
from workbench.widgets.sharing.kept import LESSON, saved_value
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.still import still

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = "01-funnel"
#: How long a step is seen, in seconds.
SECONDS = 1.8
SIZE = re.compile(r'viewBox="0 0 (\d+) (\d+)"')


def moving_picture() -> Markup:
    """Return the first player that a notebook has kept, step after step, as one SVG document."""
    lesson = first_lesson(ROOT / "notebooks" / f"{NOTEBOOK}.ipynb")
    stills = [still(lesson, step) for step in range(len(lesson["steps"]))]
    sizes = [SIZE.search(one) for one in stills]
    high = max(int(size[2]) for size in sizes if size)
    wide = max(int(size[1]) for size in sizes if size)
    frames = joined(frame(number, one) for number, one in enumerate(stills))
    return element(
        "svg",
        element("title", f"{lesson['title']}, step by step"),
        stylesheet(style(len(stills))),
        frames,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {wide} {high}",
        width=wide,
        height=high,
        role="img",
    )


def frame(number: int, drawn: str) -> Markup:
    """A step, seen from its turn on until the next one's."""
    delay = f"animation-delay:{number * SECONDS:g}s"
    return element("g", converted(drawn), class_="step", style=delay)


def style(steps: int) -> str:
    """One step at a time; who wants no motion sees the last one, which has the answer."""
    return (
        ".step{visibility:hidden;"
        f"animation:seen {steps * SECONDS:g}s step-end infinite}}"
        f"@keyframes seen{{0%{{visibility:visible}}{100 / steps:.4f}%{{visibility:hidden}}}}"
        "@media(prefers-reduced-motion:reduce){.step{animation:none}"
        ".step:last-of-type{visibility:visible}}"
    )


def first_lesson(path: Path) -> Lesson:
    """The lesson of the first player that a notebook has kept."""
    outputs = [
        one for cell in nbformat.read(path, as_version=4).cells for one in cell.get("outputs", [])
    ]
    kept = (saved_value(LESSON, one.get("data", {})) for one in outputs)
    lesson: Lesson = next(one["lesson"] for one in kept if one)
    return lesson
