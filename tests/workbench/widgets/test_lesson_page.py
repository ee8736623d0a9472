"""A saved notebook as one page: interactive where its cells kept their pages, small, no network."""

import re
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

import workbench as wb
from kernels import registry
from workbench.errors import WorkbenchError
from workbench.widgets import TileExplorer
from workbench.widgets.lesson_page import lesson_page
from workbench.widgets.living import NEEDS_A_KERNEL
from workbench.widgets.stepper.questions import questions_of

FRAME = '<iframe class="wb-living"'
new: Any = nbformat.v4


@pytest.fixture
def player(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("WORKBENCH_KEEP_PAGES", "1")
    return wb.play(registry["insertion_sort"], np.array([2, 1]), np.array([1, 1], np.uint32))


def output_of(widget: Any) -> dict[str, Any]:
    bundle = widget._repr_mimebundle_()
    return dict(bundle[0] if isinstance(bundle, tuple) else bundle)


def notebook(folder: Path, *bundles: dict[str, Any]) -> Path:
    """Write a notebook whose cells have these outputs."""
    cells = [new.new_markdown_cell("# Sorts & trees\nWhat *they* do, and [more](more.ipynb).")]
    for data in bundles:
        outputs = [new.new_output("display_data", data=data)]
        cells.append(new.new_code_cell("shown", outputs=outputs))
    path = folder / "sorts.ipynb"
    path.write_text(nbformat.writes(new.new_notebook(cells=cells)), "utf-8")
    return path


def test_a_page_has_the_text_the_code_and_a_frame_for_each_player(
    player: Any, tmp_path: Path
) -> None:
    source = notebook(tmp_path, output_of(player), output_of(TileExplorer(16, 4, 14)))
    page = wb.lesson(source, tmp_path / "sorts.html").read_text("utf-8")
    assert "<title>Sorts &amp; trees</title>" in page
    assert "<em>they</em> do, and more." in page
    assert page.count(FRAME) == 2
    assert NEEDS_A_KERNEL not in page
    assert re.findall(r'(?:src|href)="http[^"]*"', page) == []


def test_a_player_that_was_not_kept_is_a_picture_that_says_so(
    player: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORKBENCH_KEEP_PAGES")
    page = lesson_page(notebook(tmp_path, output_of(player)))
    assert FRAME not in page
    assert page.count(NEEDS_A_KERNEL) == 1
    assert "<svg" in page


def test_players_that_do_not_fit_become_pictures_the_largest_first(
    player: Any, tmp_path: Path
) -> None:
    source = notebook(tmp_path, output_of(player), output_of(TileExplorer(16, 4, 14)))
    whole = lesson_page(source)
    less = lesson_page(source, most_bytes=len(whole) - 1)
    assert len(less) < len(whole)
    assert less.count(FRAME) == 1
    # The player brings its script along, and so is the larger one.
    assert 'title="Tile explorer' in less.partition(FRAME)[2]
    assert less.count(NEEDS_A_KERNEL) == 1


def test_the_pages_of_the_guide_for_teachers_ask_before_each_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (Path(__file__).parents[3] / "docs" / "teaching.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {}
    exec(code, namespace)
    files = {path.name for path in tmp_path.iterdir()}
    exercises = {f"exercise-{seed}.html" for seed in (1, 2, 3)}
    assert files == {"segment-tree.html", "sum.html", "frames.html"} | exercises
    # The table in the guide lists the files that were written.
    assert set(re.findall(r"`([\w-]+\.html)`", text)) | exercises == files
    assert sum(one is not None for one in questions_of(namespace["player"].lesson)) > 10
    for page in ("sum.html", *exercises):
        assert '"lecture"' in (tmp_path / page).read_text("utf-8")


@pytest.mark.parametrize("name", sorted(one.stem for one in Path("notebooks").glob("*.ipynb")))
def test_each_notebook_of_the_workbench_fits_into_a_mail(name: str, tmp_path: Path) -> None:
    page = wb.lesson(name, tmp_path / "page.html")
    assert page.stat().st_size < 2_000_000
    assert page.read_text("utf-8").count("<h1") == 1


def test_a_missing_notebook_and_a_file_that_is_not_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"no 'nowhere'; .*03-segment-tree"):
        wb.lesson("nowhere")
    text = tmp_path / "text.ipynb"
    text.write_text("no notebook", "utf-8")
    with pytest.raises(WorkbenchError, match="is not a notebook"):
        wb.lesson(text)
    with pytest.raises(WorkbenchError, match=r"^notebook: this is an int, not a path; give the "):
        wb.lesson(3)  # type: ignore[arg-type]
