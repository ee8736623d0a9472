"""Files that are tables: which format a path has, and how Spark reads it without losing rows."""

import bz2
import csv
import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import glob
from io import StringIO
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from workbench.errors import WorkbenchError
from workbench.spark.sources.nanoseconds import read_nanoseconds
from workbench.spark.table import name_of, nearest, reason

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

FORMATS = {
    ".parquet": "parquet", ".pq": "parquet",
    ".csv": "csv", ".tsv": "csv",
    ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".orc": "orc",
}  # fmt: skip
#: How text may be packed; Spark unpacks it by the same endings.
PACKED: Mapping[str, Callable[..., IO[Any]]] = {".gz": gzip.open, ".bz2": bz2.open}
UNPACKED_BY_SPARK = (*PACKED, ".zst", ".lz4", ".snappy", ".deflate")
SEPARATORS = ",;\t|"
#: An address that Spark knows and Python does not, such as of an object store.
ADDRESS = re.compile(r"^(?!file:)[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
_JAVA = re.compile(r"^: [\w.]+Exception: (.*)$", re.MULTILINE)
#: What Spark says of Parquet whose times are in nanoseconds.
NANOSECONDS = "TIMESTAMP(NANOS"
GLOB = re.compile(r"[*?\[{]")
#: So many files of a folder are looked at for their endings.
MOST_FILES = 10_000
#: So much of a text file is looked at for its separator, or for how its JSON is laid out.
MOST_LETTERS = 1 << 16
#: How Spark calls a time without a zone.
BARE_TIME = "timestamp_ntz"
KNOWN = "Parquet, CSV, TSV, JSON and ORC"


def is_path(value: Any) -> bool:
    """Say whether a value is meant as a path: an address, a file's name, or what is there.

    Examples
    --------
    >>> is_path("clicks.csv.gz"), is_path("s3://lake/clicks"), is_path("lake.clicks")
    (True, True, False)
    """
    if not isinstance(value, str) or not value:
        return isinstance(value, PathLike)
    if ADDRESS.match(value) or GLOB.search(value) or "/" in value or "\\" in value:
        return True
    return ending(value) in FORMATS or Path(value).exists()


def ending(path: str) -> str:
    """Return the ending that says a file's format, without that of its packing.

    Examples
    --------
    >>> ending("clicks.CSV.gz"), ending("clicks")
    ('.csv', '')
    """
    endings = [one.lower() for one in Path(path.rstrip("/")).suffixes]
    while endings and endings[-1] in UNPACKED_BY_SPARK:
        endings.pop()
    return endings[-1] if endings else ""


def read_files(path: "str | PathLike[str]", argument: str, spark: "SparkSession") -> "DataFrame":
    """Return the table in a file, a folder, or all files that a pattern matches.

    Parameters
    ----------
    path : str or path
        Of Parquet, CSV, TSV, JSON or ORC. Text may be packed. A folder may have folders in it.
    argument : str
        What the caller calls it, for the error's sake.
    spark : pyspark.sql.SparkSession

    Returns
    -------
    pyspark.sql.DataFrame
        The first line of CSV has the names of its columns. CSV and JSON are read once to find the
        types of the columns. Times without a zone are of the session's. Nanoseconds of Parquet
        become microseconds, and one job counts those that lose digits.

    Raises
    ------
    WorkbenchError
        When there is no such file, or it cannot be read.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    given = fspath(path)
    options: dict[str, Any] = {}
    files: list[tuple[str, Path]] = []
    if ADDRESS.match(given):
        names, format = [given], _format_of_address(given, argument)
    else:
        names, files, found = _found(given.removeprefix("file://"), argument)
        format = _format([name for name, _ in files], argument, given)
        options |= found | _options(format, [file for _, file in files])
    if format == "csv":
        # Files with the same columns in another order must not be read as if they had ours.
        options = {"header": True, "inferSchema": True, "escape": '"', "enforceSchema": False,
                   **options}  # fmt: skip

    def load(reader: "DataFrameReader") -> "DataFrame":
        return reader.format(format).options(**options).load(names)

    try:
        df = load(spark.read)
        columns = df.columns
    except (PySparkException, Py4JError) as error:
        if NANOSECONDS not in str(error) or not files:
            raise WorkbenchError(f"{argument}: {given!r} cannot be read: {_why(error)}") from None
        df = read_nanoseconds(spark, load, [file for _, file in files], argument)
        columns = df.columns
    if not columns or columns == ["_corrupt_record"]:
        what = "is empty" if not columns else "is no JSON"
        raise WorkbenchError(f"{argument}: {given!r} {what}; give a file with a table in it.")
    return _of_the_session(df)


def _of_the_session(df: "DataFrame") -> "DataFrame":
    """Times without a zone as those of the session's, which they are in pandas and CSV, too."""
    if df.sparkSession.conf.get("spark.sql.timestampType") == "TIMESTAMP_NTZ":
        return df
    bare = [field.name for field in df.schema.fields if field.dataType.typeName() == BARE_TIME]
    return df.withColumns({name: name_of(name).cast("timestamp") for name in bare}) if bare else df


def _why(error: Exception) -> str:
    """Spark's words about a file; what its Java says, where Python has no error of its own."""
    if NANOSECONDS in str(error):
        return (
            "its times have nanoseconds, which Spark does not read; give a local file, or write "
            "it with coerce_timestamps='us'."
        )
    said = _JAVA.search(str(error))
    return reason(ValueError(said[1]) if said else error)


def _format_of_address(path: str, argument: str) -> str:
    name = ending(GLOB.split(path)[0] if ending(path) not in FORMATS else path)
    if name and name not in FORMATS:
        raise _unknown(name, argument, path)
    return FORMATS.get(name, "parquet")


def _found(given: str, argument: str) -> tuple[list[str], list[tuple[str, Path]], dict[str, Any]]:
    """What Spark is to load, the data files by their names, and options."""
    path = Path(given).expanduser()
    whole = path.exists()
    roots = [path] if whole else sorted(Path(one) for one in glob(str(path), recursive=True))
    if not roots:
        raise WorkbenchError(f"{argument}: there is no file {given!r}; {_near(path)}")
    files, nested = [], False
    for root in roots:
        if root.is_dir():
            inside = [*islice(_data_files(root), MOST_FILES)]
            nested = nested or any(_is_nested(file, root) for file in inside)
            files += [(file.name, file) for file in inside]
        elif whole or not _hidden(root.name):
            files.append((root.name, root))
    if not files:
        raise WorkbenchError(f"{argument}: {given!r} has no file in it; give one that has data.")
    if whole and path.is_file() and _hidden(path.name):
        raise WorkbenchError(
            f"{argument}: Spark leaves out files such as {path.name!r}, which begin with '_' or "
            "'.'; rename it."
        )
    if (path / "_delta_log").is_dir():
        raise WorkbenchError(
            f"{argument}: {given!r} is a table of Delta Lake; give "
            f"spark.read.format('delta').load({given!r}) in a session that has it."
        )
    names = [_literal(str(root.resolve())) for root in roots]
    return names, files, {"recursiveFileLookup": True} if nested else {}


def _data_files(folder: Path) -> Iterator[Path]:
    """The files below a folder that Spark would read, in their order."""
    for one in sorted(folder.iterdir()):
        if _hidden(one.name):
            continue
        if one.is_dir():
            yield from _data_files(one)
        else:
            yield one


def _hidden(name: str) -> bool:
    """Whether Spark leaves a file out: its own notes, but not the folders of its partitions."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _is_nested(file: Path, root: Path) -> bool:
    """Whether a file is in a folder that is no partition, where Spark does not look by itself."""
    between = file.relative_to(root).parts[:-1]
    return bool(between) and not all("=" in part for part in between)


def _literal(path: str) -> str:
    """A path whose letters mean themselves to Spark."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def _format(names: Sequence[str], argument: str, given: str) -> str:
    endings = sorted({ending(name) for name in names})
    for one in endings:
        if one not in FORMATS:
            raise _unknown(one, argument, given)
    formats = sorted({FORMATS[one] for one in endings})
    if len(formats) > 1:
        raise WorkbenchError(
            f"{argument}: {given!r} has files of several formats ({', '.join(endings)}); "
            f"name those of one, such as {given.rstrip('/') + '/*' + endings[0]!r}."
        )
    return formats[0]


def _unknown(name: str, argument: str, given: str) -> WorkbenchError:
    what = f"ends in {name!r}" if name else "has no ending"
    other = "pandas.read_excel" if name.startswith(".xls") else "another library"
    return WorkbenchError(
        f"{argument}: {given!r} {what}, and {KNOWN} can be read; give a file of these, or the "
        f"table that {other} makes of it."
    )


def _near(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"nor is there a folder {str(folder)!r}."
    names = sorted(
        one.name for one in islice(folder.iterdir(), MOST_FILES) if not _hidden(one.name)
    )
    return nearest(path.name, names)


def _options(format: str, files: Sequence[Path]) -> dict[str, Any]:
    """How the text in files is laid out, as the first of them tells it."""
    if format == "csv":
        separator = _separator(files[0])
        rows = [*_records(files[0], separator)]
        header = rows[0] if rows else []
        others = (next(_records(file, separator), []) for file in files[1:])
        # Spark gives such columns names of its own, and then finds that the header has others.
        ours = _is_renamed(header) and all(one == header for one in others)
        return {
            "sep": separator,
            "multiLine": _span_lines(rows, len(header)),
            **({"enforceSchema": True} if ours else {}),
        }
    if format == "json":
        return {"multiLine": _is_one_document(files[0])}
    return {}


def _records(file: Path, separator: str) -> Iterator[list[str]]:
    return csv.reader(StringIO(_beginning(file)), delimiter=separator)


def _is_renamed(header: Sequence[str]) -> bool:
    """Whether columns have no name, as the index that pandas writes, or one name twice."""
    return "" in header or len({name.lower() for name in header}) < len(header)


def _span_lines(rows: Sequence[Sequence[str]], columns: int) -> bool:
    """Whether a quoted value has a line's end in it: a whole row, not a quote left open."""
    return any(len(row) == columns and any("\n" in value for value in row) for row in rows)


def _beginning(file: Path) -> str:
    """The first letters of a text; nothing where only Spark unpacks it."""
    packing = file.suffix.lower()
    if packing in UNPACKED_BY_SPARK and packing not in PACKED:
        return ""
    opened = PACKED.get(packing, open)(file, "rt", encoding="utf-8-sig", errors="replace")
    with opened as text:
        return str(text.read(MOST_LETTERS))


def _separator(file: Path) -> str:
    """The separator that parts the first line into the most columns; a comma where none does."""
    if ending(file.name) == ".tsv":
        return "\t"
    lines = _beginning(file).splitlines()[:1]
    return max(SEPARATORS, key=lambda one: len(next(csv.reader(lines, delimiter=one), [])))


def _is_one_document(file: Path) -> bool:
    """Whether JSON is one document, and not one object a line."""
    first = next((line for line in _beginning(file).splitlines() if line.strip()), "{}")
    try:
        return not isinstance(json.loads(first), dict)
    except ValueError:
        # A line that is cut is one object of many; one that ends is the begin of a document.
        return len(first) < MOST_LETTERS - 1
