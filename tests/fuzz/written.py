"""A failing case as the source of a test, which fails as it stands."""

import subprocess
import sys
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import Any

import pyarrow as pa

from tests.fuzz.check import Failure
from workbench.frames.bounds import PerRow
from workbench.frames.frame import Frame
from workbench.functions.fn import Function

#: Lets tests in another folder ask for a session.
CONFTEST = '"""Found cases may need a session."""\n\nfrom tests.conftest import spark as spark\n'
RUFF = Path(sys.executable).with_name("ruff")


def write_test(failure: Failure, folder: Path) -> Path:
    """Write a failing case as a test, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "conftest.py").write_text(CONFTEST)
    name = f"test_{failure.check.name}"
    path = folder / f"{name}_{failure.seed}_{abs(hash(failure.kind)) % 10**6:06}.py"
    path.write_text(text_of(failure))
    return path


def text_of(failure: Failure) -> str:
    """Return the text of a test file for a failing case."""
    source = Source()
    check = failure.check
    arguments = [f"{name}={source.of(value)}" for name, value in failure.case.items()]
    if check.on_spark:
        source.need("pyspark.sql", "SparkSession")
        arguments = ["spark", *arguments]
    parameters = "spark: SparkSession" if check.on_spark else ""
    source.need(check.holds.__module__, check.name)
    lines = f"{type(failure.error).__name__}: {failure.error}".strip().splitlines()
    comment = "\n".join(f"    # {line}"[:100].rstrip() for line in lines[:5])
    body = f"{comment}\n    {check.name}({', '.join(arguments)})\n"
    text = (
        f'"""Found with seed {failure.seed}."""\n\n{source.imports}\n\n\n'
        f"def test_{check.name}({parameters}) -> None:\n{body}"
    )
    # Without ruff the lines are long, and the test is the same.
    return _through("format", "-", text=_through("check", "--fix", "--select=I", "-", text=text))


def _through(*arguments: str, text: str) -> str:
    if not RUFF.exists():
        return text
    command = [str(RUFF), *arguments, "--quiet", "--stdin-filename=tests/fuzz/test_found.py"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 and done.stdout else text


class Source:
    """Values as Python's source, and what it imports."""

    def __init__(self) -> None:
        self._modules: set[str] = set()
        self._names: dict[str, set[str]] = {}

    def need(self, module: str, name: str | None = None) -> None:
        """Import a module, or a name of one."""
        if name is None:
            self._modules.add(module)
        else:
            self._names.setdefault(module, set()).add(name)

    @property
    def imports(self) -> str:
        lines = [f"import {module}" for module in sorted(self._modules)]
        lines += [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._names.items())
        ]
        return "\n".join(lines)

    def of(self, value: Any) -> str:
        """Return an expression that makes the value again.

        Raises
        ------
        TypeError
            For a value of an unknown type.
        """
        if isinstance(value, float):
            return repr(value) if isfinite(value) else f'float("{value}")'
        if value is None or isinstance(value, bool | int | str | bytes):
            return repr(value)
        if isinstance(value, date | datetime | time | timedelta | Decimal):
            return self._repr(value)
        if isinstance(value, pa.Table | pa.DataType):
            self.need("pyarrow as pa")
            return self._table(value) if isinstance(value, pa.Table) else kind_of(value)
        if isinstance(value, Function) or (isinstance(value, Frame) and not value.varies):
            self.need("workbench as wb")
            return self._repr(value)
        return self._collection(value)

    def _repr(self, value: Any) -> str:
        text = repr(value)
        for module in ("datetime", "zoneinfo"):
            if f"{module}." in text:
                self.need(module)
        if "Decimal(" in text:
            self.need("decimal", "Decimal")
        return text

    def _collection(self, value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.of(k)}: {self.of(v)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.of, value)) + "]"
        names = [one.name for one in fields(value)] if is_dataclass(value) else None
        names = list(getattr(value, "_fields", names or ())) or names
        if names is None and isinstance(value, tuple):
            return "(" + "".join(f"{self.of(one)}, " for one in value) + ")"
        if isinstance(value, PerRow):
            names = ["column"]
        if names is None:
            raise TypeError(f"a case holds {type(value)}, which cannot be written as source")
        self.need(type(value).__module__, type(value).__name__)
        arguments = ", ".join(f"{name}={self.of(getattr(value, name))}" for name in names)
        return f"{type(value).__name__}({arguments})"

    def _table(self, table: pa.Table) -> str:
        columns = ", ".join(
            f"{one.name!r}: pa.array({self.of(table.column(i).to_pylist())}, {kind_of(one.type)})"
            for i, one in enumerate(table.schema)
        )
        return f"pa.table({{{columns}}})"


def kind_of(kind: pa.DataType) -> str:
    """Return an expression that makes an Arrow type again."""
    if pa.types.is_decimal(kind):
        return f"pa.decimal128({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return f"pa.timestamp({kind.unit!r}, {kind.tz!r})"
    if pa.types.is_duration(kind):
        return f"pa.duration({kind.unit!r})"
    names = {"bool": "bool_", "double": "float64", "float": "float32", "date32[day]": "date32"}
    return f"pa.{names.get(str(kind), str(kind))}()"
