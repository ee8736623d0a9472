"""The step player in Python: its traits, what it refuses, its page and its still picture."""

import base64
import copy
import gzip
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.errors import WorkbenchError
from workbench.widgets.stepper.player import Player

LESSON: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "data/funnel_lesson.json").read_text("utf-8")
)
LAST = len(LESSON["steps"]) - 1
EMPTY = {"title": "Nothing", "functions": [], "steps": []}


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    lesson = copy.deepcopy(LESSON)
    change(lesson)
    return lesson


def with_value(value: object) -> dict[str, Any]:
    variables = [{"name": "x", "value": value}]
    return changed(lambda lesson: lesson["steps"][0].update(variables=variables))


def lesson_in(page: Path) -> Any:
    """Return the lesson of a page, without its pictures and questions."""
    text = re.search(r'id="lesson">(.*?)</script>', page.read_text("utf-8"), re.DOTALL)
    assert text is not None
    lesson = json.loads(gzip.decompress(base64.b64decode(text[1], validate=True)))
    return {name: part for name, part in lesson.items() if name not in ("pictures", "questions")}


def without_pictures(lesson: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in lesson.items() if name != "pictures"}


@pytest.mark.parametrize(("step", "expected"), [(0, 0), (5, 5), (-3, 0), (1000, LAST)])
def test_a_step_outside_the_lesson_moves_to_its_nearest_end(step: int, expected: int) -> None:
    player = Player(LESSON, step=step)
    assert player.step == expected
    player.step = 2
    player.step = step
    assert player.step == expected


def test_a_shorter_lesson_pulls_the_step_inside() -> None:
    player = Player(LESSON, step=LAST)
    player.lesson = EMPTY
    assert player.step == 0


def test_a_step_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="step: 'two' is not a whole number"):
        Player(LESSON, step="two")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda it: it.pop("title"), "lesson has no 'title'"),
        (lambda it: it.update(steps={}), "lesson: 'steps' is {}; give a list"),
        (lambda it: it["steps"][3].pop("caption"), "step 3 has no 'caption'"),
        (lambda it: it["steps"][3].update(line="4"), "step 3: 'line' is '4'; give a whole number"),
        (lambda it: it["steps"][3].update(line=99), "step 3 is on line 99 of 'window_funnel'"),
        (lambda it: it["steps"][3].update(function="f"), "step 3 is in function 'f'"),
        (lambda it: it["steps"][3]["variables"][0].pop("value"), "variable 'times' has no 'value'"),
        (lambda it: it["functions"][0].pop("source"), "function 0 has no 'source'"),
        (lambda it: it["pictures"][0]["states"].pop(), "picture 0 .timeline. has 13 states for 14"),
        (lambda it: it["pictures"][1].pop("states"), "picture 1 .cells. has no 'states'"),
        (lambda it: it["pictures"][1].update(kind="pie"), "picture 1: 'kind' is 'pie'"),
        (lambda it: it["pictures"][0]["events"][2].update(lane=3), "event 2: 'lane' is 3"),
        (lambda it: it["pictures"][0]["events"][2].pop("at"), "event 2 has no 'at'"),
        (
            lambda it: it["pictures"][0]["states"][4].update(current=9),
            "picture 0 .timeline., state 4: 'current' holds 9; give an index below 9",
        ),
        (
            lambda it: it["pictures"][0]["states"][4].update(chain=[1, "x"]),
            "picture 0 .timeline., state 4: 'chain' holds 'x'",
        ),
        (
            lambda it: it["pictures"][0]["states"][4].update(window={"from": 0}),
            "picture 0 .timeline., state 4, window has no 'to'",
        ),
    ],
)
def test_the_fault_of_an_invalid_lesson_is_named(change: Any, message: str) -> None:
    with pytest.raises(WorkbenchError, match=message):
        Player(changed(change))


def test_a_refused_lesson_leaves_the_player_as_it_was() -> None:
    player = Player(LESSON, step=3)
    with pytest.raises(WorkbenchError):
        player.lesson = {"title": "half"}
    assert player.lesson["title"] == LESSON["title"]
    assert player.step == 3


def test_optional_parts_may_be_left_out() -> None:
    lesson = {
        "title": "bare",
        "functions": [{"name": "f", "source": ["def f():", "    return 1"]}],
        "steps": [{"function": "f", "line": 2, "caption": "One."}],
    }
    assert "One." in Player(lesson)._repr_mimebundle_()[0]["image/svg+xml"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(3), 3),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (np.bool_(True), True),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (2**63, "9223372036854775808"),
        ((1, None), [1, None]),
        (np.datetime64("2013-01-01T10:03"), "2013-01-01 10:03:00"),
    ],
)
def test_values_become_plain_and_exact(value: object, expected: object) -> None:
    assert Player(with_value(value)).lesson["steps"][0]["variables"][0]["value"] == expected


