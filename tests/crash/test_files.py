"""A data file with a partly written transaction, as a machine leaves it that loses power."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.crash.moments import Moments
from tests.crash.online import Durable, Process, script
from workbench.stores.embedded import Embedded

PAGE = os.sysconf("SC_PAGESIZE")
#: LMDB writes a transaction's pages, waits for them, and then writes one of these two.
META_PAGES = 2
READING = """
from pathlib import Path
import sys
from workbench.stores.embedded import Embedded
for folder in sorted(Path(sys.argv[1]).iterdir(), key=lambda one: int(one.name)):
    print(sorted(pair for some in Embedded(folder, 1 << 24).scan(b"") for pair in some))
"""


def test_pages_of_an_unfinished_transaction_change_nothing(tmp_path: Path) -> None:
    generator, states = random.Random(4), tmp_path / "states"
    expected: list[Any] = []
    for before, after, held in transactions(tmp_path / "store"):
        for written in subsets(before, after, generator):
            folder = states / str(len(expected))
            folder.mkdir(parents=True)
            (folder / "data.mdb").write_bytes(written)
            expected.append(str(held))
    command = [sys.executable, "-c", READING, str(states)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == expected
    assert len(expected) >= 100


def transactions(folder: Path) -> Iterator[tuple[bytes, bytes, list[tuple[bytes, bytes]]]]:
    """Yield the data file before and after each transaction, and its contents before."""
    store, path = Embedded(folder, 1 << 24), folder / "data.mdb"
    store.write([])
    snapshots = []

    def take_snapshot() -> None:
        snapshots.append((path.read_bytes(), sorted(p for some in store.scan(b"") for p in some)))

    take_snapshot()
    durable = Durable(store)  # type: ignore[arg-type]
    for _, planned, _, action, _ in script(3):
        durable.checkpoint = planned.checkpoint
        action.run(Process(durable, Moments(every=take_snapshot)))
    for (before, known), (after, _) in pairwise(snapshots):
        if before != after:
            yield before, after, known


def subsets(before: bytes, after: bytes, generator: random.Random) -> Iterator[bytes]:
    """Yield files to which some of a transaction's pages were written, in whatever order."""
    pages = range(META_PAGES, -(-len(after) // PAGE))
    places = [slice(page * PAGE, (page + 1) * PAGE) for page in pages]
    changed = [at for at in places if before[at] != after[at]]
    some = [generator.sample(changed, generator.randint(0, len(changed))) for _ in range(7)]
    for chosen in (changed, *some):
        written = bytearray(before.ljust(len(after), b"\0") if chosen else before)
        for at in chosen:
            written[at] = after[at]
        yield bytes(written)
