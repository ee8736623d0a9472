"""Start Spark on loopback for the tests: a standalone cluster and a Spark Connect server."""

import contextlib
import os
import signal
import socket
import subprocess
import sysconfig
import time
import venv
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Self

import psutil
import pyspark
from pyspark.sql import SparkSession

import workbench as wb
from workbench.spark.sessions.class_archive import reading_options
from workbench.spark.sessions.java import java_home

KINDS = ("classic", "connect", "cluster")
#: For each new column, Spark records the calling line, which takes a millisecond: a sixth of the
#: time of our tests. Notebooks are tested with the settings of users.
NO_CALL_SITES = {"spark.python.sql.dataFrameDebugging.enabled": "false"}
CODEGEN = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
#: Spark generates and compiles Java for each query, which takes longer than queries on our small
#: tables. Notebooks, examples and the matrix use it as users do.
NO_CODEGEN = dict(zip(CODEGEN, ("false", "NO_CODEGEN"), strict=True))
#: Tables of the tests are small, but go to Spark's workers: separate tests cover those that are
#: answered in this process.
ON_SPARK = {"spark.workbench.answerInDriver": "never"}
FOR_FEW_ROWS = NO_CALL_SITES | NO_CODEGEN | ON_SPARK

ZONE, PARTITIONS = "spark.sql.session.timeZone", "spark.sql.shuffle.partitions"
#: With this, our shuffles have as many partitions as set, however small the table.
ALL_PARTITIONS = {"spark.sql.adaptive.coalescePartitions.enabled": "false"}

_SPARK = Path(pyspark.__file__).parent
_PATIENCE = 180  # seconds until a server must respond, even on a busy machine
_LONGEST_CALL = 240  # seconds, less than the limit of a test


def jvm_options() -> str:
    """Return the options of `make test` for drivers: a cluster's JVMs are as short-lived."""
    return f"{os.environ.get('SPARK_SUBMIT_OPTS', '')} {reading_options()}"


@contextlib.contextmanager
def session_options(spark: SparkSession, options: Mapping[str, Any]) -> Iterator[None]:
    """Set options of a session in this context, and restore or unset them afterwards."""
    before = {name: spark.conf.get(name, None) for name in options}
    try:
        for name, value in options.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            if value is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, value)


