"""What is said of a session, one sentence each: from what was found to words. Nothing is asked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from workbench.doctor.place import APPROXIMATE, NEEDED
from workbench.spark.partitions import DEFAULT_PARTITIONS, SHUFFLE_PARTITIONS, number_of_partitions
from workbench.spark.sessions.java import OLDEST
from workbench.spark.sessions.session import BUFFERS, PROVIDER, ROCKSDB, UNCHECKED

#: What a Python worker, which holds a partition, should have beside the JVM, in bytes.
ENOUGH = 2**29


class Finding(NamedTuple):
    """One thing that was looked at.

    Attributes
    ----------
    subject : str
    good : bool
        Whether nothing is to be done.
    sentence : str
        What was found, and what to do where it is not good.
    """

    subject: str
    good: bool
    sentence: str

    def __str__(self) -> str:
        return f"{'ok  ' if self.good else 'LOOK'} {self.subject}: {self.sentence}"


def of_versions(ours: str, theirs: str, java: str, wanted: str) -> Iterator[Finding]:
    """Say whether this Spark is one that the workbench is made for.

    Parameters
    ----------
    ours, theirs : str
        The versions of PySpark here, and of the Spark that answers.
    java : str
        The version of that Spark's Java.
    wanted : str
        The versions of PySpark that the workbench asks for.

    Examples
    --------
    >>> for finding in of_versions("4.3.0", "4.2.1", "21.0.4", ">=4.3,<4.4"):
    ...     print(finding)
    LOOK Spark: PySpark 4.3.0 talks to Spark 4.2.1; have the same on both sides (>=4.3,<4.4).
    ok   Java: 21.0.4 runs Spark.
    """
    same = ours.split(".")[:2] == theirs.split(".")[:2]
    advice = f"have the same on both sides ({wanted})"
    words = f"PySpark {ours} talks to Spark {theirs}"
    yield Finding("Spark", same, f"{words}." if same else f"{words}; {advice}.")
    new = numbers(java) >= (OLDEST,)
    advice = f"have {OLDEST} or newer there, and JAVA_HOME name it"
    yield Finding("Java", new, f"{java} runs Spark." if new else f"{java} runs Spark; {advice}.")


def of_settings(settings: Mapping[str, str], cores: int | None) -> Iterator[Finding]:
    """Say which of Spark's options cost time, or keep something from working.

    Parameters
    ----------
    settings : mapping
        Spark's options by name, as far as they are set.
    cores : int, optional
        How many tasks run at once, all in all; None where the session does not say.

    Examples
    --------
    >>> found = of_settings({"spark.sql.session.timeZone": "UTC"}, 4)
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
    yield Finding("Arrow's checks", not checked, advice if checked else "off, as they may be.")
    rocks = settings.get(PROVIDER) == ROCKSDB
    advice = f"streams need {PROVIDER} set to {ROCKSDB}."
    yield Finding("State of streams", rocks, "RocksDB keeps it." if rocks else advice)
    yield _partitions(settings, cores)


def _partitions(settings: Mapping[str, str], cores: int | None) -> Finding:
    number = number_of_partitions(settings.get(SHUFFLE_PARTITIONS, str(DEFAULT_PARTITIONS)))
    if number is None:
        return Finding("Shuffles", True, "Spark chooses how many partitions a shuffle has.")
    if cores is None:
        words = f"a shuffle has {number} partitions; have at least as many as cores"
        return Finding("Shuffles", True, f"{words} ({SHUFFLE_PARTITIONS}).")
    enough = number >= cores
    words = f"a shuffle has {number} partitions for {cores} cores"
    advice = f"raise {SHUFFLE_PARTITIONS}, as cores wait for each other"
    return Finding("Shuffles", enough, f"{words}." if enough else f"{words}; {advice}.")


def of_kernels(compiled: int, all_of_them: int) -> Finding:
    """Say whether kernels are compiled on this machine.

    Parameters
    ----------
    compiled, all_of_them : int

    Examples
    --------
    >>> print(of_kernels(110, 116))
    LOOK Kernels here: 110 of 116 are compiled; run `python -m kernels` once, else calls wait.
    """
    ready = compiled == all_of_them
    words = f"{compiled} of {all_of_them} are compiled"
    advice = "run `python -m kernels` once, else calls wait"
    return Finding("Kernels here", ready, f"{words}." if ready else f"{words}; {advice}.")


