"""What reaches stderr of Spark's workers: every line but those of a step that succeeds."""

import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.spark.sessions.jvm_stderr import StepFilter, without_steps

STEPS = b"""Starting Streaming TransformWithStateInPandas Python worker.

Streaming TransformWithStateInPandas Python worker finish init stage of Python runner. Received ...

Streaming ForeachBatch worker is starting with url sc://localhost:15002/;token=secret and session.
Streaming ForeachBatch worker Created new session for cloned_session_id 7
Streaming ForeachBatch worker Started batch 0 with DF id 1 and session id 7
Streaming ForeachBatch worker Completed batch 0 with DF id 1 and session id 7
"""
ERRORS = b"""Traceback (most recent call last):
  File "mine.py", line 1
ValueError: Starting Streaming TransformWithStateInPandas Python worker. was refused

Streaming ForeachBatch worker died
10:02:03 ERROR Any: one"""


@given(st.lists(st.integers(1, 90)))
def test_errors_pass_and_steps_do_not_however_the_bytes_come(sizes: list[int]) -> None:
    whole, passed = STEPS + ERRORS, bytearray()
    filtered = StepFilter(passed.extend)
    for size in [*sizes, len(whole)]:
        filtered.feed(whole[:size])
        whole = whole[size:]
    filtered.end()
    assert bytes(passed) == ERRORS


def test_what_a_process_writes_comes_through(capfd: pytest.CaptureFixture[str]) -> None:
    code = "import sys; print('Streaming ForeachBatch worker Started batch 0', file=sys.stderr)"
    with without_steps():
        child = subprocess.Popen([sys.executable, "-c", f"{code}; sys.exit('an error')"])
    assert child.wait() == 1
    said = ""
    while "an error\n" not in said:  # it comes by way of a thread
        said += capfd.readouterr().err
    assert said == "an error\n"
    os.write(2, b"directly\n")
    assert capfd.readouterr().err == "directly\n"


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder for sockets, whose whole path has about 100 characters at the most."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("module", "says"),
    [("workbench.spark.sessions.worker_daemon", r"\A\Z"), ("pyspark.daemon", "Broken")],
)
def test_a_worker_that_nobody_waits_for_ends_without_a_word(
    module: str, says: str, short_path: Path
) -> None:
    env = os.environ | {
        "PYTHON_UNIX_DOMAIN_ENABLED": "true",
        "PYTHON_WORKER_FACTORY_SOCK_DIR": str(short_path),
        "SPARK_REUSE_WORKER": "1",
        "PYTHON_DAEMON_KILL_WORKER_ON_FLUSH_FAILURE": "1",
    }
    command = [sys.executable, "-m", module, "pyspark.worker"]
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as daemon:
        assert daemon.stdout is not None
        (length,) = struct.unpack("!i", daemon.stdout.read(4))
        path = daemon.stdout.read(length).decode()
        for _ in range(5):
            with socket.socket(socket.AF_UNIX) as spark:
                spark.connect(path)
        # The last one is waited for, and so the others have been begun.
        with socket.socket(socket.AF_UNIX) as spark:
            spark.connect(path)
            assert len(spark.recv(4)) == 4
        _, said = daemon.communicate(timeout=60)
    assert re.search(says, said.decode())
