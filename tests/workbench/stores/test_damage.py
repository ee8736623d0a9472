"""Damaged stores: each fetch has the right answer or says which key is damaged, never a number."""

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
#: One list of words for each key, and words, bytes and events by buckets.
LAYOUTS = {
    "words": layout_of(features()),
    "everything": layout_of(
        features(by=True, calls=[*CALLS[::4], *OF_EVENTS[:9:4], *OF_BYTES[:4:2]])
    ),
}
Damage = Callable[[random.Random, list[bytes]], list[bytes]]


def flipped(drawn: random.Random, values: list[bytes]) -> list[bytes]:
    """Change some bits of the first value."""
    changed = bytearray(values[0])
    for _ in range(drawn.choice([1, 1, 2, 40])):
        changed[drawn.randrange(len(changed))] ^= 1 << drawn.randrange(8)
    return [bytes(changed), values[1]]


def cut(drawn: random.Random, values: list[bytes]) -> list[bytes]:
    """Leave the end of the first value out, perhaps all of it."""
    return [values[0][: drawn.choice([0, 3, drawn.randrange(len(values[0]))])], values[1]]


def lengthened(drawn: random.Random, values: list[bytes]) -> list[bytes]:
    """Put bytes behind the first value, or its own once more."""
    more = drawn.choice([bytes(8), drawn.randbytes(drawn.randint(1, 99)), values[0]])
    return [values[0] + more, values[1]]


def swapped(drawn: random.Random, values: list[bytes]) -> list[bytes]:
    """Give each of two keys the other one's value."""
    return [values[1], values[0]]


def words_of(batch: int) -> list[Row]:
    """The events of a batch, with words and buckets."""
    return [
        row | {"word": f"{'long ' * 9}{row['number']}", "bucket": f"b{row['number'] % 3}"}
        for row in events_of(batch)
    ]


def filled(store: Store, layout: StoreLayout) -> View:
    """A view with an upload, and batches of a stream since."""
    view = View(store, layout)
    view.seen += words_of(0)
    view.upload(0)
    for batch in range(1, 9):
        view.stream(words_of(batch))
    return view


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_a_fetch_of_changed_records_is_right_or_names_the_damaged_key(layout: StoreLayout) -> None:
    store = Memory()
    view, drawn = filled(store, layout), random.Random(2)
    reading = StoreReader(store, layout.backfill)
    whole, errors = fetch_features(reading, KEYS, AT), 0
    right = {key: repr((row, whole.errors.get(key))) for key, row in zip(KEYS, whole, strict=True)}
    records = sorted(set(store.held) - {META})
    for number in range(200):
        damage: Damage = [flipped, cut, lengthened, swapped][number % 4]
        pair = drawn.sample(records, 2)
        values = [store.held[one] for one in pair]
        store.held.update(zip(pair, damage(drawn, values), strict=True))
        changed = {one for one, value in zip(pair, values, strict=True) if store.held[one] != value}
        keys = {one[9:].decode() for one in changed}
        for key in {*(one[9:].decode() for one in pair), "user 1"}:
            try:
                found = fetch_features(reading, [key], AT)
                assert repr((found.rows[0], found.errors.get(key))) == right[key]
                assert key not in keys
            except StoreError as error:
                errors += 1
                said = str(error)
            else:
                continue
            assert f"the record of the key {key!r} in the store in memory is damaged; uploa" in said
            assert key in keys
        store.held.update(zip(pair, values, strict=True))
    assert errors >= 200
    assert view.fetch(KEYS, AT).rows[0] is not None


def test_a_changed_record_of_a_stream_stops_it_and_is_not_merged() -> None:
    store = Memory()
    view, drawn = filled(store, LAYOUTS["words"]), random.Random(3)
    name = min(key for key in store.held if key.startswith(b"s"))
    store.held[name] = flipped(drawn, [store.held[name], b""])[0]
    before = dict(store.held)
    for call in (lambda: view.stream(events_of(9)), lambda: view.fetch(KEYS, AT)):
        with pytest.raises(StoreError, match=r"the record of the key .*user \d+' in the store in"):
            call()
    assert store.held == before


def test_what_a_store_says_of_itself_is_checked() -> None:
    store, drawn = Memory(), random.Random(4)
    view = filled(store, LAYOUTS["words"])
    held, changed = store.held[META], 0
    for number in range(100):
        damage: Damage = [flipped, cut, lengthened, swapped][number % 4]
        store.held[META] = damage(drawn, [held, store.held[min(store.held)]])[0]
        changed += store.held[META] != held
        for call in (lambda: view.fetch(KEYS, AT), lambda: view.stream([]), lambda: view.upload(0)):
            with pytest.raises(StoreError, match=r"store: .*; upload to an empty store\."):
                call()
    assert changed == 100


def test_states_of_another_layout_than_they_say_are_refused() -> None:
    store = Memory()
    view = filled(store, LAYOUTS["words"])
    meta = read_meta(store)[1]
    assert meta is not None
    store.held[META] = meta.but(fingerprint="0" * 16).to_bytes()
    with pytest.raises(StoreError, match="its metadata is damaged; upload to an empty"):
        view.fetch(KEYS, AT)


