"""Turn what was found of a session into sentences, one for each finding; nothing is run here."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from workbench.doctor.place import APPROXIMATE, NEEDED
from workbench.spark.partitions import DEFAULT_PARTITIONS, SHUFFLE_PARTITIONS, number_of_partitions
from workbench.spark.sessions.java import OLDEST
from workbench.spark.sessions.session import BUFFERS, PROVIDER, ROCKSDB, UNCHECKED

#: How many bytes a Python worker, which holds a partition, should have in addition to the JVM.
MEMORY_PER_WORKER = 2**29


class Finding(NamedTuple):
    """The result of one check.

    Attributes
    ----------
    subject : str
    good : bool
        Whether there is nothing to do.
    sentence : str
        What was found, and what to do if it is not good.
    """

    subject: str
    good: bool
    sentence: str

    def __str__(self) -> str:
        return f"{'ok  ' if self.good else 'LOOK'} {self.subject}: {self.sentence}"


def version_findings(ours: str, theirs: str, java: str, required: str) -> Iterator[Finding]:
    """Check whether the workbench supports the versions of Spark and Java.

    Parameters
    ----------
    ours, theirs : str
        The versions of PySpark here, and of the connected Spark.
    java : str
        The version of that Spark's Java.
    required : str
        The versions of PySpark that the workbench requires.

    Examples
    --------
    >>> for finding in version_findings("4.3.0", "4.2.1", "21.0.4", ">=4.3,<4.4"):
    ...     print(finding)
    LOOK Spark: PySpark 4.3.0 talks to Spark 4.2.1; use the same on both sides (>=4.3,<4.4).
    ok   Java: 21.0.4 runs Spark.
    """
    matches = ours.split(".")[:2] == theirs.split(".")[:2]
    advice = f"use the same on both sides ({required})"
    words = f"PySpark {ours} talks to Spark {theirs}"
    yield Finding("Spark", matches, f"{words}." if matches else f"{words}; {advice}.")
    is_recent = numbers(java) >= (OLDEST,)
    advice = f"install {OLDEST} or newer there, and set JAVA_HOME to it"
    words = f"{java} runs Spark"
    yield Finding("Java", is_recent, f"{words}." if is_recent else f"{words}; {advice}.")


def settings_findings(settings: Mapping[str, str], cores: int | None) -> Iterator[Finding]:
    """Check for Spark options that cost time, or that prevent something from working.

    Parameters
    ----------
    settings : mapping
        Spark's options by name, without unset ones.
    cores : int, optional
        How many tasks run at once in total; None if the session does not tell.

    Examples
    --------
    >>> found = settings_findings({"spark.sql.session.timeZone": "UTC"}, 4)
    >>> print(next(found))
    ok   Time zone: days and periods of timestamps begin in UTC.
    >>> print(next(found).good)
    False
    """
    zone = settings.get("spark.sql.session.timeZone", "the JVM's zone")
    begin = f"days and periods of timestamps begin in {zone}"
    elsewhere = "" if zone == "UTC" else "; set spark.sql.session.timeZone if yours begin elsewhere"
    yield Finding("Time zone", True, f"{begin}{elsewhere}.")
    buffers = settings.get(BUFFERS) == str(2**31 - 1)
    advice = f"set {BUFFERS} to {2**31 - 1}: at any other value a funnel takes twice the time."
    words = "rows are not measured one by one." if buffers else advice
    yield Finding("Arrow's buffers", buffers, words)
    options = ("spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions")
    checked = [name for name in options if UNCHECKED not in settings.get(name, "")]
    advice = f"add {UNCHECKED} to {' and '.join(checked)}: it saves a tenth of the time."
    yield Finding("Arrow's checks", not checked, advice if checked else "off, as they should be.")
    rocks = settings.get(PROVIDER) == ROCKSDB
    advice = f"streams need {PROVIDER} set to {ROCKSDB}."
    yield Finding("State of streams", rocks, "RocksDB keeps it." if rocks else advice)
    yield _partitions(settings, cores)


def _partitions(settings: Mapping[str, str], cores: int | None) -> Finding:
    number = number_of_partitions(settings.get(SHUFFLE_PARTITIONS, str(DEFAULT_PARTITIONS)))
    if number is None:
        return Finding("Shuffles", True, "Spark chooses how many partitions a shuffle has.")
    if cores is None:
        words = f"a shuffle has {number} partitions; set at least as many as there are cores"
        return Finding("Shuffles", True, f"{words} ({SHUFFLE_PARTITIONS}).")
    enough = number >= cores
    words = f"a shuffle has {number} partitions for {cores} cores"
    advice = f"raise {SHUFFLE_PARTITIONS}, or some cores are idle"
    return Finding("Shuffles", enough, f"{words}." if enough else f"{words}; {advice}.")


def kernel_finding(compiled: int, total: int) -> Finding:
    """Check whether all kernels are compiled on this machine.

    Parameters
    ----------
    compiled, total : int

    Examples
    --------
    >>> print(kernel_finding(110, 116))
    LOOK Kernels here: 110 of 116 are compiled; run `python -m kernels` once, or first calls wait.
    """
    complete = compiled == total
    words = f"{compiled} of {total} are compiled"
    advice = "run `python -m kernels` once, or first calls wait"
    return Finding("Kernels here", complete, f"{words}." if complete else f"{words}; {advice}.")


def executor_findings(
    here: Mapping[str, Any],
    executors: Sequence[Mapping[str, Any]],
    heap: int,
    heap_option: str = "spark.executor.memory",
    required: Mapping[str, str] = MappingProxyType({}),
    cores: int | None = None,
) -> Iterator[Finding]:
    """Check what executors have and lack.

    Parameters
    ----------
    here : mapping
        This process, as described by :func:`workbench.doctor.place.describe_this_process`.
    executors : sequence of mapping
        The same of Python workers on the executors, each distinct description once.
    heap : int
        The bytes that JVMs may use on each host.
    heap_option : str
        The option that sets them.
    required : mapping
        The versions of packages that the workbench requires, such as ``">=2.3"``.
    cores : int, optional
        How many tasks run at once in total; None if the session does not tell.

    Examples
    --------
    >>> from workbench.doctor.place import describe_this_process
    >>> here = describe_this_process()
    >>> there = {**here, "versions": {**here["versions"], "numba": None}}
    >>> for finding in executor_findings(here, [there], heap=0):
    ...     if not finding.good:
    ...         print(finding.sentence.replace(here["host"], "host-1"))
    host-1 lacks numba; install it there (pip install numba).
    """
    hosts = sorted({one["host"] for one in executors})
    pythons = sorted({one["python"] for one in executors})
    answers = f"Python {_joined(pythons)} answers on {_joined(hosts)}."
    yield Finding(
        "Executors",
        bool(executors),
        answers if executors else "Python does not answer on any of them.",
    )
    for packages, subject, why in (
        (NEEDED, "Packages", ""),
        (APPROXIMATE, "Sketches", " for the functions wb.fn.approx_..."),
    ):
        yield _packages(subject, why, packages, here, executors, required)
    yield _kernel_loading(executors)
    yield _compiled_kernels(here, executors)
    yield _memory(executors, heap, heap_option, -(-cores // len(hosts)) if cores and hosts else 1)


def _packages(
    subject: str,
    why: str,
    packages: Sequence[str],
    here: Mapping[str, Any],
    executors: Sequence[Mapping[str, Any]],
    required: Mapping[str, str],
) -> Finding:
    """Check whether packages are installed, and new enough."""
    faults, names, other_pythons = list[str](), set[str](), set[str]()
    for one in executors:
        versions = {name: one["versions"][name] for name in packages}
        missing = [name for name, version in versions.items() if version is None]
        outdated = {
            name: of for name, of in versions.items() if of and is_old(of, required.get(name, ""))
        }
        if missing:
            faults.append(f"{one['host']} lacks {_joined(missing)}")
        if outdated:
            versions_text = _joined([" ".join(pair) for pair in outdated.items()])
            faults.append(f"{one['host']} has {versions_text}")
        names |= {*missing, *outdated}
        if (missing or outdated) and _is_other_local_python(here, one):
            other_pythons.add(one["executable"])
    requirements = " ".join(
        f'"{name}{required[name]}"' if name in required else name for name in sorted(names)
    )
    if faults:
        faults_text = "; ".join(dict.fromkeys(faults))
        install = f"install it there{why} (pip install {requirements})"
        if other_pythons:
            install += (
                f", or set PYSPARK_PYTHON to {here['executable']} before the session is started: "
                f"workers run {_joined(sorted(other_pythons))}"
            )
        return Finding(subject, False, f"{faults_text}; {install}.")
    versions_found = {
        f"{name} {one['versions'][name]}": None for name in packages for one in executors
    }
    return Finding(subject, True, f"{_joined([*versions_found])} are installed.")


def _is_other_local_python(here: Mapping[str, Any], one: Mapping[str, Any]) -> bool:
    """Return whether a worker on this host runs another Python, and so could run this one."""
    return bool(one["host"] == here["host"] and one["executable"] != here["executable"])


def is_old(version: str, required: str) -> bool:
    """Return whether a version is below the minimum that is required.

    Examples
    --------
    >>> is_old("2.10.1", ">=2.3"), is_old("1.26.4", "<4,>=2.3"), is_old("1.0", "")
    (False, True, False)
    """
    least = re.search(r">=([\d.]+)", required)
    return least is not None and numbers(version) < numbers(least[1])


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, for comparison.

    Examples
    --------
    >>> numbers("17.0.15+6") < numbers("21"), numbers("1.8.0_392")[0]
    (True, 1)
    """
    return tuple(map(int, re.findall(r"\d+", version)))


