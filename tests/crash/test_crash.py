"""Killed at every step, a view or a query gives its previous answers or its next ones."""

import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tests.crash.__main__ import SUBJECTS
from tests.drawn import share_of
from tests.workbench.stores.test_stores import free_url, provide_redis
from tests.workbench.stores.writer import serving

ROOT = Path(__file__).parents[2]
#: A new seed in each run, in addition to the fixed ones.
FRESH = time.time_ns() % 10**9
SEEDS = {**{str(seed): seed for seed in range(share_of(9))}, "fresh": FRESH}


@pytest.mark.parametrize("subject", list(SUBJECTS))
@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
def test_a_process_that_is_killed_at_every_step_never_leaves_a_wrong_answer(
    subject: str, seed: int
) -> None:
    try:
        counts = SUBJECTS[subject](seed)
    except Exception as error:
        error.add_note(f"again: python -m tests.crash {subject} --seed {seed}")
        raise
    assert counts["killed"] > 20


@pytest.mark.parametrize(
    ("kind", "kills"),
    [("embedded", share_of(70)), ("redis", share_of(50))],
    ids=["embedded", "redis"],
)
def test_writers_that_are_really_killed_leave_no_wrong_answer(
    kind: str, kills: int, tmp_path: Path
) -> None:
    place = str(tmp_path / "stores") if kind == "embedded" else free_url()
    server: Any = nullcontext()
    if kind == "redis":
        server = serving(provide_redis(), place, str(tmp_path), "--save", "")
    command = [sys.executable, "-m", "tests.crash.processes", place, "5", str(kills)]
    with server:
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert run.stdout.startswith(f"{kills} writers killed")
