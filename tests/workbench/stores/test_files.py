"""The files of the embedded store: missing, replaced and damaged ones, and processes that fork."""

import os
import random
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lmdb
import pytest

from workbench.stores import Change, StoreError
from workbench.stores import embedded as files_of
from workbench.stores.embedded import Embedded

ROOT = Path(__file__).parents[3]


def program(code: str) -> str:
    """Run a program in a new process, and return its output."""
    completed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, (
        f"{completed.returncode}: {completed.stdout}{completed.stderr}"
    )
    return completed.stdout


def read_elsewhere(path: Path, key: bytes) -> bytes | None:
    """Return what another process reads from a store."""
    code = f"from workbench.stores import Embedded; print(Embedded({str(path)!r}).read([{key!r}]))"
    values: list[bytes | None] = eval(program(code))
    return values[0]


def test_stores_of_two_mounts_with_equal_inodes_are_separate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_stat = os.stat

    def stat_with_equal_inodes(path: Any, *arguments: Any, **options: Any) -> os.stat_result:
        fields = list(real_stat(path, *arguments, **options))
        if str(path).startswith(str(tmp_path)):
            number = {"data.mdb": 7, "lock.mdb": 8}.get(os.path.basename(path), 9)
            fields[1], fields[2] = number, 100 + ("second" in str(path))
        return os.stat_result(fields)

    monkeypatch.setattr(os, "stat", stat_with_equal_inodes)
    first, second = Embedded(tmp_path / "first"), Embedded(tmp_path / "second")
    (tmp_path / "first").mkdir()
    (tmp_path / "second").mkdir()
    assert first.write([(b"a", b"1")])
    assert second.read([b"a"]) == [None]
    assert second.write([(b"a", b"2")])
    assert (first.read([b"a"]), second.read([b"a"])) == ([b"1"], [b"2"])


def test_a_deleted_folder_is_made_again_by_the_next_write(tmp_path: Path) -> None:
    path = tmp_path / "store"
    store, other = Embedded(path), Embedded(path)
    assert store.write([(b"a", b"1")])
    assert other.read([b"a"]) == [b"1"]
    shutil.rmtree(path)
    assert not store.write([(b"b", b"2")], expect=(b"a", b"1"))
    assert store.write([(b"b", b"2")])
    assert read_elsewhere(path, b"b") == b"2"
    assert other.write([(b"c", b"3")])
    assert store.read([b"a", b"b", b"c"]) == [None, b"2", b"3"]


def test_a_folder_that_another_process_made_again_is_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store"
    store, reader = Embedded(path), Embedded(path)
    store.write([(b"a", b"old")])
    assert reader.read([b"a"]) == [b"old"]
    path.rename(tmp_path / "gone")
    program(f"from workbench.stores import Embedded; Embedded({str(path)!r}).write([(b'a', b'1')])")
    assert not store.write([(b"b", b"2")], expect=(b"a", b"old"))
    assert store.write([(b"b", b"2")], expect=(b"a", b"1"))
    assert read_elsewhere(path, b"b") == b"2"
    monkeypatch.setattr(files_of, "CHECK_EVERY", 0.0)
    assert reader.read([b"a", b"b"]) == [b"1", b"2"]
    assert read_elsewhere(tmp_path / "gone", b"b") is None


class Deleting(list[Change]):
    """Changes that delete a folder while they are written."""

    folder: Path

    def __iter__(self) -> Iterator[Change]:
        yield from [*super().__iter__()]
        shutil.rmtree(self.folder, ignore_errors=True)


def test_a_write_to_files_that_are_deleted_meanwhile_fails(tmp_path: Path) -> None:
    store = Embedded(tmp_path / "store")
    store.write([(b"a", b"1")])
    changes = Deleting([(b"b", b"2"), (b"c", None)])
    changes.folder = tmp_path / "store"
    with pytest.raises(StoreError, match="was deleted or replaced while it was written to, and"):
        store.write(changes)
    assert store.write([(b"b", b"2")])
    assert read_elsewhere(tmp_path / "store", b"b") == b"2"


def test_stores_share_a_new_lock_after_theirs_was_deleted(tmp_path: Path) -> None:
    store, other = Embedded(tmp_path / "store"), Embedded(tmp_path / "store")
    assert store.write([(b"a", b"1")])
    assert other.write([(b"a", b"2")])
    (tmp_path / "store" / "lock.mdb").unlink()
    assert store.write([(b"a", b"3")], expect=(b"a", b"2"))
    assert other.write([(b"a", b"4")], expect=(b"a", b"3"))
    assert read_elsewhere(tmp_path / "store", b"a") == b"4"


def test_a_read_makes_no_folder(tmp_path: Path) -> None:
    store = Embedded(tmp_path / "typing error")
    assert store.read([b"a", b"b"]) == [None, None]
    assert [*store.scan(b"")] == []
    assert not (tmp_path / "typing error").exists()


def test_a_store_stays_where_it_is_when_the_process_goes_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Embedded("store")
    monkeypatch.chdir("/")
    assert store.write([(b"a", b"1")])
    assert read_elsewhere(tmp_path / "store", b"a") == b"1"


