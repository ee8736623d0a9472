"""A kernel that is not cached is compiled once, on its first call, and a line is printed."""

import os
import subprocess
import sys
from pathlib import Path

LINE = "Compiling the kernel in_order: some seconds, once on this machine.\n"
CALL = """
import numpy as np
from kernels.structures.order import in_order
def call():
    in_order.over(np.array([0, 2]), np.array([1, 2]), np.ones(2, np.uint8))
    return sum(in_order.lifted.stats.cache_misses.values())
"""
TOGETHER = """
import pathlib, sys, time
pathlib.Path(sys.argv[1]).touch()
while not all(pathlib.Path(name).exists() for name in sys.argv[1:]):
    time.sleep(0.001)
print(call())
"""
#: While the first process runs, a second one tries to compile the same kernel, which fails.
REFUSED = """
import subprocess, sys
try:
    in_order(None, None)
except Exception:
    if len(sys.argv) == 1:
        subprocess.run([sys.executable, *sys.orig_argv[1:], "again"], check=True, timeout=30)
"""


def start(cache: Path, code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CALL + code, *map(str, arguments)],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_first_call_on_a_machine_prints_that_it_compiles_and_later_ones_print_nothing(
    tmp_path: Path,
) -> None:
    assert start(tmp_path, "print(call())").communicate() == ("1\n", LINE)
    assert start(tmp_path, "print(call())").communicate() == ("0\n", "")


def test_of_two_simultaneous_processes_one_compiles_and_one_line_is_printed(tmp_path: Path) -> None:
    files = tmp_path / "first", tmp_path / "second"
    processes = [start(tmp_path, TOGETHER, *order) for order in (files, files[::-1])]
    compiled, lines = zip(*(process.communicate() for process in processes), strict=True)
    assert sorted(compiled) == ["0\n", "1\n"]
    assert "".join(lines) == LINE


def test_a_failed_compilation_blocks_no_other_process(tmp_path: Path) -> None:
    process = start(tmp_path, REFUSED)
    process.communicate()
    assert process.returncode == 0
