"""The archive of Spark's classes: its path, and the JVM options that use it.

A JVM loads, checks and links some 20,000 classes before Spark's first result. Java can dump the
classes that one JVM has loaded (class-data sharing, JEP 350), and later JVMs map the file.
"""

from hashlib import sha256
from pathlib import Path

from workbench.spark.sessions.java import find_java

#: Silences Java's messages on stdout about classes and archives that it does not use.
QUIET = "-Xlog:cds*=off"


def class_archive() -> Path:
    """Return the path of the archive of this machine's Java and Spark, whether it exists or not.

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

    # Imported here, as the kernels import their compiler.
    from kernels.core.private_folder import cache_home, private_folder

    jars = sorted(Path(_find_spark_home(), "jars").glob("*.jar"))
    digest = sha256()
    for file in (find_java().home / "lib" / "modules", *jars):
        status = file.stat()
        digest.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode())
    # Java runs the code in this folder, so no other user may be able to write to it.
    folder = private_folder(cache_home() / "window-workbench" / "classes")
    return folder / f"{digest.hexdigest()[:16]}.jsa"


def reading_options() -> str:
    """Return the JVM options that use the archive; empty if there is no archive.

    Java itself checks that the archive fits its version and the jars, and else ignores it.

    Returns
    -------
    str
    """
    archive = class_archive()
    return f'"-XX:SharedArchiveFile={archive}" {QUIET}' if archive.is_file() else ""
