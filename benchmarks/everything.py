"""``python -m benchmarks all``: run every subject in its own process, and write a page."""

import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.measuring.page import described_machine, versions, write_page


def run_subjects(
    subjects: Sequence[str], common: Sequence[str], specific: Mapping[str, str]
) -> Any:
    """Run subjects one after the other, and return their results.

    Parameters
    ----------
    subjects : sequence of str
    common : sequence of str
        The command line options of all subjects.
    specific : dict of str to str
        Further options by subject, as text.

    Returns
    -------
    dict
        The input of :func:`benchmarks.measuring.page.page`.
    """
    results: dict[str, Any] = {"machine": described_machine(), "versions": versions()}
    results |= {"asked": {}, "subjects": {}, "broken_off": []}
    for subject in subjects:
        options = [*shlex.split(specific.get(subject, "")), *common]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "results.json"
            command = [sys.executable, "-m", "benchmarks", subject, *options, "--json", str(path)]
            if subprocess.run(command, check=False).returncode:
                results["broken_off"].append(subject)
            else:
                results["subjects"][subject] = json.loads(path.read_text())["results"]
        results["asked"][subject] = specific.get(subject, "")
    return results


def write_results(results: Any, data: Path | None, page: Path | None) -> None:
    """Write the results as data and as a page."""
    if data:
        data.write_text(json.dumps(results, indent=1) + "\n")
    if page:
        write_page(results, page)
