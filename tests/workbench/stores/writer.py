"""A writer that is killed at random, and a reader that checks the store afterwards, as a program.

``python -m tests.workbench.stores.writer STORE ROUNDS SEED`` prints a line for each round, and
ends with 1 at the first wrong answer. Writer and reader are separate processes. The store is a
folder or the URL of a Redis. If a program and a folder follow, the program is a server, which is
started, and killed instead of the writer.
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
#: An upload follows each time after this number of batches.
BATCHES = 3


def events_of(batch: int) -> list[Row]:
    """Return the events of a batch, the same ones each time; some are late."""
    generator = random.Random(batch)
    events = []
    for _ in range(120):
        row = dict.fromkeys(SCHEMA.names) | {"k0": generator.choice(KEYS), "good": True}
        row[TIME] = 2 * batch + generator.randint(-9, 2)
        row["number"], row["real"] = generator.randint(-9, 9), float(generator.randint(-9, 9))
        events.append(row)
    return events


def until_of(batch: int) -> int:
    """Return where the upload after a batch ends."""
    return 2 * batch // STEP * STEP


def write(place: str, progress: int) -> None:
    """Apply batch after batch, report each to a pipe, and upload now and then, until killed."""
    view = View(store_of(place), layout_of(features()))
    metadata = read_meta(view.store)[1]
    if metadata is None or not metadata.generation:
        view.upload(0)
    else:
        view.batch = metadata.batch
        view.seen = [row for batch in range(view.batch + 1) for row in events_of(batch)]
    while True:
        view.stream(events_of(view.batch + 1))
        os.write(progress, b".")
        if view.batch % BATCHES == 0:
            view.upload(until_of(view.batch))


def write_until_down(place: str, progress: int) -> None:
    """The same, until the store is down."""
    try:
        write(place, progress)
    except StoreError as error:
        if "does not answer" not in str(error):
            raise


def uploads(batch: int) -> list[tuple[int, int, list[Row]]]:
    """Return each possible upload: its end, its number of events, and the events."""
    result: list[tuple[int, int, list[Row]]] = [(0, 0, [])]
    events: list[Row] = []
    for one in range(batch + 1):
        events += events_of(one)
        if one % BATCHES == 0:
            rows = [row for row in events if row[TIME] < until_of(one)]
            result.append((until_of(one), len(rows), rows))
    return result


def read(place: str) -> None:
    """Fail if a fetch has a wrong answer."""
    view = View(store_of(place), layout_of(features()))
    metadata = read_meta(view.store)[1]
    if metadata is None or not metadata.generation:
        print("nothing is uploaded yet")
        return
    view.streamed = [row for batch in range(metadata.batch + 1) for row in events_of(batch)]
    view.until = metadata.until
    view.uploaded = next(
        rows
        for end, size, rows in uploads(metadata.batch)
        if (end, size) == (metadata.until, metadata.events)
    )
    at = max([metadata.until, *(row[TIME] + 1 for row in view.streamed)])
    assert at <= metadata.until + view.lasting
    fetched, answers = view.fetch(KEYS, at), expected(view.layout, view.known, KEYS, at)
    known = {row["k0"] for row in view.known}
    for key, row, answer in zip(KEYS, fetched, answers, strict=True):
        if key not in known:
            continue
        assert row is not None, fetched.errors[key]
        wrong = {n: (row[n], answer[n]) for n in answer if not agree(row[n], answer[n])}
        assert not wrong, (key, wrong)
    uploaded = f"upload {metadata.generation} until {metadata.until}"
    print(f"batch {metadata.batch}, {uploaded}: {len(known)} keys")


def start_process(run: Callable[..., None], *arguments: Any) -> int:
    """Start a function in a new process, and return the id of the process."""
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
    """Load the kernels and the store's client, so that later processes lose no time to it."""
    store_of(place)
    view = View(Memory(), layout_of(features()))
    view.upload(0)
    view.stream(events_of(0))
    view.upload(0)
    view.fetch(KEYS, 2)
    expected(view.layout, view.known, KEYS, 2)


def wait_for(process: int) -> None:
    """Wait for a process, and exit if it failed."""
    _, outcome = os.waitpid(process, 0)
    if outcome:
        sys.exit("a read was wrong, or a writer's error was")


def start_writer(generator: random.Random, run: Callable[..., None], place: str) -> int:
    """Start a writer, and return its process id some time after some of its batches."""
    read_end, write_end = os.pipe()
    writer = start_process(run, place, write_end)
    os.close(write_end)
    for _ in range(generator.randint(0, 4)):
        os.read(read_end, 1)
    # The pipe stays open, as a writer without a reader would end.
    time.sleep(generator.uniform(0, 0.1))
    return writer


def kill_writers(place: str, rounds: int, seed: int) -> None:
    """Kill the writer again and again, and check the store each time."""
    generator = random.Random(seed)
    for _ in range(rounds):
        writer = start_writer(generator, write, place)
        os.kill(writer, signal.SIGKILL)
        _, outcome = os.waitpid(writer, 0)
        if not os.WIFSIGNALED(outcome):
            sys.exit("the writer ended by itself")
        wait_for(start_process(read, place))


def kill_servers(place: str, rounds: int, seed: int, program: str, folder: str) -> None:
    """Kill the writer's server again and again, restart it, and check the store each time."""
    generator = random.Random(seed)
    for _ in range(rounds):
        with serving(program, place, folder) as server:
            wait_for(start_process(read, place))
            writer = start_writer(generator, write_until_down, place)
            server.kill()
            wait_for(writer)
    with serving(program, place, folder):
        wait_for(start_process(read, place))


@contextmanager
def serving(
    program: str, place: str, folder: str, *options: str
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Redis that loses nothing of what it confirmed, or one with other options."""
    url = urlsplit(place)
    assert url.hostname is not None
    safe = options or ("--appendonly", "yes", "--appendfsync", "always", "--save", "")
    command = [program, "--port", str(url.port), "--bind", url.hostname, "--dir", folder, *safe]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
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
    store_place, count, start, *server = sys.argv[1:]
    load(store_place)
    (kill_servers if server else kill_writers)(store_place, int(count), int(start), *server)