def of_executors(
    here: Mapping[str, Any],
    there: Sequence[Mapping[str, Any]],
    heap: int,
    heap_option: str = "spark.executor.memory",
    wanted: Mapping[str, str] = MappingProxyType({}),
    cores: int | None = None,
) -> Iterator[Finding]:
    """Say what executors have and lack.

    Parameters
    ----------
    here : mapping
        This process, as :func:`workbench.doctor.place.described_here` has it.
    there : sequence of mapping
        The same of Python workers on the executors, each different one once.
    heap : int
        What the JVMs beside them may take on each host, in bytes.
    heap_option : str
        The option that says so.
    wanted : mapping
        The versions of packages that the workbench asks for, such as ``">=2.3"``.
    cores : int, optional
        How many tasks run at once, all in all; None where the session does not say.

    Examples
    --------
    >>> from workbench.doctor.place import described_here
    >>> here = described_here()
    >>> there = {**here, "versions": {**here["versions"], "numba": None}}
    >>> for finding in of_executors(here, [there], heap=0):
    ...     if not finding.good:
    ...         print(finding.sentence.replace(here["host"], "host-1"))
    host-1 lacks numba; install it there (pip install numba).
    """
    hosts = sorted({one["host"] for one in there})
    pythons = sorted({one["python"] for one in there})
    answers = f"Python {_listed(pythons)} answers on {_listed(hosts)}."
    yield Finding("Executors", bool(there), answers if there else "Python answers on none.")
    for packages, subject, why in (
        (NEEDED, "Packages", ""),
        (APPROXIMATE, "Sketches", " for the functions wb.fn.approx_..."),
    ):
        yield _packages(subject, why, packages, here, there, wanted)
    yield _loaded(there)
    yield _taken_over(here, there)
    yield _memory(there, heap, heap_option, -(-cores // len(hosts)) if cores and hosts else 1)


def _packages(
    subject: str,
    why: str,
    packages: Sequence[str],
    here: Mapping[str, Any],
    there: Sequence[Mapping[str, Any]],
    wanted: Mapping[str, str],
) -> Finding:
    """Whether packages are there, and new enough."""
    faults, names, others = list[str](), set[str](), set[str]()
    for one in there:
        versions = {name: one["versions"][name] for name in packages}
        lacks = [name for name, version in versions.items() if version is None]
        old = {name: of for name, of in versions.items() if of and is_old(of, wanted.get(name, ""))}
        faults += [f"{one['host']} lacks {_listed(lacks)}"] if lacks else []
        faults += (
            [f"{one['host']} has {_listed([' '.join(o) for o in old.items()])}"] if old else []
        )
        names |= {*lacks, *old}
        if (lacks or old) and _is_another_here(here, one):
            others.add(one["executable"])
    asked = " ".join(
        f'"{name}{wanted[name]}"' if name in wanted else name for name in sorted(names)
    )
    if faults:
        said = "; ".join(dict.fromkeys(faults))
        install = f"install it there{why} (pip install {asked})"
        if others:
            install += (
                f", or set PYSPARK_PYTHON to {here['executable']} before the session is started: "
                f"workers run {_listed(sorted(others))}"
            )
        return Finding(subject, False, f"{said}; {install}.")
    found = {f"{name} {one['versions'][name]}": None for name in packages for one in there}
    return Finding(subject, True, f"{_listed([*found])} are there.")


def _is_another_here(here: Mapping[str, Any], one: Mapping[str, Any]) -> bool:
    """Whether a worker is on this host and runs another Python, so that it could run this one."""
    return bool(one["host"] == here["host"] and one["executable"] != here["executable"])


def is_old(version: str, wanted: str) -> bool:
    """Whether a version is below the least that is asked for.

    Examples
    --------
    >>> is_old("2.10.1", ">=2.3"), is_old("1.26.4", "<4,>=2.3"), is_old("1.0", "")
    (False, True, False)
    """
    least = re.search(r">=([\d.]+)", wanted)
    return least is not None and numbers(version) < numbers(least[1])


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, to be compared.

    Examples
    --------
    >>> numbers("17.0.15+6") < numbers("21"), numbers("1.8.0_392")[0]
    (True, 1)
    """
    return tuple(map(int, re.findall(r"\d+", version)))


def _loaded(there: Sequence[Mapping[str, Any]]) -> Finding:
    loaded = {one["host"]: one["kernels"] for one in there}
    faults = [f"{host}: {found['fault']}" for host, found in loaded.items() if "fault" in found]
    advice = f"they cannot be loaded ({'; '.join(faults)}); mend what the message names."
    return Finding("Kernels there", not faults, advice if faults else "executors load them.")


def _taken_over(here: Mapping[str, Any], there: Sequence[Mapping[str, Any]]) -> Finding:
    """Whether what is compiled here runs there: same sources, versions and processor."""
    own = here["kernels"].get("place")
    loaded = [one for one in there if "fault" not in one["kernels"]]
    if there and not loaded:
        words = "none can run there before kernels can be loaded; mend that first."
        return Finding("Compiled kernels", False, words)
    others = [one for one in loaded if one["kernels"].get("place", own) != own]
    if not others:
        where = "there" if len(loaded) == len(there) else "where kernels can be loaded"
        return Finding("Compiled kernels", True, f"what is compiled here runs {where}.")
    one = others[0]
    names = ("numba", "llvmlite", "numpy")
    pairs = [("Python", here["python"], one["python"])]
    pairs += [(name, here["versions"][name], one["versions"][name]) for name in names]
    differs = [f"{name} {a} here and {b} there" for name, a, b in pairs if a != b]
    why = ", ".join(differs) or "another processor"
    words = f"{one['host']} compiles its own, some seconds a kernel, once ({why})"
    return Finding("Compiled kernels", False, f"{words}; the same versions would spare that.")


def _memory(
    there: Sequence[Mapping[str, Any]], heap: int, heap_option: str, workers: int
) -> Finding:
    rest = {one["host"]: one["memory"] - heap for one in there if one["memory"] is not None}
    if not rest:
        return Finding("Memory", True, "executors do not say how much they have.")
    host = min(rest, key=lambda name: rest[name])
    many = f"{workers} of Python's workers" if workers > 1 else "Python's workers"
    words = f"{many} on {host} have {max(rest[host], 0) / 2**30:.1f} GiB beside the JVM"
    advice = (
        f"give the JVM less ({heap_option}), or run fewer tasks at once: each holds a partition"
    )
    good = rest[host] >= ENOUGH * workers
    return Finding("Memory", good, f"{words}." if good else f"{words}; {advice}.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"
