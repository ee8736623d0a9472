"""A writer that is killed at random, and a reader that looks at what it left: run as a program.

``python -m tests.workbench.stores.writer STORE ROUNDS SEED`` prints a line for each round, and
ends with 1 at the first wrong answer. Writer and reader are processes of their own. The store is a
folder or the URL of a Redis; with a program and a folder behind, it is a server that is started,
and killed instead of the writer.
"""

import os
import random
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from tests.workbench.online.cases import (
    SCHEMA,
    STEP,
    Memory,
    Row,
    View,
    agree,
    expected,
    features,
    layout_of,
)
from workbench.columnar.blocks import TIME
from workbench.online.upload import read_meta
from workbench.stores import StoreError, store_of

KEYS = [f"user {i}" for i in range(40)]
#: An upload stands behind so many batches.
BATCHES = 3


def events_of(batch: int) -> list[Row]:
    """The events of a batch, the same ones each time; some are late."""
    drawn = random.Random(batch)
    found = []
    for _ in range(120):
        row = dict.fromkeys(SCHEMA.names) | {"k0": drawn.choice(KEYS), "good": True}
        row[TIME] = 2 * batch + drawn.randint(-9, 2)
        row["number"], row["real"] = drawn.randint(-9, 9), float(drawn.randint(-9, 9))
        found.append(row)
    return found


def until_of(batch: int) -> int:
    """Where the upload behind a batch ends."""
    return 2 * batch // STEP * STEP


def write(place: str, told: int) -> None:
    """Apply batch after batch, tell of each to a pipe, and upload now and then, until killed."""
    view = View(store_of(place), layout_of(features()))
    held = read_meta(view.store)[1]
    if held is None or not held.generation:
        view.upload(0)
    else:
        view.batch = held.batch
        view.seen = [row for batch in range(view.batch + 1) for row in events_of(batch)]
    while True:
        view.stream(events_of(view.batch + 1))
        os.write(told, b".")
        if view.batch % BATCHES == 0:
            view.upload(until_of(view.batch))


def write_until_down(place: str, told: int) -> None:
    """The same, until the store is down."""
    try:
        write(place, told)
    except StoreError as error:
        if "does not answer" not in str(error):
            raise


def uploads(batch: int) -> list[tuple[int, int, list[Row]]]:
    """Each upload that there may be: its end, how many events it has, and these."""
    found: list[tuple[int, int, list[Row]]] = [(0, 0, [])]
    seen: list[Row] = []
    for one in range(batch + 1):
        seen += events_of(one)
        if one % BATCHES == 0:
            rows = [row for row in seen if row[TIME] < until_of(one)]
            found.append((until_of(one), len(rows), rows))
    return found


def read(place: str) -> None:
    """Refuse a wrong answer."""
    view = View(store_of(place), layout_of(features()))
    held = read_meta(view.store)[1]
    if held is None or not held.generation:
        print("nothing is uploaded yet")
        return
    view.streamed = [row for batch in range(held.batch + 1) for row in events_of(batch)]
    view.until = held.until
    view.uploaded = next(
        rows for end, size, rows in uploads(held.batch) if (end, size) == (held.until, held.events)
    )
    at = max([held.until, *(row[TIME] + 1 for row in view.streamed)])
    assert at <= held.until + view.lasting
    found, answers = view.fetch(KEYS, at), expected(view.layout, view.known, KEYS, at)
    known = {row["k0"] for row in view.known}
    for key, row, answer in zip(KEYS, found, answers, strict=True):
        if key not in known:
            continue
        assert row is not None, found.errors[key]
        wrong = {n: (row[n], answer[n]) for n in answer if not agree(row[n], answer[n])}
        assert not wrong, (key, wrong)
    print(f"batch {held.batch}, upload {held.generation} until {held.until}: {len(known)} keys")


def apart(run: Callable[..., None], *arguments: Any) -> int:
    """Start a function in a process of its own, and return its id."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    try:
        run(*arguments)
        sys.stdout.flush()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def load(place: str) -> None:
    """Get the kernels and the store's client, so that processes begun later lose no time to it."""
    store_of(place)
    view = View(Memory(), layout_of(features()))
    view.upload(0)
    view.stream(events_of(0))
    view.upload(0)
    view.fetch(KEYS, 2)
    expected(view.layout, view.known, KEYS, 2)


def ended(process: int) -> None:
    """Wait for a process, and stop with it when it failed."""
    _, outcome = os.waitpid(process, 0)
    if outcome:
        sys.exit("a read was wrong, or a writer's error was")


def begun(drawn: random.Random, run: Callable[..., None], place: str) -> int:
    """Start a writer, and return its id some batches later, and some time after the last one."""
    told, tell = os.pipe()
    writer = apart(run, place, tell)
    os.close(tell)
    for _ in range(drawn.randint(0, 4)):
        os.read(told, 1)
    # The pipe stays open, as a writer without a reader would end.
    time.sleep(drawn.uniform(0, 0.1))
    return writer


def kill_writers(place: str, rounds: int, seed: int) -> None:
    """Kill the writer again and again, and look at the store each time."""
    drawn = random.Random(seed)
    for _ in range(rounds):
        writer = begun(drawn, write, place)
        os.kill(writer, signal.SIGKILL)
        _, how = os.waitpid(writer, 0)
        if not os.WIFSIGNALED(how):
            sys.exit("the writer ended by itself")
        ended(apart(read, place))


def kill_servers(place: str, rounds: int, seed: int, program: str, folder: str) -> None:
    """Kill the server beneath the writer again and again, start it, and look at the store."""
    drawn = random.Random(seed)
    for _ in range(rounds):
        with serving(program, place, folder) as server:
            ended(apart(read, place))
            writer = begun(drawn, write_until_down, place)
            server.kill()
            ended(writer)
    with serving(program, place, folder):
        ended(apart(read, place))


@contextmanager
def serving(
    program: str, place: str, folder: str, *options: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Redis that loses nothing of what it confirmed, or one with other options."""
    url = urlsplit(place)
    assert url.hostname is not None
    safe = options or ("--appendonly", "yes", "--appendfsync", "always", "--save", "")
    given = [program, "--port", str(url.port), "--bind", url.hostname, "--dir", folder, *safe]
    server = subprocess.Popen(given, stdout=subprocess.DEVNULL)
    try:
        store = store_of(place)
        for _ in range(100):
            try:
                store.read([b"any"])
                break
            except StoreError:
                time.sleep(0.1)
        yield server
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    given, count, start, *more = sys.argv[1:]
    load(given)
    (kill_servers if more else kill_writers)(given, int(count), int(start), *more)
