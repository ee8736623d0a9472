"""Where the archive of Spark's classes is, and how a JVM is told to take it.

A JVM loads, checks and links some 20,000 classes before Spark's first answer. Java can write down
what one JVM has loaded (class-data sharing, JEP 350), and those after it map the file.
"""

from hashlib import sha256
from pathlib import Path

from workbench.spark.sessions.java import find_java

#: Java says on stdout why it leaves out a class, and that it does not take an archive.
QUIET = "-Xlog:cds*=off"


def class_archive() -> Path:
    """Return where the archive of this machine's Java and Spark is, or would be.

    Returns
    -------
    pathlib.Path
        Its name changes with Java and with each of Spark's jars.

    Raises
    ------
    WorkbenchError
        When there is no Java for Spark.

    Examples
    --------
    >>> class_archive().suffix
    '.jsa'
    """
    from pyspark.find_spark_home import _find_spark_home

    # Imported here, as the kernels bring their compiler along.
    from kernels.core.private_folder import cache_home, private_folder

    jars = sorted(Path(_find_spark_home(), "jars").glob("*.jar"))
    digest = sha256()
    for file in (find_java().home / "lib" / "modules", *jars):
        status = file.stat()
        digest.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode())
    # What stands there is code that Java runs, so nobody else may have put it there.
    folder = private_folder(cache_home() / "window-workbench" / "classes")
    return folder / f"{digest.hexdigest()[:16]}.jsa"


def reading_options() -> str:
    """Return the options of a JVM of Spark that let it take the archive; none where there is none.

    Java itself looks whether the archive is its own and of the same jars, and else does without it.

    Returns
    -------
    str
    """
    archive = class_archive()
    return f'"-XX:SharedArchiveFile={archive}" {QUIET}' if archive.is_file() else ""
