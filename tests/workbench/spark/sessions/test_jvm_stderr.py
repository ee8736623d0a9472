"""Stderr of Spark's workers is passed on, except for lines about steps that succeed."""

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
def test_errors_pass_and_steps_do_not_however_the_bytes_are_split(sizes: list[int]) -> None:
    whole, passed = STEPS + ERRORS, bytearray()
    filtered = StepFilter(passed.extend)
    for size in [*sizes, len(whole)]:
        filtered.feed(whole[:size])
        whole = whole[size:]
    filtered.end()
    assert bytes(passed) == ERRORS


def test_output_of_a_process_is_passed_on(capfd: pytest.CaptureFixture[str]) -> None:
    code = "import sys; print('Streaming ForeachBatch worker Started batch 0', file=sys.stderr)"
    with without_steps():
        child = subprocess.Popen([sys.executable, "-c", f"{code}; sys.exit('an error')"])
    assert child.wait() == 1
    output = ""
    while "an error\n" not in output:  # a thread passes it on
        output += capfd.readouterr().err
    assert output == "an error\n"
    os.write(2, b"directly\n")
    assert capfd.readouterr().err == "directly\n"


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A folder for sockets, whose full path has at most about 100 characters."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("module", "pattern"),
    [("workbench.spark.sessions.worker_daemon", r"\A\Z"), ("pyspark.daemon", "Broken")],
)
def test_a_worker_that_nobody_waits_for_ends_without_output(
    module: str, pattern: str, short_path: Path
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
        # An answer of the last one means that the others have been started.
        with socket.socket(socket.AF_UNIX) as spark:
            spark.connect(path)
            assert len(spark.recv(4)) == 4
        _, output = daemon.communicate(timeout=60)
    assert re.search(pattern, output.decode())