def test_the_page_contains_the_lesson_and_loads_nothing(tmp_path: Path) -> None:
    page = Player(LESSON).to_html(tmp_path / "lesson.html")
    assert page == tmp_path / "lesson.html"
    assert lesson_in(page) == without_pictures(LESSON)
    rest = re.sub(r'id="lesson">.*?</script>', "", page.read_text("utf-8"), flags=re.DOTALL)
    addresses = set(re.findall(r"(?:https?:)?//[\w.]+/[\w./]*", rest))
    assert {item for item in addresses if "w3.org" not in item} == set()
    assert "{{" not in page.read_text("utf-8").split('id="lesson"')[0]


@pytest.mark.parametrize(
    "text", ["</script><b>", "<!--<script>", "a\u2028b", "{{module}} \\1 &amp;"]
)
def test_no_text_breaks_out_of_the_page(text: str, tmp_path: Path) -> None:
    lesson = changed(lambda it: (it.update(title=text), it["steps"][0].update(caption=text)))
    page = Player(lesson).to_html(str(tmp_path / "lesson.html"))
    assert lesson_in(page) == without_pictures(lesson)
    assert page.read_text("utf-8").count("</script>") == 2


def test_characters_that_no_page_can_hold_are_shown_as_symbols(tmp_path: Path) -> None:
    lesson = changed(lambda it: it.update(title="a\x00b\ud800c"))
    page = Player(lesson).to_html(tmp_path / "lesson.html")
    assert lesson_in(page)["title"] == "a␀b\ufffdc"
    assert "<title>a␀b\ufffdc</title>" in page.read_text("utf-8")


def test_a_page_that_cannot_be_written_is_refused_in_one_sentence(tmp_path: Path) -> None:
    player, missing = Player(LESSON), tmp_path / "no such folder"
    with pytest.raises(WorkbenchError, match=r"path: there is no folder '.*no such folder'; make"):
        player.to_html(missing / "lesson.html")
    with pytest.raises(WorkbenchError, match=r"path: '.*' is a folder; name a file in it"):
        player.to_html(tmp_path)
    tmp_path.joinpath("file").touch()
    with pytest.raises(WorkbenchError, match="cannot be written, Not a directory; name another"):
        player.to_html(tmp_path / "file" / "lesson.html")
    with pytest.raises(WorkbenchError, match="cannot be written, embedded null byte; name another"):
        player.to_html(tmp_path / "a\x00b")


def test_a_reader_without_a_kernel_sees_the_current_step() -> None:
    data, _ = Player(LESSON, step=7)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    picture = ElementTree.fromstring(data["image/svg+xml"])
    words = "".join(picture.itertext())
    assert LESSON["steps"][7]["caption"] in words
    assert "continue  #: Second {time} matches no step" in words
    assert all(lane in words for lane in LESSON["pictures"][0]["lanes"])
    assert all(label in words for label in LESSON["pictures"][1]["labels"])


@pytest.mark.parametrize("step", range(LAST + 1))
def test_every_step_has_a_well_formed_still(step: int) -> None:
    ElementTree.fromstring(Player(LESSON, step=step)._repr_mimebundle_()[0]["image/svg+xml"])


def test_a_tree_is_part_of_the_still() -> None:
    nodes = [
        {"id": "0-2", "from": 0, "to": 2, "depth": 0},
        {"id": "0-1", "from": 0, "to": 1, "depth": 1},
    ]
    state = {"values": {"0-2": 12, "0-1": 5}, "lit": ["0-1"], "current": "0-2"}
    tree = {"kind": "tree", "title": "Sums", "nodes": nodes, "states": [state] * (LAST + 1)}
    picture = Player(changed(lambda it: it["pictures"].append(tree)))._repr_mimebundle_()[0]
    words = "".join(ElementTree.fromstring(picture["image/svg+xml"]).itertext())
    assert "▶ 12" in words
    assert "● 5" in words


def test_the_still_shows_the_neighbourhood_of_a_narrow_window() -> None:
    def stretch(lesson: dict[str, Any]) -> None:
        events = lesson["pictures"][0]["events"]
        events.append({"at": 10_000, "lane": 0, "label": "signup", "text": "far away"})

    picture = Player(changed(stretch), step=7)._repr_mimebundle_()[0]["image/svg+xml"]
    abscissas = re.findall(r'translate\(([\d.]+),[\d.]+\)"><(?:circle|path)', picture)
    places = [float(place) for place in abscissas]
    assert len(places) == len(LESSON["pictures"][0]["events"])
    assert max(places) - min(places) > 200


def test_a_lesson_without_steps_says_so() -> None:
    player = Player(EMPTY)
    assert "This lesson has no steps." in player._repr_mimebundle_()[0]["image/svg+xml"]
    assert repr(player) == "Player('Nothing', no steps)"


def test_its_text_is_the_same_in_every_run() -> None:
    assert repr(Player(LESSON, step=LAST)) == (
        "Player('window_funnel on nine events', step 14 of 14: The answer is level 3.)"
    )