@contextlib.contextmanager
def generating_code(spark: SparkSession) -> Iterator[None]:
    """Let the tests' session generate code in this context, as users' sessions do."""
    with session_options(spark, CODEGEN):
        yield


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def python_without_the_packages(folder: Path) -> Path:
    """Make a Python environment with our dependencies, but without our two packages."""
    venv.create(folder, symlinks=True, with_pip=False)
    site = next(folder.glob("lib/python*/site-packages"))
    # A .pth file adds a plain folder: the .pth files in that folder, such as ours, are ignored.
    site.joinpath("dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "python"


class _Server:
    """JVMs on loopback, and one process next to the tests with a session on them."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self._environment = {
            "JAVA_HOME": str(java_home()),
            "PYSPARK_PYTHON": str(python),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(folder / "work"),
            "SPARK_DAEMON_JAVA_OPTS": jvm_options(),
        }
        self._driver: ProcessPoolExecutor | None = None
        self._driver_pid = 0

    def __enter__(self) -> Self:
        try:
            self.start_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._driver:
                self._wait_for(self._driver.submit(_stop_session), _PATIENCE)
            if self._driver:
                self._driver.shutdown()
        finally:
            for name in list(self.running):
                self.kill(name)

    def _wait_for(self, answer: Future[Any], seconds: float) -> Any:
        try:
            return answer.result(timeout=seconds)
        finally:
            # A hanging process would block the next test, and the end of Python.
            if not answer.done() and self._driver:
                _kill(self._driver_pid)
                self._driver.shutdown()
                self._driver = None

    def start_all(self) -> None:
        """Start every process and wait until it is ready."""
        raise NotImplementedError

    def options(self) -> dict[str, object]:
        """The options of a session on this server."""
        raise NotImplementedError

    def submit(self, function: Callable[..., Any], *arguments: object) -> Future[Any]:
        """Start ``function(spark, *arguments)`` in the process next to the tests."""
        if self._driver is None:
            start = (self.options(), self._environment)
            spawn = get_context("spawn")
            self._driver = ProcessPoolExecutor(1, spawn, _start_session, start)
            self._driver_pid = self._driver.submit(os.getpid).result(timeout=_PATIENCE)
        return self._driver.submit(_call, function, arguments)

    def run(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Call ``function(spark, *arguments)`` in the process next to the tests."""
        return self._wait_for(self.submit(function, *arguments), _LONGEST_CALL)

    def start(self, name: str, sign: str, script: str, *arguments: str) -> None:
        """Start one of Spark's scripts and wait until its log contains ``sign``."""
        log = self.folder / f"{name}.log"
        # Servers have an empty cache: the kernels that their workers run have been sent to them.
        own = {"NUMBA_CACHE_DIR": str(self.folder / "cache")}
        with log.open("wb") as output:
            self.running[name] = subprocess.Popen(
                [str(_SPARK / "bin" / script), *arguments],
                env=os.environ | self._environment | own,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        end = time.monotonic() + _PATIENCE
        while sign not in log.read_text(errors="replace"):
            if time.monotonic() > end or self.running[name].poll() is not None:
                raise TimeoutError(f"{name} did not start:\n{log.read_text(errors='replace')}")
            time.sleep(0.1)

    def kill(self, name: str) -> None:
        """End a process and every executor that it started, as a power cut would."""
        process = self.running.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class OwnSession(_Server):
    """A local session in another process, with settings that need a new JVM."""

    def __init__(self, python: Path, folder: Path, conf: Mapping[str, object]) -> None:
        super().__init__(python, folder)
        self._conf = dict(conf)

    def start_all(self) -> None:
        """Do nothing: the process starts its session by itself."""

    def options(self) -> dict[str, object]:
        return {
            **NO_CALL_SITES,
            "spark.master": "local[2]",
            "spark.driver.memory": "1g",
            **self._conf,
        }


class Cluster(_Server):
    """A master and two workers of one core and 1 GiB each."""

    def start_all(self) -> None:
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        master = "org.apache.spark.deploy.master.Master"
        where = ("--host", "127.0.0.1", "--webui-port", "0", "--port", str(port))
        self.start("master", "elected leader", "spark-class", master, *where)
        for number in (1, 2):
            self.start_worker(f"worker-{number}")

    def start_worker(self, name: str) -> None:
        """Add a worker and wait until the master knows it."""
        worker = "org.apache.spark.deploy.worker.Worker"
        size = ("--cores", "1", "--memory", "1g")
        where = ("--host", "127.0.0.1", "--webui-port", "0", self.url)
        self.start(name, "Successfully registered", "spark-class", worker, *size, *where)

    def options(self) -> dict[str, object]:
        return {
            **FOR_FEW_ROWS,
            "spark.master": self.url,
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.memory": "1g",
            "spark.executor.memory": "600m",
            "spark.executor.extraJavaOptions": jvm_options(),
            # PySpark raises an UnboundLocalError if nobody opens a result's socket within 15 s,
            # which happens on a machine busy with all parts of the tests.
            "spark.python.authenticate.socketTimeout": f"{_PATIENCE}s",
            PARTITIONS: 4,
        }


class ConnectServer(_Server):
    """A Spark Connect server whose Spark is local."""

    def start_all(self) -> None:
        port = free_port()
        self.url = f"sc://127.0.0.1:{port}"
        options = {
            **NO_CODEGEN,
            "spark.master": "local[2]",
            "spark.driver.memory": "1g",
            "spark.driver.host": "127.0.0.1",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": port,
            PARTITIONS: 4,
            "spark.ui.enabled": "false",
        }
        settings = [f"--conf={name}={value}" for name, value in options.items()]
        server = "org.apache.spark.sql.connect.service.SparkConnectServer"
        arguments = ("--class", server, *settings, "spark-internal")
        self.start("connect", "Spark Connect server started", "spark-submit", *arguments)

    def options(self) -> dict[str, object]:
        return {"spark.remote": self.url, ZONE: "UTC"}


def _kill(pid: int) -> None:
    """Kill a process and all that it started."""
    process = psutil.Process(pid)
    for one in (*process.children(recursive=True), process):
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()


def _start_session(options: dict[str, object], environment: dict[str, str]) -> None:
    os.environ.update(environment)
    wb.session(options)


def _call(function: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
    try:
        return function(wb.session(), *arguments)
    except (AssertionError, wb.WorkbenchError):
        raise
    except Exception as error:
        # Spark's own exceptions cannot be sent from one process to another.
        raise RuntimeError(f"{type(error).__name__}: {error}") from None


def _stop_session() -> None:
    wb.session().stop()
