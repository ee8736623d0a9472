"""Read files as tables: detect the format of a path, and let Spark read it without losing rows."""

import bz2
import csv
import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from errno import ENAMETOOLONG
from glob import glob
from io import StringIO
from itertools import islice
from os import PathLike, fspath
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from workbench.errors import WorkbenchError
from workbench.spark.names import name_of, nearest
from workbench.spark.sources.nanoseconds import read_nanoseconds
from workbench.spark.values import reason

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession

FORMATS = {
    ".parquet": "parquet", ".pq": "parquet",
    ".csv": "csv", ".tsv": "csv",
    ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".orc": "orc",
}  # fmt: skip
#: Compressed text that is read here, by its ending; Spark uses the same endings.
PACKED: Mapping[str, Callable[..., IO[Any]]] = {".gz": gzip.open, ".bz2": bz2.open}
UNPACKED_BY_SPARK = (*PACKED, ".zst", ".lz4", ".snappy", ".deflate")
SEPARATORS = ",;\t|"
#: An address that only Spark can open, such as that of an object store.
ADDRESS = re.compile(r"^(?!file:)[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
_JAVA_MESSAGE = re.compile(r"^: [\w.]+Exception: (.*)$", re.MULTILINE)
#: This text is in Spark's error for Parquet with times in nanoseconds.
NANOSECONDS = "TIMESTAMP(NANOS"
GLOB = re.compile(r"[*?\[{]")
#: The most files of a folder whose endings are checked.
MOST_FILES = 10_000
#: The length of the head of a text file that is read to detect its separator or its JSON layout.
MOST_LETTERS = 1 << 16
#: Spark's name of the type of times without a zone.
BARE_TIME = "timestamp_ntz"
KNOWN = "Parquet, CSV, TSV, JSON and ORC"


def is_path(value: Any) -> bool:
    """Return whether a value is a path: an address, a file name, or an existing path.

    Examples
    --------
    >>> is_path("clicks.csv.gz"), is_path("s3://lake/clicks"), is_path("lake.clicks")
    (True, True, False)
    """
    if not isinstance(value, str) or not value:
        return isinstance(value, PathLike)
    if ADDRESS.match(value) or GLOB.search(value) or "/" in value or "\\" in value:
        return True
    return ending(value) in FORMATS or _exists(Path(value))


def _exists(path: Path) -> bool:
    """Return whether a path exists; text too long for a path, such as a query, does not."""
    try:
        return path.exists()
    except OSError as error:
        if error.errno != ENAMETOOLONG:
            raise
        return False


def ending(path: str) -> str:
    """Return the file name ending that tells the format, ignoring that of a compression.

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
    """Return the table in a file, a folder, or all files that match a pattern.

    Parameters
    ----------
    path : str or path
        Of Parquet, CSV, TSV, JSON or ORC. Text may be compressed. A folder may contain folders.
    argument : str
        The name of the caller's argument, for error messages.
    spark : pyspark.sql.SparkSession

    Returns
    -------
    pyspark.sql.DataFrame
        The first line of CSV has the column names. CSV and JSON are read once to infer the types
        of the columns. Times without a zone are in the session's zone. Nanoseconds of Parquet
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
        names, files, nesting = _load_paths(given.removeprefix("file://"), argument)
        format = _format([name for name, _ in files], argument, given)
        options |= nesting | _text_options(format, [file for _, file in files], argument, given)
    if format == "csv":
        # Without enforceSchema=False, files with another order of columns would be misread.
        options = {"header": True, "inferSchema": True, "escape": '"', "enforceSchema": False,
                   **options}  # fmt: skip

    def load(reader: "DataFrameReader") -> "DataFrame":
        return reader.format(format).options(**options).load(names)

    try:
        df = load(spark.read)
        columns = df.columns
    except (PySparkException, Py4JError) as error:
        if NANOSECONDS not in str(error) or not files:
            raise WorkbenchError(
                f"{argument}: {given!r} cannot be read: {_error_text(error)}"
            ) from None
        df = read_nanoseconds(spark, load, [file for _, file in files], argument)
        columns = df.columns
    if not columns or columns == ["_corrupt_record"]:
        what = "is empty" if not columns else "is no JSON"
        raise WorkbenchError(f"{argument}: {given!r} {what}; give a file with a table in it.")
    return _in_session_zone(df)


def _in_session_zone(df: "DataFrame") -> "DataFrame":
    """Convert times without a zone to the session's zone, as for pandas and CSV."""
    if df.sparkSession.conf.get("spark.sql.timestampType") == "TIMESTAMP_NTZ":
        return df
    names = [field.name for field in df.schema.fields if field.dataType.typeName() == BARE_TIME]
    if not names:
        return df
    return df.withColumns({name: name_of(name).cast("timestamp") for name in names})


def _error_text(error: Exception) -> str:
    """Return Spark's message about a file, or that of its Java if Python has no such error."""
    if NANOSECONDS in str(error):
        return (
            "its times have nanoseconds, which Spark does not read; give a local file, or write "
            "it with coerce_timestamps='us'."
        )
    message = _JAVA_MESSAGE.search(str(error))
    return reason(ValueError(message[1]) if message else error)


def _format_of_address(path: str, argument: str) -> str:
    name = ending(GLOB.split(path)[0] if ending(path) not in FORMATS else path)
    if name and name not in FORMATS:
        raise _unknown_format(name, argument, path)
    return FORMATS.get(name, "parquet")


def _load_paths(
    given: str, argument: str
) -> tuple[list[str], list[tuple[str, Path]], dict[str, Any]]:
    """Return the paths for Spark to load, the data files with their names, and options."""
    path = Path(given).expanduser()
    exists = _exists(path)
    roots = [path] if exists else sorted(Path(one) for one in glob(str(path), recursive=True))
    if not roots:
        raise WorkbenchError(f"{argument}: there is no file {given!r}; {_missing_hint(path)}")
    files, nested = [], False
    for root in roots:
        if root.is_dir():
            inside = [*islice(_data_files(root), MOST_FILES)]
            nested = nested or any(_is_nested(file, root) for file in inside)
            files += [(file.name, file) for file in inside]
        elif exists or not _hidden(root.name):
            files.append((root.name, root))
    if not files:
        raise WorkbenchError(f"{argument}: {given!r} has no file in it; give one that has data.")
    if exists and path.is_file() and _hidden(path.name):
        raise WorkbenchError(
            f"{argument}: Spark leaves out files such as {path.name!r}, which begin with '_' or "
            "'.'; rename it."
        )
    if (path / "_delta_log").is_dir():
        raise WorkbenchError(
            f"{argument}: {given!r} is a table of Delta Lake; give "
            f"spark.read.format('delta').load({given!r}) in a session that has it."
        )
    names = [_escape_glob(str(root.resolve())) for root in roots]
    return names, files, {"recursiveFileLookup": True} if nested else {}


def _data_files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder that Spark would read, sorted by name."""
    for one in sorted(folder.iterdir()):
        if _hidden(one.name):
            continue
        if one.is_dir():
            yield from _data_files(one)
        else:
            yield one


def _hidden(name: str) -> bool:
    """Return whether Spark ignores a file: its metadata, but not the folders of partitions."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _is_nested(file: Path, root: Path) -> bool:
    """Return whether a file is in a folder that is no partition, which Spark skips by default."""
    between = file.relative_to(root).parts[:-1]
    return bool(between) and not all("=" in part for part in between)


def _escape_glob(path: str) -> str:
    """Escape a path, so that Spark takes each character literally."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", path)


def _format(names: Sequence[str], argument: str, given: str) -> str:
    endings = sorted({ending(name) for name in names})
    for one in endings:
        if one not in FORMATS:
            raise _unknown_format(one, argument, given)
    formats = sorted({FORMATS[one] for one in endings})
    if len(formats) > 1:
        raise WorkbenchError(
            f"{argument}: {given!r} has files of several formats ({', '.join(endings)}); "
            f"name those of one, such as {given.rstrip('/') + '/*' + endings[0]!r}."
        )
    return formats[0]


def _unknown_format(name: str, argument: str, given: str) -> WorkbenchError:
    what = f"ends in {name!r}" if name else "has no ending"
    other = "pandas.read_excel" if name.startswith(".xls") else "another library"
    return WorkbenchError(
        f"{argument}: {given!r} {what}, and {KNOWN} can be read; give a file of these, or the "
        f"table that {other} makes of it."
    )


def _missing_hint(path: Path) -> str:
    folder = path.parent
    if not (_exists(folder) and folder.is_dir()):
        return f"nor is there a folder {str(folder)!r}."
    names = sorted(
        one.name for one in islice(folder.iterdir(), MOST_FILES) if not _hidden(one.name)
    )
    return nearest(path.name, names)


def _text_options(format: str, files: Sequence[Path], argument: str, given: str) -> dict[str, Any]:
    """Return options for the layout of text files, of CSV detected from the first one."""
    if format == "csv":
        separator = _separator(files[0])
        rows = [*_records(files[0], separator)]
        header = rows[0] if rows else []
        other_headers = (next(_records(file, separator), []) for file in files[1:])
        # Spark renames such columns, and would then report that the header has other names.
        same_headers = _spark_renames(header) and all(one == header for one in other_headers)
        return {
            "sep": separator,
            "multiLine": _has_multiline_values(rows, len(header)),
            **({"enforceSchema": True} if same_headers else {}),
        }
    if format == "json":
        are_documents = [_is_one_document(file) for file in files]
        documents = any(are_documents)
        # Spark reads the first object alone of a file that it takes for a document.
        if documents and any(
            not is_document and len(_head_of(file).splitlines()) > 1
            for file, is_document in zip(files, are_documents, strict=True)
        ):
            raise WorkbenchError(
                f"{argument}: some JSON files of {given!r} have an object on each line, others are "
                "one document; read each kind alone."
            )
        return {"multiLine": documents}
    return {}


def _records(file: Path, separator: str) -> Iterator[list[str]]:
    return csv.reader(StringIO(_head_of(file)), delimiter=separator)


def _spark_renames(header: Sequence[str]) -> bool:
    """Return whether a column has no name, such as the index of pandas, or a repeated name."""
    return "" in header or len({name.lower() for name in header}) < len(header)


def _has_multiline_values(rows: Sequence[Sequence[str]], columns: int) -> bool:
    """Return whether a quoted value in a complete row spans lines; an open quote does not count."""
    return any(len(row) == columns and any("\n" in value for value in row) for row in rows)


def _head_of(file: Path) -> str:
    """Return the head of a text file; empty if only Spark can decompress it."""
    packing = file.suffix.lower()
    if packing in UNPACKED_BY_SPARK and packing not in PACKED:
        return ""
    opened = PACKED.get(packing, open)(file, "rt", encoding="utf-8-sig", errors="replace")
    with opened as text:
        return str(text.read(MOST_LETTERS))


def _separator(file: Path) -> str:
    """Return the separator that splits the first line into most columns, by default a comma."""
    if ending(file.name) == ".tsv":
        return "\t"
    lines = _head_of(file).splitlines()[:1]
    return max(SEPARATORS, key=lambda one: len(next(csv.reader(lines, delimiter=one), [])))


def _is_one_document(file: Path) -> bool:
    """Return whether JSON is one document, and not one object per line."""
    first = next((line for line in _head_of(file).splitlines() if line.strip()), "{}")
    try:
        return not isinstance(json.loads(first), dict)
    except ValueError:
        # A truncated line is one object of many; a complete line is the beginning of a document.
        return len(first) < MOST_LETTERS - 1
