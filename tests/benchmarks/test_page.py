"""The page of the benchmarks' last run."""

from dataclasses import asdict
from pathlib import Path

from benchmarks.measuring.page import write_page
from benchmarks.measuring.report import Result

SLOW = Result("moving <median>", "DuckDB", 2_000_000, "3.00 s", "1.50 s", 2.0, 1.0)
FAST = Result("funnel | cold", "ClickHouse", 5_000_000, "0.50 s", "1.00 s", 0.5, 1.0)
NO_TARGET = Result("kernel alone", "a copy", 5_000_000, "3 GB/s", "30 GB/s", 0.1, None)


def test_the_page_names_the_machine_and_draws_results_that_have_targets(tmp_path: Path) -> None:
    results = {"windows": [SLOW, FAST], "floor": [NO_TARGET]}
    subjects = {
        name: [asdict(one) | {"met": one.met} for one in group] for name, group in results.items()
    }
    run = {"machine": "2 idle cores", "versions": {"Python": "3.11"}, "subjects": subjects}
    run |= {"asked": {"windows": "", "floor": "", "online": ""}, "broken_off": ["online"]}
    write_page(run, tmp_path / "figures.md")
    page = (tmp_path / "figures.md").read_text()
    assert "**Machine.** 2 idle cores" in page
    assert "ended with an error: online." in page
    assert "| moving <median> | DuckDB | 2,000,000 | 3.00 s | 1.50 s | 2.00 x |" in page
    assert r"| funnel \| cold |" in page
    assert "at most 1, missed |" in page
    # The figure precedes the table.
    assert page.index("(figures/windows.svg)") < page.index("| moving <median> |")
    assert "figures/floor.svg" not in page
    drawn = (tmp_path / "figures" / "windows.svg").read_text()
    assert "moving &lt;median&gt; · DuckDB" in drawn
    assert "✕ 2 x" in drawn
    assert "✓ 0.5 x" in drawn
