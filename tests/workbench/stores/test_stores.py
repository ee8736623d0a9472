"""The stores: one interface, LMDB in a folder and a real Redis, and writers that are killed."""

import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

import workbench as wb
from tests.workbench.online.cases import View, agree, expected, features, layout_of
from tests.workbench.stores.writer import events_of, serving
from workbench.columnar.blocks import TIME
from workbench.errors import WorkbenchError, WorkbenchWarning
from workbench.online.fetch import StoreReader, fetch_features
from workbench.online.meta import META
from workbench.stores import Store, StoreError, store_of
from workbench.stores.embedded import Embedded
from workbench.stores.remote import Redis

ROOT = Path(__file__).parents[3]


def provide_redis() -> str:
    """Return the path of redis-server, after installing it if possible; fail if not."""
    if not (path := shutil.which("redis-server")):
        command = [sys.executable, str(ROOT / "tools" / "redis_server.py")]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        if outcome.returncode:
            pytest.fail(outcome.stderr)
        path = shutil.which("redis-server")
    assert path
    return path


def free_url() -> str:
    """Return the URL of a Redis on an unused port of loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"redis://127.0.0.1:{free.getsockname()[1]}/0"


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a Redis for the tests of this module."""
    url, folder = free_url(), tmp_path_factory.mktemp("redis")
    with serving(provide_redis(), url, str(folder), "--save", ""):
        yield url


