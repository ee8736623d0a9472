"""What is told of the benchmarks' last run."""

from dataclasses import asdict
from pathlib import Path

from benchmarks.measuring.page import write_page
from benchmarks.measuring.report import Result

SLOW = Result("moving <median>", "DuckDB", 2_000_000, "3.00 s", "1.50 s", 2.0, 1.0)
FAST = Result("funnel | cold", "ClickHouse", 5_000_000, "0.50 s", "1.00 s", 0.5, 1.0)
TOLD = Result("kernel alone", "a copy", 5_000_000, "3 GB/s", "30 GB/s", 0.1, None)


def test_a_run_is_told_with_its_machine_and_drawn_where_it_has_goals(tmp_path: Path) -> None:
    lines = {"windows": [SLOW, FAST], "floor": [TOLD]}
    subjects = {
        name: [asdict(one) | {"met": one.met} for one in found] for name, found in lines.items()
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
    # What is seen at once stands in front of what is looked up.
    assert page.index("(figures/windows.svg)") < page.index("| moving <median> |")
    assert "figures/floor.svg" not in page
    drawn = (tmp_path / "figures" / "windows.svg").read_text()
    assert "moving &lt;median&gt; · DuckDB" in drawn
    assert "✕ 2 x" in drawn
    assert "✓ 0.5 x" in drawn
