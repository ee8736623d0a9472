"""Damaged stores: each fetch has the right answer or names the damaged key; no number is wrong."""

import json
import pickle
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.workbench.online.cases import (
    CALLS,
    OF_BYTES,
    OF_EVENTS,
    Memory,
    Row,
    View,
    features,
    layout_of,
)
from tests.workbench.stores.test_files import program
from tests.workbench.stores.writer import KEYS, events_of
from workbench.errors import WorkbenchError
from workbench.online import upload as online_upload
from workbench.online.checksums import SIZE, with_checksum
from workbench.online.fetch import StoreReader, fetch_features
from workbench.online.layout import StoreLayout
from workbench.online.meta import FORMAT, META
from workbench.online.records import record_of, sections_of
from workbench.online.upload import read_meta, reserve, switch
from workbench.online.worker import Written
from workbench.stores import Store, StoreError
from workbench.stores.embedded import Embedded

AT = 20
#: States of words for each key; and states of words, of bytes and of events by buckets.
LAYOUTS = {
    "words": layout_of(features()),
    "everything": layout_of(
        features(by=True, calls=[*CALLS[::4], *OF_EVENTS[:9:4], *OF_BYTES[:4:2]])
    ),
}
Damage = Callable[[random.Random, list[bytes]], list[bytes]]


def flipped(generator: random.Random, values: list[bytes]) -> list[bytes]:
    """Change some bits of the first value."""
    changed = bytearray(values[0])
    for _ in range(generator.choice([1, 1, 2, 40])):
        changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
    return [bytes(changed), values[1]]


def cut(generator: random.Random, values: list[bytes]) -> list[bytes]:
    """Leave the end of the first value out, perhaps all of it."""
    return [values[0][: generator.choice([0, 3, generator.randrange(len(values[0]))])], values[1]]


def lengthened(generator: random.Random, values: list[bytes]) -> list[bytes]:
    """Append bytes to the first value, or the value itself."""
    more = generator.choice([bytes(8), generator.randbytes(generator.randint(1, 99)), values[0]])
    return [values[0] + more, values[1]]


def swapped(generator: random.Random, values: list[bytes]) -> list[bytes]:
    """Give each of two keys the other one's value."""
    return [values[1], values[0]]


def words_of(batch: int) -> list[Row]:
    """Return the events of a batch, with words and buckets."""
    return [
        row | {"word": f"{'long ' * 9}{row['number']}", "bucket": f"b{row['number'] % 3}"}
        for row in events_of(batch)
    ]


def filled_view(store: Store, layout: StoreLayout) -> View:
    """Return a view with an upload, and batches of a stream since."""
    view = View(store, layout)
    view.seen += words_of(0)
    view.upload(0)
    for batch in range(1, 9):
        view.stream(words_of(batch))
    return view


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_fetch_of_changed_records_is_right_or_names_the_damaged_key(layout: StoreLayout) -> None:
    store = Memory()
    view, generator = filled_view(store, layout), random.Random(2)
    reader = StoreReader(store, layout.backfill)
    whole, errors = fetch_features(reader, KEYS, AT), 0
    right = {key: repr((row, whole.errors.get(key))) for key, row in zip(KEYS, whole, strict=True)}
    records = sorted(set(store.held) - {META})
    for number in range(200):
        damage: Damage = [flipped, cut, lengthened, swapped][number % 4]
        pair = generator.sample(records, 2)
        values = [store.held[one] for one in pair]
        store.held.update(zip(pair, damage(generator, values), strict=True))
        changed = {one for one, value in zip(pair, values, strict=True) if store.held[one] != value}
        keys = {one[9:].decode() for one in changed}
        for key in {*(one[9:].decode() for one in pair), "user 1"}:
            try:
                fetched = fetch_features(reader, [key], AT)
                assert repr((fetched.rows[0], fetched.errors.get(key))) == right[key]
                assert key not in keys
            except StoreError as error:
                errors += 1
                message = str(error)
            else:
                continue
            damaged = f"the record of the key {key!r} in the store in memory is damaged; uploa"
            assert damaged in message
            assert key in keys
        store.held.update(zip(pair, values, strict=True))
    assert errors >= 200
    assert view.fetch(KEYS, AT).rows[0] is not None


