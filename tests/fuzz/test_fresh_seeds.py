"""Some seconds of every search, each time from another seed.

`FUZZ_SEED=7 pytest tests/fuzz/test_fresh_seeds.py` draws the cases of a seed again.
"""

import os
import time
from secrets import randbelow

import pytest

from tests.fuzz.check import Search
from tests.fuzz.subjects import SUBJECTS
from tests.fuzz.written import text_of

#: For each subject, without those statements that need Spark.
SECONDS = 3.0
#: To shrink a failing case; ``make fuzz`` takes as long as it needs.
SHRINKING = 10.0


@pytest.mark.parametrize("subject", SUBJECTS)
def test_no_case_of_a_fresh_seed_fails(subject: str, capsys: pytest.CaptureFixture[str]) -> None:
    seed = int(os.environ.get("FUZZ_SEED", randbelow(10**9)))
    checks = [check for check in SUBJECTS[subject] if not check.on_spark]
    search = Search(0, SHRINKING)
    for check in checks:
        search.end = time.monotonic() + SECONDS / len(checks)
        failure = search.turn(check, seed)
        if failure is not None:
            hint = f"FUZZ_SEED={seed} finds this again; it is a test as it stands:"
            pytest.fail(f"{hint}\n\n{text_of(failure)}", pytrace=False)
    assert search.examined >= len(checks)
    with capsys.disabled():
        print(f" {subject}: {search.examined} cases of seed {seed} ", end="")
