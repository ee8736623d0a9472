"""The site, built anew and read from its folder: no server, no kernel, no network."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import kernels
import workbench as wb

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "docs" / "site" / "build.py"
MEGABYTE = 1_000_000
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
GROUND = "getComputedStyle(document.body).backgroundColor"
#: The number of outputs on another ground: in the dark, the theme gives them a light one.
ON_OTHER_GROUND = """[...document.querySelectorAll('.cell_output :is(.text_html, img)')]
  .filter((one) => getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)').length"""
#: A page of each kind.
KINDS = (
    "index.html",
    "algorithms.html",
    "docs/benchmarks.html",
    "docs/notebooks-in-ci.html",
    "notebooks/05-window-tiling.html",
    "docs/architecture.html",
    "docs/decisions/0022-one-visual-layer.html",
    "reference/Funnel.html",
    "reference/kernels.windows.html",
    "_modules/kernels/windows/mode.html",
)

#: What an explorer shows: its pictures, and the texts next to them.
SHOWN = "document.body.innerText + document.body.innerHTML.length"
#: Whether a frame is as high as its content.
IS_AS_HIGH = "([frame, high]) => frame.clientHeight >= high"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site; a broken link or reference would have ended the build."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(BUILD), str(folder / "site"), str(folder / "work")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture
def requests(page: Page) -> Iterator[list[str]]:
    """The addresses that a page requests; an address that is not local fails the test."""
    urls: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    yield urls
    assert [url for url in urls if not url.startswith(("file:", "data:", "blob:", "about:"))] == []


def test_every_page_opens_without_an_error_and_requests_only_local_files(
    site: Path, page: Page, requests: list[str]
) -> None:
    pages = sorted(site.rglob("*.html"))
    # All pages of source are of one form.
    read = [path for path in pages if "_modules" not in path.parts or path.stem == "mode"]
    paths = {str(path.relative_to(site)) for path in read}
    assert paths >= {*KINDS, *(f"notebooks/{one.stem}.html" for one in ROOT.glob("notebooks/*"))}
    for path in read:
        page.goto(path.as_uri())
        assert page.title(), path
    assert len(requests) > len(read)


def test_a_player_steps_without_a_kernel_in_the_theme_of_the_page(
    site: Path, page: Page, requests: list[str]
) -> None:
    page.goto((site / "notebooks" / "05-window-tiling.html").as_uri())
    frame = page.locator("iframe.wb-living").first
    frame.scroll_into_view_if_needed()
    player = frame.content_frame
    place = player.locator(".wbp-position").inner_text()
    player.get_by_role("button", name="Forward").click()
    expect(player.locator(".wbp-position")).not_to_have_text(place)
    high = player.locator("body").evaluate("body => body.getBoundingClientRect().height")
    assert high > 300
    page.wait_for_function(IS_AS_HIGH, arg=[frame.element_handle(), high])
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    expect(player.locator(".wbp")).to_have_css("background-color", "rgb(22, 24, 29)")
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    expect(player.locator(".wbp")).to_have_css("background-color", "rgb(255, 255, 255)")


@pytest.mark.parametrize(
    ("notebook", "title"),
    [
        ("02-windows", "Explorer of wb.Over(order_by=['price']"),
        ("03-segment-tree", "Tree explorer"),
        ("05-window-tiling", "Tile explorer"),
        ("05-window-tiling", "Kinds of window"),
        ("09-funnel-questions", "Explorer of wb.Funnel"),
    ],
)
def test_an_explorer_of_each_kind_answers_a_choice_without_a_kernel(
    site: Path, page: Page, requests: list[str], notebook: str, title: str
) -> None:
    page.goto((site / "notebooks" / f"{notebook}.html").as_uri())
    frame = page.locator(f'iframe.wb-living[title^="{title}"]')
    frame.scroll_into_view_if_needed()
    explorer = frame.element_handle().content_frame()
    assert explorer is not None
    slider = explorer.locator("input[type=range]:visible").last
    slider.wait_for()
    before = explorer.evaluate(SHOWN)
    slider.press("ArrowLeft" if slider.evaluate("one => one.value === one.max") else "ArrowRight")
    explorer.wait_for_function(f"before => {SHOWN} !== before", arg=before)


def test_the_player_on_the_front_page_moves_unless_reduced_motion_is_set(
    site: Path, page: Page, requests: list[str]
) -> None:
    page.goto((site / "index.html").as_uri())
    picture = page.locator("img[src$='player.svg']")
    assert picture.evaluate("one => one.complete && one.naturalWidth") > 0
    page.goto(picture.evaluate("one => one.src"))
    steps = page.locator("g.step")
    seen = "all => all.filter((one) => getComputedStyle(one).visibility === 'visible').length"
    assert steps.evaluate_all(seen) == 1
    page.emulate_media(reduced_motion="reduce")
    assert steps.evaluate_all(seen) == 1
    expect(steps.last).to_have_css("visibility", "visible")


def test_a_lesson_in_the_site_ends_with_questions_that_are_answered_without_a_kernel(
    site: Path, page: Page, requests: list[str]
) -> None:
    page.goto((site / "notebooks" / "03-segment-tree.html").as_uri())
    exercise = page.locator("iframe.wb-living").last
    exercise.scroll_into_view_if_needed()
    player = exercise.content_frame
    expect(player.locator(".wbp[data-mode='lecture'] .wbp-ask")).to_be_visible()
    for _ in range(10):
        player.locator(".wbp").press("n")
        player.locator(".wbp-choice:not([aria-disabled])").first.click()
    expect(player.locator(".wbp-score")).to_contain_text("of 10 right")
    player.get_by_role("button", name="Full screen").click()
    expect(player.locator(".wbp:fullscreen")).to_be_visible()