def test_a_changed_record_of_a_stream_stops_it_and_is_not_merged() -> None:
    store = Memory()
    view, generator = filled_view(store, LAYOUTS["words"]), random.Random(3)
    name = min(key for key in store.held if key.startswith(b"s"))
    store.held[name] = flipped(generator, [store.held[name], b""])[0]
    before = dict(store.held)
    for call in (lambda: view.stream(events_of(9)), lambda: view.fetch(KEYS, AT)):
        with pytest.raises(StoreError, match=r"the record of the key .*user \d+' in the store in"):
            call()
    assert store.held == before


def test_the_metadata_of_a_store_are_checked() -> None:
    store, generator = Memory(), random.Random(4)
    view = filled_view(store, LAYOUTS["words"])
    metadata, changed = store.held[META], 0
    for number in range(100):
        damage: Damage = [flipped, cut, lengthened, swapped][number % 4]
        store.held[META] = damage(generator, [metadata, store.held[min(store.held)]])[0]
        changed += store.held[META] != metadata
        for call in (lambda: view.fetch(KEYS, AT), lambda: view.stream([]), lambda: view.upload(0)):
            with pytest.raises(StoreError, match=r"store: .*; upload to an empty store\."):
                call()
    assert changed == 100


def test_a_layout_that_does_not_fit_its_fingerprint_is_refused() -> None:
    store = Memory()
    view = filled_view(store, LAYOUTS["words"])
    meta = read_meta(store)[1]
    assert meta is not None
    store.held[META] = meta.but(fingerprint="0" * 16).to_bytes()
    with pytest.raises(StoreError, match="its metadata is damaged; upload to an empty"):
        view.fetch(KEYS, AT)


def test_a_layout_is_written_in_the_names_of_its_format() -> None:
    """Stored layouts have these names, so other names need another format."""
    average = features(calls=[("avg", ("number",), pa.float64())])
    feature = json.loads(json.dumps(layout_of(average).to_json()))["features"][0]
    options = {"n": 2, "q": [], "single": True, "default": None, "ignore_nulls": False}
    assert feature == {
        "column": "avg_0_9_4", "function": "avg", "arguments": ["number"],
        "options": {**options, "distinct": False, "separator": ","},
        "frame": {"window": 9, "hop": 4, "last_hop": 1, "ahead": 0},
        "where": None, "default": None, "order": [], "each": None, "by": None,
    }  # fmt: skip
    assert FORMAT == 2


def test_a_store_of_the_version_before_is_refused() -> None:
    store = Memory()
    view = View(store, LAYOUTS["words"])
    store.held[META] = b'{"layout":{},"fingerprint":"","lasting":40,"generation":1,"format":1}'
    for call in (lambda: view.fetch(KEYS, AT), lambda: view.upload(0)):
        with pytest.raises(
            StoreError, match="of version 1, and this is version 2; upload to an em"
        ):
            call()


def test_events_that_cannot_be_read_are_one_sentence() -> None:
    """Even with a right checksum, whatever program wrote them."""
    layout, store, generator = LAYOUTS["everything"], Memory(), random.Random(5)
    filled_view(store, layout)
    assert layout.kept_events is not None
    place = len(layout.parts), b""
    names = [one for one in sorted(store.held) if one != META]
    names = [one for one in names if sections_of(layout, store.held[one][:-SIZE]).get(place)]
    refused = []
    for _ in range(150):
        name = generator.choice(names)
        record = store.held[name]
        sections = sections_of(layout, record[:-SIZE])
        sections[place] = flipped(generator, [sections[place], b""])[0]
        store.held[name] = with_checksum(name, record_of(layout, sections))
        try:
            fetch_features(StoreReader(store, layout.backfill), [name[9:].decode()], AT)
        except StoreError as error:
            refused.append(str(error))
        store.held[name] = record
    assert len(refused) > 20
    assert {"the events that are kept for a key cannot be read" in one for one in refused} == {True}