@pytest.fixture(params=["embedded", "redis"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """Each store, empty."""
    if request.param == "embedded":
        return Embedded(tmp_path / "store")
    return Redis(request.getfixturevalue("redis_url"), name=tmp_path.name)


def test_a_store_changes_all_or_nothing(store: Store) -> None:
    assert store.read([]) == []
    assert store.write([])
    assert store.write([(b"a", b"1"), (b"b", b""), (b"c", b"3")])
    assert store.read([b"c", b"x", b"b"]) == [b"3", None, b""]
    assert not store.write([(b"a", None)], expect=(b"c", b"4"))
    assert not store.write([(b"a", None)], expect=(b"x", b""))
    assert store.write([(b"a", None), (b"a", b"2"), (b"c", None)], expect=(b"x", None))
    assert store.read([b"a", b"c"]) == [b"2", None]
    store.write([(b"p*" + bytes([i]), bytes([i])) for i in range(25)] + [(b"pa", b"")])
    pairs = [pair for some in store.scan(b"p*", size=10) for pair in some]
    assert sorted(pairs) == [(b"p*" + bytes([i]), bytes([i])) for i in range(25)]
    assert [*store.scan(b"zz")] == []


def test_a_fetch_from_each_store_agrees_with_a_backfill(store: Store) -> None:
    view = View(store, layout_of(features(by=True)))
    view.seen += events_of(0)
    view.upload(0)
    for batch in range(1, 9):
        view.stream(events_of(batch))
        if batch % 4 == 0:
            view.upload(12)
    keys, at = sorted({row["k0"] for row in view.known}), 20
    fetched, answers = view.fetch(keys, at), expected(view.layout, view.known, keys, at)
    assert not fetched.errors
    for row, answer in zip(fetched, answers, strict=True):
        assert row is not None
        assert {n: row[n] for n in answer if not agree(row[n], answer[n])} == {}


def test_stores_of_one_redis_leave_each_other_alone(redis_url: str, tmp_path: Path) -> None:
    """The name of one begins with the other's, and the URL has options of other programs."""
    url, layout = f"{redis_url}?decode_responses=True&retry=1", layout_of(features()[:2])
    names = f"{tmp_path.name}:sales", tmp_path.name
    views = [View(Redis(url, name=name), layout, seen=events_of(0)) for name in names]
    for view in views:
        view.upload(0)
        view.stream(events_of(1))
    for view in views:
        view.upload(0)
        answers = expected(layout, view.known, ["user 1", "user 2"], 20)
        assert [*view.fetch(["user 1", "user 2"], 20)] == answers


def test_a_changed_record_of_each_store_is_an_error_that_names_its_key(store: Store) -> None:
    view = View(store, layout_of(features()))
    view.seen += events_of(0)
    view.upload(0)
    view.stream(events_of(1))
    whole = view.fetch(["user 1", "user 2"], 20)
    records = [pair for kind in (b"b", b"s") for some in store.scan(kind) for pair in some]
    for name, value in records:
        if name.endswith(b"user 1"):
            store.write([(name, value[:40] + bytes([value[40] ^ 4]) + value[41:])])
            with pytest.raises(StoreError, match=r"the record of the key 'user 1' in .* damaged"):
                view.fetch(["user 2", "user 1"], 20)
            assert view.fetch(["user 2"], 20).rows == whole.rows[1:]
            store.write([(name, value)])
    assert view.fetch(["user 1", "user 2"], 20).rows == whole.rows


def test_readers_see_one_upload_or_the_next_while_it_is_replaced(store: Store) -> None:
    view = View(store, layout_of(features()))
    keys = [f"user {i}" for i in range(10)]
    rows = [events_of(batch) for batch in range(6)]
    view.seen += rows[0]
    view.upload(12)
    store_reader = StoreReader(store, view.layout.backfill)
    wrong, counts_read, done = [], set(), threading.Event()
    # As many events in each key as there were uploads, all at the same time.
    name = "count_0_30_6"

    def read() -> None:
        while not done.is_set():
            counts = {row[name] if row else 0 for row in fetch_features(store_reader, keys, 20)}
            counts_read.update(counts)
            wrong.extend([counts] if len(counts) > 1 else [])

    view.seen = [row | {"k0": key, TIME: 11} for key in keys for row in rows[0][:1]]
    view.upload(12)
    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(30):
        view.seen += [row | {"k0": key, TIME: 11} for key in keys for row in rows[0][:1]]
        view.upload(12)
    done.set()
    reader.join()
    assert not wrong
    assert len(counts_read) > 1


def rounds_of(*arguments: str) -> list[str]:
    """Run the program that kills writers or servers, and return the line of each round."""
    program = [sys.executable, "-m", "tests.workbench.stores.writer", *arguments]
    completed = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout.splitlines()


@pytest.mark.parametrize("kind", ["embedded", "redis"])
def test_a_writer_that_is_killed_leaves_no_wrong_number(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    redis = kind == "redis"
    place = f"{request.getfixturevalue('redis_url')[:-1]}1" if redis else str(tmp_path / "s")
    rounds = rounds_of(place, "16", "7")
    assert len(rounds) == 16
    # The writer must have applied batches, or the test shows nothing.
    ends = {line.partition(": ")[0] for line in rounds if line.startswith("batch")}
    assert len(ends) > 6


def test_a_redis_that_is_killed_and_comes_back_has_no_wrong_number(tmp_path: Path) -> None:
    rounds = rounds_of(free_url(), "8", "3", provide_redis(), str(tmp_path))
    assert len(rounds) == 9
    assert len({line.partition(": ")[0] for line in rounds if line.startswith("batch")}) > 4


def test_a_redis_that_lost_its_data_is_a_clear_error(tmp_path: Path) -> None:
    url, keys = free_url(), [f"user {i}" for i in range(10)]
    view = View(store_of(url), layout_of(features()))
    reader = StoreReader(view.store, view.layout.backfill)

    def check_answers() -> None:
        at = max(row[TIME] + 1 for row in view.known)
        fetched, answers = (
            fetch_features(reader, keys, at),
            expected(view.layout, view.known, keys, at),
        )
        for row, answer in zip(fetched, answers, strict=True):
            assert row is not None
            assert {n: row[n] for n in answer if not agree(row[n], answer[n])} == {}

    with serving(provide_redis(), url, str(tmp_path), "--save", ""):
        view.seen += events_of(0)
        view.upload(0)
        view.stream(events_of(1))
        Redis(url)._open().save()
        saved_events = list(view.streamed)
        view.stream(events_of(2))
        check_answers()
    for call in (check_answers, lambda: view.stream([]), lambda: view.upload(0)):
        with pytest.raises(
            StoreError, match=r"the Redis at redis://127.* does not answer .*; start it"
        ):
            call()
    view.batch = 1
    with serving(provide_redis(), url, str(tmp_path), "--save", ""):
        # Its saved state is right for one instant; the stream does not silently go on.
        view.streamed = saved_events
        check_answers()
        with pytest.raises(WorkbenchError, match="its next batch is 2, but the store's newest"):
            view.stream([])
    (tmp_path / "dump.rdb").unlink()
    no_upload = pytest.raises(
        WorkbenchError, match=r"nothing has been uploaded to the Redis at .* yet"
    )
    with serving(provide_redis(), url, str(tmp_path), "--save", ""), no_upload:
        check_answers()


def test_a_redis_that_hangs_does_not_answer(tmp_path: Path) -> None:
    url = free_url()
    store = Redis(url, timeout=0.2)
    with serving(provide_redis(), url, str(tmp_path), "--save", "") as server:
        assert store.write([(b"a", b"1")])
        server.send_signal(signal.SIGSTOP)
        start = time.perf_counter()
        with pytest.raises(StoreError, match="does not answer"):
            store.read([b"a"])
        with pytest.raises(StoreError, match="does not answer"):
            store.write([(b"a", b"2")])
        assert time.perf_counter() - start < 5
        server.send_signal(signal.SIGCONT)
        assert store.read([b"a"])[0] in (b"1", b"2")


def test_a_store_that_cannot_be_used_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match=r"store: the store in .*file cannot be used"):
        Embedded(tmp_path / "file").read([META])
    with pytest.raises(StoreError, match=r"the Redis at redis://127\.0\.0\.1:1/0 does not answer"):
        Redis("redis://user:secret@127.0.0.1:1/0".replace("user:secret@", "")).read([META])
    with pytest.raises(StoreError, match=r"does not answer .* start it") as error:
        Redis("redis://user:secret@127.0.0.1:1/0").write([(b"a", b"1")])
    assert "secret" not in str(error.value)
    small = Embedded(tmp_path / "small", most_bytes=100_000)
    with pytest.raises(StoreError, match="is full at 100,000 bytes; give it more"):
        small.write([(b"a", bytes(1_000_000))])
    with pytest.raises(
        WorkbenchError, match="store: 7 is not a store; give a folder, a URL such as"
    ):
        store_of(7)  # type: ignore[arg-type]
    for what in (EveryName(), Embedded):
        with pytest.raises(WorkbenchError, match="is not a store; give a folder, a URL such as"):
            store_of(what)  # type: ignore[arg-type]


class EveryName:
    """Has an attribute of every name, as a Column has."""

    def __getattr__(self, name: str) -> "EveryName":
        return self


def test_a_store_of_something_else_is_refused(store: Store) -> None:
    view = View(store, layout_of(features()))
    store.write([(META, b"not mine")])
    with pytest.raises(
        WorkbenchError,
        match="holds something else, or its metadata is damaged; upload to an empty",
    ):
        view.fetch(["a"], 0)
    store.write([(META, b'{"format": 99}')])
    for call in (lambda: view.fetch(["a"], 0), lambda: view.upload(0), lambda: view.stream([])):
        with pytest.raises(WorkbenchError, match="has states of version 99, and this is version 2"):
            call()


def configured(url: str, *options: str) -> Redis:
    """Return a store in a Redis, after changing settings of the Redis."""
    store = Redis(url)
    for name, value in zip(options[::2], options[1::2], strict=True):
        store._open().config_set(name, value)
    return store


@pytest.fixture
def configurable_url(tmp_path: Path) -> Iterator[str]:
    """Run a Redis whose settings a test may change."""
    url = free_url()
    with serving(provide_redis(), url, str(tmp_path), "--save", ""):
        yield url


def test_a_redis_that_drops_keys_when_it_is_full_is_refused(configurable_url: str) -> None:
    view = View(configured(configurable_url), layout_of(features()))
    view.seen += events_of(0)
    view.upload(0)
    for policy in ("allkeys-lru", "volatile-ttl"):
        configured(configurable_url, "maxmemory-policy", policy)
        for call in (lambda: view.upload(0), lambda: view.stream(events_of(1), 0)):
            with pytest.raises(StoreError, match=f"its maxmemory-policy is {policy}; set it to no"):
                call()
    configured(configurable_url, "maxmemory-policy", "noeviction")
    assert view.stream(events_of(1), 0).streamed


def test_a_redis_whose_user_may_not_read_the_policy_is_warned_of(configurable_url: str) -> None:
    client = configured(configurable_url, "maxmemory-policy", "allkeys-lru")._open()
    for name, commands in {
        "ann": ["+@all", "-info", "-config"],
        "bob": ["+@all", "-config"],
    }.items():
        client.acl_setuser(name, True, passwords=["+secret"], keys=["*"], commands=commands)
    ann, bob = (
        Redis(configurable_url.replace("//", f"//{name}:secret@")) for name in ("ann", "bob")
    )
    with pytest.warns(WorkbenchWarning, match="does not say what it does when it is full; make"):
        assert ann.write([(b"a", b"1")])
    # One warning is enough.
    assert ann.write([(b"a", b"1")])
    with pytest.raises(StoreError, match="its maxmemory-policy is allkeys-lru"):
        bob.write([(b"a", b"1")])


def test_a_full_redis_is_an_error_and_continues_to_serve(configurable_url: str) -> None:
    view = View(Redis(configurable_url), layout_of(features()))
    view.seen += events_of(0)
    view.upload(0)
    before = view.fetch(["user 1"], 3)
    configured(configurable_url, "maxmemory", "1mb")
    for call in (lambda: view.upload(0), lambda: view.stream(events_of(1), 0)):
        with pytest.raises(StoreError, match=r"the Redis at redis://.* is full; give it more memo"):
            call()
    assert view.fetch(["user 1"], 3).rows == before.rows
    configured(configurable_url, "maxmemory", "0")
    view.upload(0)


PASSWORDS = [
    "redis://ann:secret@127.0.0.1:1/0",
    "redis://:secret@127.0.0.1:1/0",
    "redis://127.0.0.1:1/0?username=ann&password=secret",
    "redis://ann:sec/secret@127.0.0.1:1/0",
    "redis://ann:sec?secret@127.0.0.1:1/0",
    "redis://ann:sec#secret@127.0.0.1:1/0",
    "redis://ann:sec@secret@127.0.0.1:1/0",
    "redis://ann:[secret@127.0.0.1:1/0",
    "rediss://127.0.0.1:1/0?password=a@secret",
    "unix:///tmp/no.sock?password=secret",
    "unix://ann:secret@/tmp/no.sock",
]


@pytest.mark.parametrize("url", PASSWORDS)
def test_a_password_of_a_redis_is_shown_nowhere(url: str) -> None:
    backfill = wb.Backfill("user", "at", wb.Aggregation("count", windows="5 hours"))
    view = wb.OnlineView(backfill, url)
    calls = [lambda: view.fetch("a"), lambda: view.store.write([]), view.status]
    texts = [repr(view), repr(view.store), view.store.place]
    for call in calls:
        with pytest.raises(StoreError) as error:
            call()
        texts += ["".join(traceback.format_exception(error.value))]
    assert [one for one in texts if "secret" in one] == []


def test_a_password_that_a_server_repeats_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise redis.ResponseError("unknown command, with args beginning with: 'ann' 'secret'")

    monkeypatch.setattr(redis.Redis, "mget", refuse)
    with pytest.raises(StoreError, match=r"refuses \(.*with args beginning with: 'ann' '...'\)"):
        Redis("redis://ann:secret@127.0.0.1:1/0").read([b"a"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((None,), "url: a NoneType is not the URL of a Redis; write it as 'redis://user:pass"),
        (
            ("ann:secret@host",),
            "url: this is not the URL of a Redis; write it as 'redis://user:pass",
        ),
        (
            ("redis://host:6379/features",),
            "url: 'features' is not a database of redis://host:6379/fe",
        ),
        (("redis://host", 5), "name: 5 is not text; give what the store's keys begin with"),
        (("redis://host", "\ud800"), "name: .* has half of a character"),
        *(
            (("redis://host", "name", timeout), "timeout: .* give a number of seconds above 0")
            for timeout in (0, -1, "x", None, float("nan"), float("inf"))
        ),
    ],
)
def test_invalid_arguments_of_a_redis_are_one_sentence(arguments: Any, sentence: str) -> None:
    with pytest.raises(WorkbenchError, match=sentence) as refused:
        Redis(*arguments)
    assert "secret" not in str(refused.value)


def test_a_url_with_one_slash_or_an_unknown_option_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="url: this is not the URL of a Redis"):
        store_of("redis:/ann:secret@host")
    for option in ("nix=1", "protocol=7"):
        unreadable = r"the URL of the Redis at redis://host cannot be read"
        with pytest.raises(StoreError, match=unreadable):
            Redis(f"redis://host?{option}").read([b"a"])


def test_a_url_of_something_else_is_refused_without_its_password() -> None:
    with pytest.raises(
        WorkbenchError, match="store: a URL with 'postgres' is not the URL of a store"
    ) as e:
        store_of("postgres://ann:secret@host/0")
    assert "secret" not in str(e.value)