def test_a_lesson_is_downloaded_as_one_page_that_steps(
    site: Path, page: Page, requests: list[str], tmp_path: Path
) -> None:
    page.goto((site / "notebooks" / "05-window-tiling.html").as_uri())
    address = page.get_by_role("link", name="Take this lesson along").get_attribute("href") or ""
    offered = (site / "notebooks" / address).resolve()
    assert offered.read_text("utf-8") == wb.lesson("05-window-tiling", tmp_path / "a").read_text(
        "utf-8"
    )
    mailed = tmp_path / "mailed.html"
    mailed.write_bytes(offered.read_bytes())
    page.goto(mailed.as_uri())
    player = page.locator("iframe.wb-living").first
    player.scroll_into_view_if_needed()
    place = player.content_frame.locator(".wbp-position")
    before = place.inner_text()
    player.content_frame.get_by_role("button", name="Forward").click()
    expect(place).not_to_have_text(before)


def test_the_search_finds_the_places_of_a_word(site: Path, page: Page, requests: list[str]) -> None:
    page.goto((site / "search.html").as_uri() + "?q=quantile")
    results = page.locator("#search-results li a")
    expect(results.get_by_text("workbench.functions.fn.quantile", exact=True)).to_have_count(1)
    results.get_by_text("kernels.windows.quantile", exact=True).click()
    expect(page.locator("[id='kernels.windows.quantile.walk_quantiles']")).to_be_visible()
    page.goto((site / "search.html").as_uri() + "?q=zyzzogeton")
    expect(page.locator("#search-results")).to_contain_text("did not match any documents")


@pytest.mark.parametrize("name", KINDS)
def test_a_page_fits_a_phone_and_follows_its_dark_mode(
    site: Path, chromium: Browser, name: str
) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, color_scheme="dark")
    page = context.new_page()
    page.goto((site / name).as_uri())
    assert page.evaluate(WIDER) <= 0
    assert page.evaluate(GROUND) == "rgb(20, 24, 30)"
    assert page.evaluate(ON_OTHER_GROUND) == 0
    context.close()


def test_the_reference_shows_signature_parameters_example_and_source(
    site: Path, page: Page
) -> None:
    page.goto((site / "reference" / "quantiles.html").as_uri())
    entry = page.locator("dl.py").first
    expect(entry.locator("dt.sig")).to_contain_text("quantiles(df, columns, q")
    expect(entry.get_by_text("Parameters", exact=False).first).to_be_visible()
    expect(entry.locator(".highlight").first).to_contain_text(">>>")
    entry.locator(".viewcode-link").first.click()
    expect(page.locator("#quantiles.viewcode-block")).to_contain_text("def quantiles(")


def test_the_index_of_algorithms_has_a_line_for_each_kernel(site: Path, page: Page) -> None:
    page.goto((site / "algorithms.html").as_uri())
    rows = page.locator("table.table tbody tr").all_inner_texts()
    cells = [[cell.strip() for cell in row.split("\t")] for row in rows]
    lines = {name.removesuffix("()"): rest for name, *rest in cells}
    assert lines.keys() == kernels.registry.keys()
    for name, (description, cost, users, _) in lines.items():
        assert description.endswith((".", "?")), name
        assert cost.startswith("O("), name
        assert users, name
    # Private names, and those of Python, are the same in many files.
    assert lines["rank"][2] == "engine"
    assert lines["row_bound_each"][2] == "engine, lessons"
    assert lines["build_tree"][1:] == [
        "O(rows · fanout / (fanout - 1))",
        "backfill, engine, lessons",
        "03",
    ]


def test_broken_links_and_remote_files_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<h1 id="top"></h1><a href="#top"></a><a href="#gone"></a><a href="other.html"></a>'
        '<a href="https://duckdb.org"></a><script src="https://cdn.example/x.js"></script>'
    )
    script = "import sys, links, pathlib; print(*links.broken_links(pathlib.Path(sys.argv[1])))"
    command = [sys.executable, "-c", script, str(tmp_path)]
    run = subprocess.run(command, cwd=BUILD.parent, capture_output=True, text=True, check=True)
    assert run.stdout == (
        "page.html: #gone page.html: other.html page.html: https://cdn.example/x.js\n"
    )


def test_a_broken_reference_ends_the_build(tmp_path: Path) -> None:
    """The settings are those of the site, the page is another."""
    (tmp_path / "index.md").write_text(
        "# Title\n\n[a](gone.md), [b](#no-place), {py:func}`kernels.nothing`\n"
    )
    options = ["-W", "--keep-going", "-q", "-c", str(BUILD.parent)]
    command = [sys.executable, "-m", "sphinx", *options, str(tmp_path), str(tmp_path / "made")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    missed = re.findall(r"target not found: '?([^' ]+)", done.stderr)
    assert missed == ["gone.md", "no-place", "kernels.nothing"]


def test_the_site_is_small(site: Path) -> None:
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < 40 * MEGABYTE