READING = """
import pickle
from workbench.online.fetch import StoreReader, fetch_features
from workbench.stores import Embedded, StoreError
with open({path!r} + "/right", "rb") as file:
    layout, keys, right = pickle.load(file)
for number in range({count}):
    reader, outcomes = StoreReader(Embedded({path!r} + f"/{{number}}"), layout.backfill), set()
    for key, row in right.items():
        try:
            fetched = fetch_features(reader, [key], {at})
            right_row = repr(fetched.rows[0]) == row
            outcomes.add("right" if right_row else fetched.errors.get(key, "wrong"))
        except StoreError as error:
            outcomes.add("damaged" if "damaged" in str(error) else str(error))
    print(sorted(outcomes))
"""


def test_changed_pages_of_the_data_file_end_no_process_and_give_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(online_upload, "randbits", lambda count: 1 << 40)
    layout, generator, count = LAYOUTS["words"], random.Random(6), 60
    view = filled_view(Embedded(tmp_path / "whole"), layout)
    right = {key: repr(view.fetch([key], AT).rows[0]) for key in KEYS}
    (tmp_path / "right").write_bytes(pickle.dumps((layout, KEYS, right)))
    data = (tmp_path / "whole" / "data.mdb").read_bytes()
    # A record whose key has changed is missing, which no reader can notice.
    names = {at for one in re.finditer(rb"[bs].{8}user \d+", data, re.DOTALL) for at in span(one)}
    places = [at for at in range(8_192, len(data)) if at not in names]
    for number in range(count):
        changed = bytearray(data)
        for at in generator.sample(places, generator.choice([1, 10, 100])):
            changed[at] = generator.randrange(256)
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "data.mdb").write_bytes(changed)
    lines = program(READING.format(path=str(tmp_path), count=count, at=AT)).splitlines()
    assert len(lines) == count
    assert {one for line in lines for one in eval(line)} == {"right", "damaged"}


def span(match: re.Match[bytes]) -> range:
    """Return the places of a match."""
    return range(*match.span())


def remove_all(store: Store) -> None:
    """Remove everything from a store."""
    if isinstance(store, Embedded):
        shutil.rmtree(store.path)
    else:
        for records in [*store.scan(b"")]:
            store.write([(key, None) for key, _ in records])


@pytest.mark.parametrize("kind", [Memory, Embedded], ids=["memory", "embedded"])
@pytest.mark.parametrize("another", [False, True], ids=["empty", "with another upload"])
def test_an_upload_whose_store_was_emptied_meanwhile_fails(
    kind: Any, another: bool, tmp_path: Path
) -> None:
    layout = LAYOUTS["words"]
    store: Store = kind(tmp_path / "store") if kind is Embedded else kind()
    generation = reserve(store, layout, 0, 40)
    remove_all(store)
    if another:
        filled_view(store, layout)
    with pytest.raises(StoreError, match="was emptied or replaced while the upload ran; upload ag"):
        switch(store, layout, generation, 0, Written(0, 0, 0, []))


@pytest.mark.parametrize("kind", [Memory, Embedded], ids=["memory", "embedded"])
def test_a_reader_follows_a_store_that_was_emptied_and_uploaded_anew(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.stores.embedded.CHECK_EVERY", 0.0)
    store: Store = kind(tmp_path / "store") if kind is Embedded else kind()
    layout = LAYOUTS["words"]
    view, reader = View(store, layout), StoreReader(store, layout.backfill)
    view.seen = [row for row in events_of(0) if row["k0"]]
    view.upload(0)
    fetch_features(reader, KEYS, AT)
    remove_all(store)
    with pytest.raises(
        WorkbenchError, match=r"nothing has been uploaded to the store in .* yet; call"
    ):
        fetch_features(reader, KEYS, AT)
    view.seen = [row for batch in range(6) for row in events_of(batch)]
    view.upload(12)
    fetched = view.fetch(KEYS, AT)
    assert fetch_features(reader, KEYS, AT).rows == fetched.rows
    assert fetched.rows[0] is not None
