"""Both builds of sqlglot, compiled and plain Python, read text in the same way."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import sqlglot
import sqlglot.parser

#: Ends each answer; no query contains it.
END = "\0"
READ = f"""
import sys
import sqlglot.parser
from workbench.errors import WorkbenchError
from workbench.queries.reading.parsing import emit_of, parse_query
print(sqlglot.parser.__file__, end={END!r})
for line in sys.stdin.read().split({END!r}):
    dialect, text = line.split(":", 1)
    try:
        print(repr(parse_query(text, dialect)), emit_of(text, dialect), end={END!r})
    except WorkbenchError as error:
        print(error, end={END!r})
"""
QUERIES = [
    "risingwave:SELECT count(*) OVER (PARTITION BY p ORDER BY t SESSION WITH GAP INTERVAL '1 hour' "
    "EXCLUDE CURRENT ROW) FROM s EMIT ON WINDOW CLOSE;",
    "risingwave:CREATE MATERIALIZED VIEW v AS SELECT sum(x) OVER (ORDER BY t "
    "SESSION WITH GAP (2 + n)) FROM s",
    "risingwave:SELECT sum(x) OVER (ORDER BY t SESSION WITH GAP) FROM s",
    "duckdb:FROM t SELECT quantile_cont(x, [0.5]) FILTER (WHERE y > z), date_diff('day', a, b), "
    "list_transform(l, x -> 1 + x) QUALIFY rank() OVER (ORDER BY x) = 1",
    "clickhouse:SELECT p, windowFunnel(9)(t, a = 1, b), quantilesExact(0.5, 0.9)(x) FROM s "
    "GROUP BY p LIMIT 2 BY p",
    "clickhouse:WITH 2 AS k SELECT a FROM s ARRAY JOIN l AS v ORDER BY a LIMIT k BY v LIMIT 3",
    "spark:SELECT timestampdiff(DAY, a, b), aggregate(l, 0, (s, x) -> s + x) FROM t",
    "spark:SELECT percentile(x, 0.5, weight) FROM t",
    "postgres:SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x), extract(day FROM t) FROM s",
    "duckdb:SELECT 1, FROM (t",
]


def test_both_builds_of_sqlglot_read_the_same(tmp_path: Path) -> None:
    installed = Path(sqlglot.__file__).parent
    shutil.copytree(installed, tmp_path / "sqlglot", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    compiled, plain = _read(Path.cwd()), _read(tmp_path)
    assert plain[0] == str(tmp_path / "sqlglot" / "parser.py")
    assert compiled[0] == sqlglot.parser.__file__ != str(installed / "parser.py")
    assert len(plain) == len(QUERIES) + 1
    assert compiled[1:] == plain[1:]


def _read(first: Path) -> list[str]:
    path = os.pathsep.join([str(first), str(Path.cwd())])
    done = subprocess.run(
        [sys.executable, "-c", READ],
        input=END.join(QUERIES),
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split(END)[:-1]
