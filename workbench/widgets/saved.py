"""``python -m workbench.widgets.saved out/*.ipynb``: can they be read without a kernel?"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from workbench.errors import WorkbenchError
from workbench.widgets.lesson_page import read_notebook
from workbench.widgets.living import PICTURE, WIDGET

#: The largest file that a forge renders, and that a reader waits for.
MOST_BYTES = 1_000_000
STRIP = "nbstripout --keep-output --keep-count --extra-keys metadata.widgets"


def problems(path: Path) -> list[str]:
    """Return the reasons why a saved notebook cannot be read, one sentence each.

    Parameters
    ----------
    path : Path

    Returns
    -------
    list of str
        Empty if each cell was run without an error, and each widget has a picture.

    Examples
    --------
    >>> problems(Path("notebooks/03-segment-tree.ipynb"))
    []
    """
    notebook = read_notebook(path)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    sentences = [one for number, cell in enumerate(cells, 1) for one in _of_cell(number, cell)]
    if "widgets" in notebook.metadata:
        sentences.append(f"it carries the state of widgets; remove it with {STRIP}.")
    if path.stat().st_size > MOST_BYTES:
        sentences.append(
            f"it has {path.stat().st_size:,} bytes; show less, or clear what is large."
        )
    return sentences


def _of_cell(number: int, cell: Any) -> Iterator[str]:
    if cell.execution_count is None:
        yield f"code cell {number} was not run; run the notebook before it is saved."
    for output in cell.outputs:
        if output.output_type == "error":
            yield f"code cell {number} ended with {output.ename}: {output.evalue}"
        data = output.get("data", {})
        if WIDGET in data and not data.get(PICTURE):
            yield f"code cell {number} shows a widget without a picture; show one of wb's."


def main(arguments: Sequence[str] | None = None) -> None:
    """Print what is wrong with each of the given notebooks, and exit with 1 if anything is."""
    paths = [Path(one) for one in (sys.argv[1:] if arguments is None else arguments)]
    try:
        problems_of = {path: problems(path) for path in paths}
    except (OSError, WorkbenchError) as error:
        sys.exit(str(error))
    for path, sentences in problems_of.items():
        print("\n".join(f"{path}: {one}" for one in sentences or ["can be read without a kernel."]))
    if not paths:
        sys.exit("Name the notebooks to look at.")
    sys.exit(int(any(problems_of.values())))


if __name__ == "__main__":
    main()
