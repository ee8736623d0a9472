"""Ask all questions in all sessions, and say which answers differ: `python -m tests.matrix`."""

import sys
import time
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

import workbench as wb
from tests.clusters import NO_CALL_SITES, ON_SPARK, ConnectServer, OwnSession
from tests.matrix.questions import QUESTIONS, Answer, ask, differing
from tests.matrix.sessions import SESSIONS, TOGETHER, Session
from tests.matrix.tables import write_tables

EVERY = SESSIONS | TOGETHER


def main(arguments: list[str] | None = None) -> int:
    """Ask in the sessions of the given names, or in all; 1 if anything differs."""
    parser = ArgumentParser(prog="python -m tests.matrix", description=__doc__.split(":")[0])
    parser.add_argument("sessions", nargs="*", help=f"of {', '.join(EVERY)}; without any, all")
    parser.add_argument("--questions", nargs="*", help=f"of {', '.join(QUESTIONS)}")
    asked = parser.parse_args(arguments)
    for given, known, kind in (
        (asked.sessions, EVERY, "sessions"),
        (asked.questions or [], QUESTIONS, "questions"),
    ):
        if wrong := [one for one in given if one not in known]:
            parser.error(f"{kind}: {wrong[0]!r} is not known; give some of {', '.join(known)}.")
    names = list(asked.questions or QUESTIONS)
    files = Path(mkdtemp(prefix="matrix-tables-"))
    write_tables(files)
    spark = wb.session({"spark.master": "local[2]", **NO_CALL_SITES, **ON_SPARK})
    expected, different = ask(spark, files, names), 0
    for name in asked.sessions or EVERY:
        start = time.monotonic()
        found = _asked(EVERY[name], files, names)
        differ = differing(found, expected)
        print(f"{name}: {len(names) - len(differ)} of {len(names)} answers are the same", end=" ")
        print(f"({time.monotonic() - start:.0f} s)", flush=True)
        for line in differ:
            print(f"    {line}", flush=True)
        different += len(differ)
    print(f"{different} answers differ")
    return int(bool(different))


def _asked(session: Session, files: Path, names: list[str]) -> dict[str, Answer]:
    with ExitStack() as stack:
        folder = Path(mkdtemp(prefix="matrix-server-"))
        if session.connect:
            server = stack.enter_context(ConnectServer(Path(sys.executable), folder))
            found = server.run(ask, files, names, session.conf | ON_SPARK, session.source)
        elif session.static:
            own = stack.enter_context(OwnSession(Path(sys.executable), folder, session.static))
            found = own.run(ask, files, names, session.conf | ON_SPARK, session.source)
        else:
            found = ask(wb.session(), files, names, session.conf | ON_SPARK, session.source)
    return dict(found)


if __name__ == "__main__":
    sys.exit(main())
