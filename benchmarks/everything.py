"""``python -m benchmarks all``: every subject, each in a process of its own, and a page of them."""

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring.page import described_machine, versions, write_page


def measured(subjects: Sequence[str], options: Sequence[str], sizes: Mapping[str, str]) -> Any:
    """Run subjects one behind the other, and return what they found.

    Parameters
    ----------
    subjects : sequence of str
    options : sequence of str
        What all of them get on the command line.
    sizes : dict of str to str
        What a subject gets besides, as a person writes it.

    Returns
    -------
    dict
        As :func:`benchmarks.measuring.page.page` takes it.
    """
    found: dict[str, Any] = {"machine": described_machine(), "versions": versions()}
    found |= {"asked": {}, "subjects": {}, "broken_off": []}
    for subject in subjects:
        asked = [*shlex.split(sizes.get(subject, "")), *options]
        with tempfile.TemporaryDirectory() as folder:
            kept = Path(folder) / "found.json"
            command = [sys.executable, "-m", "benchmarks", subject, *asked, "--json", str(kept)]
            if subprocess.run(command, check=False).returncode:
                found["broken_off"].append(subject)
            else:
                found["subjects"][subject] = json.loads(kept.read_text())["results"]
        found["asked"][subject] = sizes.get(subject, "")
    return found


def written(found: Any, data: Path | None, to: Path | None) -> None:
    """Write what was found as data and as a page."""
    if data:
        data.write_text(json.dumps(found, indent=1) + "\n")
    if to:
        write_page(found, to)
