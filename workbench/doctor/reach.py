"""Check whether a cluster or server responds at all: Spark itself retries for minutes first."""

import socket
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from workbench.errors import WorkbenchError

#: Prefixes of Spark addresses that name hosts, with their default ports.
PORTS = {"spark://": 7077, "sc://": 15002}
#: Prefixes of valid addresses by option, and addresses that are valid as a whole.
ADDRESS_PREFIXES = {
    "spark.master": ("local", "spark://", "k8s://"),
    "spark.remote": ("local", "sc://"),
}
EXACT_ADDRESSES = {"spark.master": ("yarn",), "spark.remote": ()}
#: How long to wait for one host, in seconds.
TIMEOUT = 5


def check_reachable(conf: Mapping[str, str]) -> None:
    """Raise an error if an address is invalid, or if nothing that can be Spark responds there.

    Parameters
    ----------
    conf : mapping
        ``spark.master`` or ``spark.remote``.

    Raises
    ------
    WorkbenchError
        When it is no address, nothing responds, or what responds is not a Spark Connect server
        though it should be. One of several hosts is enough: other masters may be on standby.

    Examples
    --------
    >>> check_reachable({"spark.master": "local[2]"})
    >>> list(hosts("spark://one:7078,two")), list(hosts("sc://[::1]/;token=a"))
    ([('one', 7078), ('two', 7077)], [('::1', 15002)])
    """
    for option, address in conf.items():
        argument = option.removeprefix("spark.")
        if (
            not address.startswith(ADDRESS_PREFIXES[option])
            and address not in EXACT_ADDRESSES[option]
        ):
            or_exact = "".join(f", or {whole}" for whole in EXACT_ADDRESSES[option])
            raise WorkbenchError(
                f"{argument}: {address!r} is not an address of Spark; give one "
                f"that begins with {', '.join(ADDRESS_PREFIXES[option])}{or_exact}."
            )
        try:
            faults = {
                f"{host}:{port}": connection_error(host, port) for host, port in hosts(address)
            }
        except ValueError as error:
            raise WorkbenchError(
                f"{argument}: {address!r} is not an address of Spark: {error}; give a host and a "
                "port, such as host:7077."
            ) from None
        if faults and all(faults.values()):
            failures = ", ".join(f"{place} ({why})" for place, why in faults.items())
            raise WorkbenchError(
                f"{argument}: nothing answers at {failures}; start it, or give "
                "the address that its log names."
            )
        if address.startswith("sc://") and not speaks_connect(address):
            raise WorkbenchError(
                f"{argument}: what listens at {', '.join(faults)} is not a Spark Connect server; "
                "give the port that the server's log names, which is neither that of a master nor "
                "of a web page."
            )


def hosts(address: str) -> Iterator[tuple[str, int]]:
    """Yield the hosts and ports in a Spark address; none for ``local`` and ``yarn``."""
    for start, default_port in PORTS.items():
        if address.startswith(start):
            for location in address.removeprefix(start).partition("/")[0].split(","):
                parts = urlsplit(f"//{location}")
                yield parts.hostname or "", parts.port or default_port


def connection_error(host: str, port: int) -> str:
    """Return why a host accepts no connection, or empty text if it does."""
    try:
        socket.create_connection((host, port), TIMEOUT).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def speaks_connect(address: str) -> bool:
    """Return whether a server at an address also starts to speak gRPC."""
    from grpc import FutureTimeoutError, channel_ready_future
    from pyspark.sql.connect.client import DefaultChannelBuilder

    channel = DefaultChannelBuilder(address).toChannel()
    try:
        channel_ready_future(channel).result(timeout=TIMEOUT)
    except FutureTimeoutError:
        return False
    finally:
        channel.close()
    return True