def test_a_layout_is_written_in_the_names_of_its_format() -> None:
    """What is stored already has them: other names are another format."""
    asked = features(calls=[("avg", ("number",), pa.float64())])
    found = json.loads(json.dumps(layout_of(asked).to_json()))["features"][0]
    options = {"n": 2, "q": [], "single": True, "default": None, "ignore_nulls": False}
    assert found == {
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
    """Whatever wrote them, with a checksum that fits."""
    layout, store, drawn = LAYOUTS["everything"], Memory(), random.Random(5)
    filled(store, layout)
    assert layout.kept_events is not None
    place = len(layout.parts), b""
    names = [one for one in sorted(store.held) if one != META]
    names = [one for one in names if sections_of(layout, store.held[one][:-SIZE]).get(place)]
    refused = []
    for _ in range(150):
        name = drawn.choice(names)
        held = store.held[name]
        parts = sections_of(layout, held[:-SIZE])
        parts[place] = flipped(drawn, [parts[place], b""])[0]
        store.held[name] = with_checksum(name, record_of(layout, parts))
        try:
            fetch_features(StoreReader(store, layout.backfill), [name[9:].decode()], AT)
        except StoreError as error:
            refused.append(str(error))
        store.held[name] = held
    assert len(refused) > 20
    assert {"the events that are kept for a key cannot be read" in one for one in refused} == {True}


READING = """
import pickle
from workbench.online.fetch import StoreReader, fetch_features
from workbench.stores import Embedded, StoreError
with open({path!r} + "/right", "rb") as file:
    layout, keys, right = pickle.load(file)
for number in range({count}):
    reading, said = StoreReader(Embedded({path!r} + f"/{{number}}"), layout.backfill), set()
    for key, row in right.items():
        try:
            found = fetch_features(reading, [key], {at})
            said.add("right" if repr(found.rows[0]) == row else found.errors.get(key, "wrong"))
        except StoreError as error:
            said.add("damaged" if "damaged" in str(error) else str(error))
    print(sorted(said))
"""


def test_changed_pages_of_the_data_file_end_no_process_and_give_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(online_upload, "randbits", lambda count: 1 << 40)
    layout, drawn, count = LAYOUTS["words"], random.Random(6), 60
    view = filled(Embedded(tmp_path / "whole"), layout)
    right = {key: repr(view.fetch([key], AT).rows[0]) for key in KEYS}
    (tmp_path / "right").write_bytes(pickle.dumps((layout, KEYS, right)))
    data = (tmp_path / "whole" / "data.mdb").read_bytes()
    # A record whose key has changed is as good as gone, which nobody can see.
    names = {at for one in re.finditer(rb"[bs].{8}user \d+", data, re.DOTALL) for at in span(one)}
    places = [at for at in range(8_192, len(data)) if at not in names]
    for number in range(count):
        changed = bytearray(data)
        for at in drawn.sample(places, drawn.choice([1, 10, 100])):
            changed[at] = drawn.randrange(256)
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "data.mdb").write_bytes(changed)
    said = program(READING.format(path=str(tmp_path), count=count, at=AT)).splitlines()
    assert len(said) == count
    assert {one for line in said for one in eval(line)} == {"right", "damaged"}


def span(found: re.Match[bytes]) -> range:
    """Where something was found."""
    return range(*found.span())


def emptied(store: Store) -> None:
    """Remove all that a store has."""
    if isinstance(store, Embedded):
        shutil.rmtree(store.path)
    else:
        for found in [*store.scan(b"")]:
            store.write([(key, None) for key, _ in found])


@pytest.mark.parametrize("kind", [Memory, Embedded], ids=["memory", "embedded"])
@pytest.mark.parametrize("another", [False, True], ids=["empty", "with another upload"])
def test_an_upload_whose_store_was_emptied_meanwhile_has_no_success(
    kind: Any, another: bool, tmp_path: Path
) -> None:
    layout = LAYOUTS["words"]
    store: Store = kind(tmp_path / "store") if kind is Embedded else kind()
    generation = reserve(store, layout, 0, 40)
    emptied(store)
    if another:
        filled(store, layout)
    with pytest.raises(StoreError, match="was emptied or replaced while the upload ran; upload ag"):
        switch(store, layout, generation, 0, Written(0, 0, 0, []))


@pytest.mark.parametrize("kind", [Memory, Embedded], ids=["memory", "embedded"])
def test_a_reader_follows_a_store_that_was_emptied_and_uploaded_anew(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.stores.embedded.CHECK_EVERY", 0.0)
    store: Store = kind(tmp_path / "store") if kind is Embedded else kind()
    layout = LAYOUTS["words"]
    view, reading = View(store, layout), StoreReader(store, layout.backfill)
    view.seen = [row for row in events_of(0) if row["k0"]]
    view.upload(0)
    fetch_features(reading, KEYS, AT)
    emptied(store)
    with pytest.raises(
        WorkbenchError, match=r"nothing has been uploaded to the store in .* yet; call"
    ):
        fetch_features(reading, KEYS, AT)
    view.seen = [row for batch in range(6) for row in events_of(batch)]
    view.upload(12)
    own = view.fetch(KEYS, AT)
    assert fetch_features(reading, KEYS, AT).rows == own.rows
    assert own.rows[0] is not None