def _kernel_loading(executors: Sequence[Mapping[str, Any]]) -> Finding:
    kernels = {one["host"]: one["kernels"] for one in executors}
    faults = [f"{host}: {one['fault']}" for host, one in kernels.items() if "fault" in one]
    advice = f"they cannot be loaded ({'; '.join(faults)}); fix what the message names."
    return Finding("Kernels there", not faults, advice if faults else "executors load them.")


def _compiled_kernels(here: Mapping[str, Any], executors: Sequence[Mapping[str, Any]]) -> Finding:
    """Check whether kernels compiled here run there: same sources, versions and processor."""
    own = here["kernels"].get("place")
    loaded = [one for one in executors if "fault" not in one["kernels"]]
    if executors and not loaded:
        words = "none can run there before kernels can be loaded; fix that first."
        return Finding("Compiled kernels", False, words)
    different = [one for one in loaded if one["kernels"].get("place", own) != own]
    if not different:
        where = "there" if len(loaded) == len(executors) else "where kernels can be loaded"
        return Finding("Compiled kernels", True, f"what is compiled here runs {where}.")
    one = different[0]
    names = ("numba", "llvmlite", "numpy")
    pairs = [("Python", here["python"], one["python"])]
    pairs += [(name, here["versions"][name], one["versions"][name]) for name in names]
    differs = [f"{name} {a} here and {b} there" for name, a, b in pairs if a != b]
    why = ", ".join(differs) or "another processor"
    words = f"{one['host']} compiles its own, a few seconds per kernel, once ({why})"
    return Finding("Compiled kernels", False, f"{words}; the same versions would avoid that.")


def _memory(
    executors: Sequence[Mapping[str, Any]], heap: int, heap_option: str, workers: int
) -> Finding:
    free = {one["host"]: one["memory"] - heap for one in executors if one["memory"] is not None}
    if not free:
        return Finding("Memory", True, "executors do not say how much they have.")
    host = min(free, key=lambda name: free[name])
    workers_text = f"{workers} of Python's workers" if workers > 1 else "Python's workers"
    words = (
        f"{workers_text} on {host} have {max(free[host], 0) / 2**30:.1f} GiB in addition to the JVM"
    )
    advice = (
        f"give the JVM less ({heap_option}), or run fewer tasks at once: each holds a partition"
    )
    good = free[host] >= MEMORY_PER_WORKER * workers
    return Finding("Memory", good, f"{words}." if good else f"{words}; {advice}.")


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
