"""Ask all questions in all sessions, and print which answers differ: `python -m tests.matrix`."""

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
    """Ask in the sessions of some names, or in all; return 1 if an answer differs."""
    parser = ArgumentParser(prog="python -m tests.matrix", description=__doc__.split(":")[0])
    parser.add_argument("sessions", nargs="*", help=f"of {', '.join(EVERY)}; all if none is given")
    parser.add_argument("--questions", nargs="*", help=f"of {', '.join(QUESTIONS)}")
    options = parser.parse_args(arguments)
    for chosen, known, kind in (
        (options.sessions, EVERY, "sessions"),
        (options.questions or [], QUESTIONS, "questions"),
    ):
        if wrong := [one for one in chosen if one not in known]:
            parser.error(f"{kind}: {wrong[0]!r} is not known; give some of {', '.join(known)}.")
    names = list(options.questions or QUESTIONS)
    files = Path(mkdtemp(prefix="matrix-tables-"))
    write_tables(files)
    spark = wb.session({"spark.master": "local[2]", **NO_CALL_SITES, **ON_SPARK})
    expected, total = ask(spark, files, names), 0
    for name in options.sessions or EVERY:
        start = time.monotonic()
        answers = _answers_in(EVERY[name], files, names)
        differences = differing(answers, expected)
        print(
            f"{name}: {len(names) - len(differences)} of {len(names)} answers are the same", end=" "
        )
        print(f"({time.monotonic() - start:.0f} s)", flush=True)
        for line in differences:
            print(f"    {line}", flush=True)
        total += len(differences)
    print(f"{total} answers differ")
    return int(bool(total))


def _answers_in(session: Session, files: Path, names: list[str]) -> dict[str, Answer]:
    with ExitStack() as stack:
        folder = Path(mkdtemp(prefix="matrix-server-"))
        if session.connect:
            server = stack.enter_context(ConnectServer(Path(sys.executable), folder))
            answers = server.run(ask, files, names, session.conf | ON_SPARK, session.source)
        elif session.static:
            own = stack.enter_context(OwnSession(Path(sys.executable), folder, session.static))
            answers = own.run(ask, files, names, session.conf | ON_SPARK, session.source)
        else:
            answers = ask(wb.session(), files, names, session.conf | ON_SPARK, session.source)
    return dict(answers)


if __name__ == "__main__":
    sys.exit(main())
