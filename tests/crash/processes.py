"""Processes that are really killed: ``python -m tests.crash.processes STORE SEED KILLS``.

The scenarios of :mod:`tests.crash.online` over a store on disk or a Redis. Each writer and each
reader is a separate process. SIGKILL ends a writer at a moment around a write: the writer sends it
to itself, or another process sends it as soon as the writer announces the moment, so that it falls
into the write. The program prints how often, and exits with 1 at the first wrong answer.
"""

import os
import pickle
import random
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from tests.crash.moments import Moments
from tests.crash.online import Action, Checkpoint, Durable, Process, Truth, World, script
from workbench.stores import Store, store_of
from workbench.stores.remote import Redis


@dataclass(frozen=True)
class Place:
    """A store and a checkpoint that outlive processes."""

    store: str
    name: str
    checkpoint: Path

    def open(self) -> Durable:
        """Open the store and the checkpoint, as a new process does."""
        store: Any = store_of(self.store if "://" in self.store else f"{self.store}/{self.name}")
        if isinstance(store, Redis):
            store = Redis(self.store, self.name)
        exists = self.checkpoint.exists()
        opened: Checkpoint = pickle.loads(self.checkpoint.read_bytes()) if exists else Checkpoint()
        return Durable(store, opened)

    def save(self, checkpoint: Checkpoint) -> None:
        """Replace the checkpoint, in one step."""
        new = self.checkpoint.with_suffix(".part")
        new.write_bytes(pickle.dumps(checkpoint))
        new.replace(self.checkpoint)


def kill_me() -> None:
    """End this process as ``kill -9`` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def fork(run: Callable[..., int], *arguments: Any) -> int:
    """Run a function in a new process, which exits with its result, and return the process id."""
    sys.stdout.flush()
    if process := os.fork():
        return process
    try:
        os._exit(run(*arguments))
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def run_action(action: Action, place: Place, moment: int | None, pipe: int | None) -> int:
    """Run an action. At a moment, kill this process, or announce the moment through a pipe."""
    durable = place.open()

    def announce() -> None:
        os.write(pipe, b".") if pipe is not None else kill_me()

    moments = Moments(
        {} if moment is None else {moment: announce}, lambda: place.save(durable.checkpoint)
    )
    action.run(Process(durable, moments))
    place.save(durable.checkpoint)
    return 0


def run_and_kill(action: Action, place: Place, moment: int, by_itself: bool) -> bool:
    """Run an action in a process that is killed, and return whether that was before its end."""
    reading, writing = os.pipe()
    process = fork(run_action, action, place, moment, None if by_itself else writing)
    os.close(writing)
    if os.read(reading, 1):
        os.kill(process, signal.SIGKILL)
    os.close(reading)
    _, status = os.waitpid(process, 0)
    if not os.WIFSIGNALED(status) and os.waitstatus_to_exitcode(status):
        sys.exit("a writer failed")
    return os.WIFSIGNALED(status)


def read_truth(world: World, place: Place, truths: tuple[Truth, ...]) -> int:
    """Read in a new process, and return the index of the truth that is there; exit if none is."""

    def look() -> int:
        store: Store = place.open().store
        return 10 + world.matching_truth(store, truths)

    _, status = os.waitpid(fork(look), 0)
    index = os.waitstatus_to_exitcode(status) - 10
    if index < 0:
        sys.exit("a reader's answer was wrong")
    return index


def moments_of(action: Action, durable: Durable) -> int:
    """Return the number of moments at which an action can be killed."""
    moments = Moments()
    action.run(Process(deepcopy(durable), moments))
    return moments.count


def kill_writers(store: str, first: int, kills: int) -> int:
    """Kill some writers, in scenario after scenario, and return the number of scenarios."""
    generator, remaining = random.Random(first), kills
    for seed in count(first):
        with tempfile.TemporaryDirectory() as folder:
            place = Place(store, f"scenario {seed}", Path(folder) / "checkpoint")
            for world, durable, truth, action, _ in script(seed):
                truths, reached = (truth, action.after(truth)), 0
                for _ in range(4):
                    moment = generator.randrange(moments_of(action, durable))
                    remaining -= run_and_kill(action, place, moment, generator.random() < 0.5)
                    reached += read_truth(world, place, truths[reached:])
                run_to_end(action, place)
                read_truth(world, place, truths[1:])
        if remaining <= 0:
            return seed - first + 1
    raise AssertionError


def run_to_end(action: Action, place: Place) -> None:
    """Run an action in a process that is not killed."""
    _, status = os.waitpid(fork(run_action, action, place, None, None), 0)
    if os.waitstatus_to_exitcode(status):
        sys.exit("a writer failed")


def load(store: str, seed: int) -> None:
    """Load the kernels and the store's client, so that later processes need not."""
    store_of(store)
    for world, durable, truth, action, _ in script(seed):
        world.matching_truth(deepcopy(durable).store, (truth,))
        moments_of(action, durable)


if __name__ == "__main__":
    url, start, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    load(url, start)
    number = kill_writers(url, start, times)
    print(f"{times} writers killed in {number} scenarios")
