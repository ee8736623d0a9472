"""What Sphinx reads, laid out in one folder: pages as they are, and those made of the code."""

import shutil
from collections.abc import Iterable
from pathlib import Path

from algorithms import algorithms
from moving_picture import NOTEBOOK, moving_picture
from reference import reference
from saved_notebooks import once, with_living

from workbench.widgets.lesson_page import lesson_page

ROOT = Path(__file__).resolve().parents[2]
#: Guides that are read first, in this order; the others follow by their names.
FIRST = (
    *("analysts", "teaching", "notebooks-in-ci", "clusters"),
    *("front-door", "sharing", "sql", "streams", "scale", "limits"),
)
#: In front of which picture of the README the moving one stands.
PICTURE = "![The funnel explorer"
PROJECT = ("docs/architecture", "CONTRIBUTING", "SECURITY", "CHANGELOG")


def lay_out(folder: Path, extra: Path) -> None:
    """Write the sources of the site; what has not changed keeps its time, and is not read again.

    Parameters
    ----------
    folder : Path
        Emptied of what is no source any more.
    extra : Path
        Made anew: the pages that are in the site as they are.
    """
    kept = {folder / name for name in copied(folder)}
    shutil.rmtree(extra, ignore_errors=True)
    made = {
        "index.md": front_page(),
        "docs/index.md": contents("Guides", guides()),
        "docs/decisions/index.md": contents("Decisions", names_in("docs/decisions", "*.md")),
        "notebooks/index.md": contents("Notebooks", names_in("notebooks", "*.ipynb")),
        "algorithms.md": algorithms(),
        "player.svg": moving_picture(),
        "project.md": contents("The project", PROJECT),
        **reference(),
    }
    for notebook in ROOT.glob("notebooks/*.ipynb"):
        page_of = once()
        made[f"notebooks/{notebook.name}"], pages = with_living(notebook, page_of)
        for name, page in pages.items():
            write(extra / name, page)
        write(extra / "lessons" / f"{notebook.stem}.html", lesson_page(notebook, page_of=page_of))
    for name, text in made.items():
        write(folder / name, text)
        kept.add(folder / name)
    for path in [*folder.rglob("*")]:
        if path.is_file() and path not in kept:
            path.unlink()


def copied(folder: Path) -> list[str]:
    """Copy pages and pictures that are newer than their copies, and name them all."""
    patterns = "docs/*.md", "docs/decisions/*.md", "docs/images/*", "docs/benchmarks/*", "*.md"
    names = [str(one.relative_to(ROOT)) for pattern in patterns for one in ROOT.glob(pattern)]
    names.remove("README.md")
    for name in names:
        write(folder / name, (ROOT / name).read_bytes())
    return names


def write(path: Path, content: str | bytes) -> None:
    """Write a file whose content is another."""
    data = content if isinstance(content, bytes) else content.encode()
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def front_page() -> str:
    """The README, and the list of all that is in the site."""
    parts = (
        *("notebooks/index", "docs/index", "algorithms", "reference/index"),
        *("docs/decisions/index", "project"),
    )
    before, there, after = (ROOT / "README.md").read_text("utf-8").partition(PICTURE)
    assert there, "The README has lost the picture in front of which the moving one stands."
    moving = (
        "![The step player: one user's events pass by, and the funnel's kernel says of each what "
        f"it does](player.svg)\n\n[Step through it yourself](notebooks/{NOTEBOOK}.ipynb): the page "
        "needs no Python.\n\n"
    )
    return before + moving + there + after + toctree(parts, hidden=True)


def guides() -> list[str]:
    """The pages for those who use the workbench: all but those for who builds it."""
    found = [one for one in names_in("docs", "*.md") if f"docs/{one}" not in PROJECT]
    return [*FIRST, *(one for one in found if one not in FIRST)]


def names_in(folder: str, pattern: str) -> list[str]:
    """The pages of a folder, in order."""
    return sorted(path.stem for path in ROOT.joinpath(folder).glob(pattern))


def contents(title: str, pages: Iterable[str]) -> str:
    """A page that lists others."""
    return f"# {title}\n{toctree(pages)}"


def toctree(pages: Iterable[str], hidden: bool = False) -> str:
    """A list of pages, for people or for the menu alone."""
    option = ":hidden:" if hidden else ":maxdepth: 1"
    return "\n".join(["", "```{toctree}", option, "", *pages, "```", ""])
