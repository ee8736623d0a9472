"""Whether a cluster or a server answers at all: Spark itself asks for minutes before it says so."""

import socket
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from workbench.errors import WorkbenchError

#: How Spark's addresses begin that name hosts, and the port where none is given.
PORTS = {"spark://": 7077, "sc://": 15002}
#: How addresses begin by option, and what is one as it stands.
KNOWN = {
    "spark.master": ("local", "spark://", "k8s://"),
    "spark.remote": ("local", "sc://"),
}
WHOLE = {"spark.master": ("yarn",), "spark.remote": ()}
#: How long one host is waited for, in seconds.
WAIT = 5


def check_reached(conf: Mapping[str, str]) -> None:
    """Raise where an address is none, or nothing that can be Spark answers there.

    Parameters
    ----------
    conf : mapping
        ``spark.master`` or ``spark.remote``.

    Raises
    ------
    WorkbenchError
        When it is no address, none answers, or what answers is no Spark Connect server where
        one is named. One of several is enough: a cluster's other masters may be waiting.

    Examples
    --------
    >>> check_reached({"spark.master": "local[2]"})
    >>> list(hosts("spark://one:7078,two")), list(hosts("sc://[::1]/;token=a"))
    ([('one', 7078), ('two', 7077)], [('::1', 15002)])
    """
    for option, address in conf.items():
        argument = option.removeprefix("spark.")
        if not address.startswith(KNOWN[option]) and address not in WHOLE[option]:
            or_one = "".join(f", or {whole}" for whole in WHOLE[option])
            raise WorkbenchError(
                f"{argument}: {address!r} is no address of Spark's; give one "
                f"that begins with {', '.join(KNOWN[option])}{or_one}."
            )
        try:
            faults = {f"{host}:{port}": fault(host, port) for host, port in hosts(address)}
        except ValueError as error:
            raise WorkbenchError(
                f"{argument}: {address!r} is no address of Spark's: {error}; give a host and a "
                "port, such as host:7077."
            ) from None
        if faults and all(faults.values()):
            said = ", ".join(f"{place} ({why})" for place, why in faults.items())
            raise WorkbenchError(
                f"{argument}: nothing answers at {said}; start it, or give "
                "the address that its log names."
            )
        if address.startswith("sc://") and not speaks_connect(address):
            raise WorkbenchError(
                f"{argument}: what listens at {', '.join(faults)} is no Spark Connect server; give "
                "the port that the server's log names, which is neither that of a master nor of "
                "a web page."
            )


def hosts(address: str) -> Iterator[tuple[str, int]]:
    """Yield the hosts and ports that an address of Spark names; none for ``local`` and ``yarn``."""
    for start, usual in PORTS.items():
        if address.startswith(start):
            for place in address.removeprefix(start).partition("/")[0].split(","):
                named = urlsplit(f"//{place}")
                yield named.hostname or "", named.port or usual


def fault(host: str, port: int) -> str:
    """Return why a host takes no connection, nothing where it does."""
    try:
        socket.create_connection((host, port), WAIT).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def speaks_connect(address: str) -> bool:
    """Return whether what takes connections at an address also begins to speak gRPC."""
    from grpc import FutureTimeoutError, channel_ready_future
    from pyspark.sql.connect.client import DefaultChannelBuilder

    channel = DefaultChannelBuilder(address).toChannel()
    try:
        channel_ready_future(channel).result(timeout=WAIT)
    except FutureTimeoutError:
        return False
    finally:
        channel.close()
    return True
