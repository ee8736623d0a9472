"""The page that an explorer writes: what fits, what it leaves out, and that names stay text."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from workbench.errors import WorkbenchError
from workbench.figures.svg import document, rect
from workbench.markup import Markup, element
from workbench.widgets.sharing.files import csv_of, png_of, write_file
from workbench.widgets.sharing.grid import PageChoice, fit_views
from workbench.widgets.sharing.page import PageView, Shareable, offline_page
from workbench.widgets.sharing.state import parse_state, single_text, state_of
from workbench.widgets.table import DisplayTable

HOSTILE = "</script><script>alert(1)</script>"
DAYS = [(f"{day} days", day) for day in range(1, 31)]


def shareable(picture_bytes: int = 0, label: str = "all") -> Shareable:
    """Return thirty windows by three segments, each with a picture of this size."""
    by = [(label, ""), ("country", "country"), ("device", "device")]
    choices = [PageChoice("within", DAYS, 6, ordered=True), PageChoice("by", by)]

    def draw(at: tuple[int, ...]) -> PageView:
        days, names = DAYS[at[0]][1], by[at[1]][1]
        picture = element("svg", element("title", label), "x" * picture_bytes)
        rows = DisplayTable(pd.DataFrame({"step": [label], "users": [days]}), "")
        state = state_of({"within": f"{days} days", "by": names or []})
        return PageView(state, picture, f"{days} of 9", rows.markup, "wb.x", csv_of(rows.frame))

    return Shareable(f"Steps of {label}", ["9 events"], "funnel", choices, draw)


def test_a_page_has_a_view_for_each_combination_of_choices() -> None:
    page = offline_page(shareable())
    assert page.count("<template>") == 90
    assert 'aria-valuetext="7 days"' in page
    assert page.count('<option value="') == 3
    assert "Left out" not in page
    assert "http://" not in page
    assert "https://" not in page


@pytest.mark.parametrize("most", [60_000, 300_000, 2_000_000])
@pytest.mark.parametrize("label", ["all", "ä<&" * 40])
def test_a_page_is_no_larger_than_it_may_be_and_says_what_was_left_out(
    most: int, label: str
) -> None:
    contents = shareable(30_000, label)
    page = offline_page(contents, most)
    assert len(page.encode()) <= most
    within, by = contents.choices
    assert page.count("<template>") == len(within.included) * len(by.included)
    assert within.left_out
    assert "Left out, as there was no room" in page
    assert within.left_out[0] in page.partition("Left out")[2]
    if most == 2_000_000:
        # The room is used, and options near the first view come before those far from it.
        assert len(page) > 1_600_000
        assert len(by.included) == 3
        assert within.included_in_order == list(
            range(within.included_in_order[0], within.included_in_order[-1] + 1)
        )


def test_when_the_time_is_up_the_rest_is_left_out() -> None:
    page = offline_page(shareable(), seconds=0)
    assert page.count("<template>") == 1
    assert "Left out" in page


def test_a_choice_whose_next_option_does_not_fit_leaves_room_for_others() -> None:
    wide, long = PageChoice("wide", [("1", 1), ("2", 2)]), PageChoice("long", DAYS)
    views = fit_views([wide, long], lambda at: at, lambda at: 90 if at[0] else 1, 30, 9)
    assert (wide.included_in_order, len(long.included_in_order), len(views)) == ([0], 30, 30)


def test_no_name_breaks_out_of_its_place() -> None:
    page = offline_page(shareable(label=HOSTILE))
    assert HOSTILE not in page
    assert page.count("</script>") == 2


def test_a_state_is_read_as_it_was_written() -> None:
    parts = {"step": ["a & b", "c=d#e"], "within": "± 1 day", "by": []}
    state = state_of(parts)
    assert set(state) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789=&%+-._~"
    )
    read = parse_state(f"file:///a/page.html#{state}", ["step", "within", "by"])
    assert read == {"step": ["a & b", "c=d#e"], "within": ["± 1 day"]}
    assert single_text(read, "by", "nothing") == "nothing"


@pytest.mark.parametrize(
    ("state", "sentence"),
    [
        (3, "state: 3 is not text; give what explorer.state returned."),
        ("so", "state: 'so' is not the state of a view; give what explorer.state returned."),
        ("a=1", "state: this explorer has no choice 'a'; it has within, by."),
        ("by=1&by=2", "state: by is given 2 times; give it once."),
    ],
)
def test_an_invalid_state_gets_one_sentence(state: object, sentence: str) -> None:
    with pytest.raises(WorkbenchError) as error:
        single_text(parse_state(state, ["within", "by"]), "by", "")
    assert str(error.value) == sentence


def test_a_picture_becomes_a_png_with_its_words(tmp_path: Path) -> None:
    with_words, without = (
        png_of(document(rect(9, 9, 9, 9) + words, "a", 100, 40))
        for words in (element("text", "words", x=30, y=20), Markup())
    )
    assert with_words.startswith(b"\x89PNG")
    assert with_words != without
    # Twice as many pixels as the picture has: sharp on a screen that has twice as many.
    assert int.from_bytes(with_words[16:20]) == 200
    assert write_file(tmp_path / "a.png", with_words).read_bytes() == with_words


def test_without_a_font_a_png_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.widgets.sharing import files

    files._has_fonts.cache_clear()
    monkeypatch.setitem(
        __import__("sys").modules, "resvg_py", SimpleNamespace(svg_to_bytes=lambda **_: b"blank")
    )
    with pytest.raises(WorkbenchError, match=r"needs a font.*DejaVu Sans, or .*to_svg"):
        png_of(document(Markup(), "a", 10, 10))
    files._has_fonts.cache_clear()


def test_a_file_that_cannot_be_written_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError, match=r"path: there is no folder '.*nowhere'"):
        write_file(tmp_path / "nowhere" / "a.csv", "")
    with pytest.raises(WorkbenchError, match=r"^path: this is a NoneType, not a path; give the "):
        write_file(None, "")  # type: ignore[arg-type]
    with pytest.raises(WorkbenchError, match="is a folder"):
        write_file(tmp_path, "")
