"""Run every notebook again and save its output, without the state of its widgets.

Cells keep the lessons and pages that they show: the site and ``wb.lesson`` make them live again.
``tools/notebooks.py 04 06`` runs only these notebooks.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
UNWANTED = ("--extra-keys", "metadata.widgets metadata.language_info.version")


def main() -> None:
    """Run the notebooks in order; stop at the first that fails."""
    notebooks = sorted(ROOT.glob("notebooks/*.ipynb"))
    for name in sys.argv[1:]:
        if not any(one.name.startswith(name) for one in notebooks):
            sys.exit(f"No notebook begins with {name!r}: give a number of two digits, such as 04.")
    chosen = tuple(sys.argv[1:]) or ("",)
    for notebook in (one for one in notebooks if one.name.startswith(chosen)):
        print(f"Running {notebook.name} ...", flush=True)
        run("jupyter", "execute", "--inplace", "--timeout=1800", notebook)
        run("nbstripout", "--keep-output", "--keep-count", *UNWANTED, notebook)


def run(name: str, *arguments: str | Path) -> None:
    """Run one of the environment's programs; stop when it fails."""
    command = [str(BIN / name), *map(str, arguments)]
    environment = os.environ | {"WORKBENCH_KEEP_PAGES": "1"}
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode:
        sys.exit(f"`{name}` failed on {arguments[-1]}.")


if __name__ == "__main__":
    main()
