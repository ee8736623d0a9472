"""Processes that are really killed: ``python -m tests.crash.processes STORE SEED KILLS``.

The scenarios of :mod:`tests.crash.online` over a store on disk or a Redis, each writer and each
reader a process of its own. The kernel ends a writer with SIGKILL: at a moment around a write by
its own hand, or from outside as soon as it has told that a write begins, so that it falls into the
write. A line says how often; it ends with 1 at the first wrong answer.
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
from tests.crash.online import Checkpoint, Deed, Durable, Process, Truth, World, script
from workbench.stores import Store, store_of
from workbench.stores.remote import Redis


@dataclass(frozen=True)
class Place:
    """A store and a checkpoint that outlive processes."""

    store: str
    name: str
    checkpoint: Path

    def open(self) -> Durable:
        """Open what is there, as a process does that has just begun."""
        store: Any = store_of(self.store if "://" in self.store else f"{self.store}/{self.name}")
        if isinstance(store, Redis):
            store = Redis(self.store, self.name)
        kept = self.checkpoint.exists()
        found: Checkpoint = pickle.loads(self.checkpoint.read_bytes()) if kept else Checkpoint()
        return Durable(store, found)

    def keep(self, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint, all of it or as it was before."""
        part = self.checkpoint.with_suffix(".part")
        part.write_bytes(pickle.dumps(checkpoint))
        part.replace(self.checkpoint)


def kill_me() -> None:
    """End this process as ``kill -9`` does."""
    os.kill(os.getpid(), signal.SIGKILL)


def apart(run: Callable[..., int], *arguments: Any) -> int:
    """Start a function in a process of its own, which ends with what it returns."""
    sys.stdout.flush()
    if process := os.fork():
        return process
    try:
        os._exit(run(*arguments))
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def done(deed: Deed, place: Place, moment: int | None, told: int | None) -> int:
    """Do something, until killed at a moment by itself, or from outside when it tells of it."""
    held = place.open()

    def tell() -> None:
        os.write(told, b".") if told is not None else kill_me()

    moments = Moments({} if moment is None else {moment: tell}, lambda: place.keep(held.checkpoint))
    deed.run(Process(held, moments))
    place.keep(held.checkpoint)
    return 0


def killed(deed: Deed, place: Place, moment: int, by_itself: bool) -> bool:
    """Do something in a process that is killed, and return whether it was before it had ended."""
    hear, told = os.pipe()
    process = apart(done, deed, place, moment, None if by_itself else told)
    os.close(told)
    if os.read(hear, 1):
        os.kill(process, signal.SIGKILL)
    os.close(hear)
    _, how = os.waitpid(process, 0)
    if not os.WIFSIGNALED(how) and os.waitstatus_to_exitcode(how):
        sys.exit("a writer's error was")
    return os.WIFSIGNALED(how)


def told_truth(world: World, place: Place, truths: tuple[Truth, ...]) -> int:
    """Read in a process of its own, and return which truth is told; end where none is."""

    def look() -> int:
        store: Store = place.open().store
        return 10 + world.which(store, truths)

    _, how = os.waitpid(apart(look), 0)
    told = os.waitstatus_to_exitcode(how) - 10
    if told < 0:
        sys.exit("a reader's answer was wrong")
    return told


def moments_of(deed: Deed, held: Durable) -> int:
    """Return at how many moments something can be killed."""
    moments = Moments()
    deed.run(Process(deepcopy(held), moments))
    return moments.count


def kill_writers(store: str, first: int, kills: int) -> int:
    """Kill so many writers, in scenario after scenario, and return how many scenarios it took."""
    drawn, left = random.Random(first), kills
    for seed in count(first):
        with tempfile.TemporaryDirectory() as folder:
            place = Place(store, f"scenario {seed}", Path(folder) / "checkpoint")
            for world, held, truth, deed, _ in script(seed):
                truths, behind = (truth, deed.after(truth)), 0
                for _ in range(4):
                    moment = drawn.randrange(moments_of(deed, held))
                    left -= killed(deed, place, moment, drawn.random() < 0.5)
                    behind += told_truth(world, place, truths[behind:])
                whole(deed, place)
                told_truth(world, place, truths[1:])
        if left <= 0:
            return seed - first + 1
    raise AssertionError


def whole(deed: Deed, place: Place) -> None:
    """Do something in a process that nobody kills."""
    _, how = os.waitpid(apart(done, deed, place, None, None), 0)
    if os.waitstatus_to_exitcode(how):
        sys.exit("a writer's error was")


def load(store: str, seed: int) -> None:
    """Get the kernels and the store's client, so that processes begun later lose no time to it."""
    store_of(store)
    for world, held, truth, deed, _ in script(seed):
        world.which(deepcopy(held).store, (truth,))
        moments_of(deed, held)


if __name__ == "__main__":
    given, start, times = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    load(given, start)
    number = kill_writers(given, start, times)
    print(f"{times} writers killed in {number} scenarios")