def test_only_its_owner_can_look_into_a_store(tmp_path: Path) -> None:
    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    Embedded(tmp_path / "ours").write([(b"a", b"1")])
    assert mode(tmp_path / "ours") == 0o700
    (tmp_path / "theirs").mkdir(mode=0o755)
    mode_before = mode(tmp_path / "theirs")
    Embedded(tmp_path / "theirs").write([(b"a", b"1")])
    assert mode(tmp_path / "theirs") == mode_before
    for folder in ("ours", "theirs"):
        for name in ("data.mdb", "lock.mdb"):
            assert mode(tmp_path / folder / name) == 0o600


FORKING = """
import os, sys, threading
from workbench.stores import Embedded
store, wrong, done = Embedded({path!r}), [], threading.Event()
store.write([(b"a", b"0"), (b"b", b"0")])

def work(one):
    try:
        while not done.is_set():
            one()
    except BaseException as error:
        wrong.append(error)

def read():
    first, second = store.read([b"a", b"b"])
    assert first is not None and first == second

def write():
    value = os.urandom(4)
    assert store.write([(b"a", value), (b"b", value)])

threads = [threading.Thread(target=work, args=(one,), daemon=True) for one in (read, read, write)]
for thread in threads:
    thread.start()
for number in range(24):
    child = os.fork()
    if not child:
        # A child does not run the cleanup of threads, but that of the interpreter.
        read()
        if number % 4 == 0:
            assert store.write([(b"c", b"1")])
        read()
        os._exit(0) if number % 2 else sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0, number
    read()
done.set()
for thread in threads:
    thread.join()
assert not wrong, wrong
print("right")
"""


def test_processes_that_fork_after_a_read_can_all_read(tmp_path: Path) -> None:
    assert program(FORKING.format(path=str(tmp_path / "store"))) == "right\n"


def filled_store(path: Path, *sizes: int) -> bytes:
    """Make a store in some transactions, and return all pages of its data file."""
    store = Embedded(path)
    generator = random.Random(5)
    for size in sizes:
        store.write([(b"%06d" % generator.randrange(10**6), bytes(size)) for _ in range(200)])
    code = "import lmdb, sys; print(lmdb.open(sys.argv[1]).info()['last_pgno'])"
    run = [sys.executable, "-c", code, str(path)]
    last = int(subprocess.run(run, capture_output=True, check=True).stdout)
    return (path / "data.mdb").read_bytes()[: (last + 1) * 4_096]


READING = """
from workbench.stores import Embedded, StoreError
for number in range({count}):
    store = Embedded({path!r} + f"/{{number}}")
    try:
        found = [pair for some in store.scan(b"0") for pair in some]
        found += store.read([key for key, _ in found])
        print(len(found))
    except StoreError as error:
        print(error)
"""


def test_a_data_file_that_was_cut_is_an_error_and_no_crash(tmp_path: Path) -> None:
    data = filled_store(tmp_path / "whole", 20, 300, 9_000)
    generator = random.Random(3)
    cuts = [1, 100, 4_096, 5_000, 8_192, len(data) // 2, len(data) - 4_096, len(data) - 1]
    cuts += [generator.randrange(8_192, len(data)) for _ in range(12)]
    for number, cut in enumerate(cuts):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "data.mdb").write_bytes(data[:cut])
    lines = program(READING.format(count=len(cuts), path=str(tmp_path))).splitlines()
    assert len(lines) == len(cuts)
    for line in lines:
        assert "is damaged (" in line
        assert "delete the folder, or give an empty one, and upload again." in line


def test_first_pages_that_were_changed_are_an_error_or_harmless(tmp_path: Path) -> None:
    """Any bit may change: of the page size, the root or the last page. If only the number of the
    newest transaction becomes smaller, the transaction before it is read."""
    data, count = filled_store(tmp_path / "whole", 20, 300, 9_000), 150
    filled_store(tmp_path / "undone", 20, 300)
    whole, undone = (
        str(2 * sum(len(some) for some in Embedded(tmp_path / name).scan(b"0")))
        for name in ("whole", "undone")
    )
    generator = random.Random(4)
    for number in range(count):
        changed = bytearray(data)
        place = generator.choice([0, 4_096]) + generator.randrange(152)
        changed[place] ^= 1 << generator.randrange(8)
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "data.mdb").write_bytes(changed)
    lines = program(READING.format(count=count, path=str(tmp_path))).splitlines()
    assert len(lines) == count
    assert sum("is damaged (" in line for line in lines) > 20
    assert {line for line in lines if not line.startswith("store: ")} == {whole, undone}


def test_an_intact_data_file_that_is_shorter_than_it_says_is_read(tmp_path: Path) -> None:
    """Pages at the end which were freed by the transaction that took them are not written."""
    names = [b"%06d" % i for i in range(20)]
    environment = lmdb.open(str(tmp_path), 1 << 30)
    steps: list[list[Change]] = [[(name, bytes(1_000)) for name in names]]
    steps += [[(name, None) for name in names[10:]], [(b"a", b"0")], [(b"a", b"0")]]
    steps += [[(b"z", bytes(100_000)), (b"z", None), (b"a", b"1")]]
    for step in steps:
        with environment.begin(write=True) as transaction:
            for key, value in step:
                transaction.put(key, value) if value else transaction.delete(key)
    needed = (environment.info()["last_pgno"] + 1) * environment.stat()["psize"]
    environment.close()
    assert (tmp_path / "data.mdb").stat().st_size < needed
    store = Embedded(tmp_path)
    assert store.read([b"a"]) == [b"1"]
    # The next write extends it to that length.
    assert store.write([(b"a", b"2")])
    assert (tmp_path / "data.mdb").stat().st_size >= needed
