"""A store for many machines: Redis."""

from collections.abc import Iterator, Sequence
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from workbench.stores import Change, StoreError


class Redis:
    """A store in a Redis, for processes of many machines.

    Parameters
    ----------
    url : str
        Such as ``redis://host:6379/0``.
    name : str
        What its keys begin with, so that several stores share one Redis.
    timeout : float
        After how many seconds without an answer it is down.

    Notes
    -----
    It is as safe against crashes as the Redis is set up to be: with its defaults a machine that
    goes down loses the newest minutes, the mark of the newest batch with them, so a stream that is
    restarted from an older checkpoint brings them again. With ``appendonly yes`` and ``appendfsync
    always`` nothing is lost.
    """

    shared = True

    def __init__(self, url: str, name: str = "workbench", timeout: float = 30.0) -> None:
        self.url, self.name, self.timeout = url, name, timeout
        self._prefix = name.encode() + b":"
        self._client: Any = None

    def __repr__(self) -> str:
        return f"Redis({self.url!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Redis, (self.url, self.name, self.timeout)

    @property
    def place(self) -> str:
        """Where it is, as a person calls it."""
        return f"the Redis at {self.url.rpartition('@')[2]}"

    def read(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return what keys hold, all at one instant."""
        if not keys:
            return []
        try:
            found: list[bytes | None] = self._open().mget([self._prefix + key for key in keys])
        except redis.RedisError as error:
            raise self._down(error) from None
        return found

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        """Make all changes, or none, in one transaction."""
        try:
            with self._open().pipeline(transaction=True) as pipe:
                if expect is not None:
                    pipe.watch(self._prefix + expect[0])
                    if pipe.get(self._prefix + expect[0]) != expect[1]:
                        return False
                    pipe.multi()
                for key, value in changes:
                    if value is None:
                        pipe.delete(self._prefix + key)
                    else:
                        pipe.set(self._prefix + key, value)
                pipe.execute()
            return True
        except redis.WatchError:
            return False
        except redis.RedisError as error:
            raise self._down(error) from None

    def scan(self, prefix: bytes, size: int = 10_000) -> Iterator[list[tuple[bytes, bytes]]]:
        """Yield what begins with a prefix, so much at once; not all at one instant."""
        cursor, own = 0, len(self._prefix)
        pattern = b"".join(
            b"\\" + bytes([one]) if one in b"*?[]\\" else bytes([one])
            for one in self._prefix + prefix
        )
        while True:
            try:
                cursor, names = self._open().scan(cursor, match=pattern + b"*", count=size)
                values = self._open().mget(names) if names else []
            except redis.RedisError as error:
                raise self._down(error) from None
            pairs = zip(names, values, strict=True)
            if found := [(name[own:], value) for name, value in pairs if value is not None]:
                yield found
            if not cursor:
                return

    def _open(self) -> Any:
        if self._client is None:
            try:
                # A connection that was lost is made again at once, and nobody waits for a server
                # that is down.
                waiting = {"socket_timeout": self.timeout, "retry": Retry(NoBackoff(), 1)}
                connecting = min(5.0, self.timeout)
                self._client = redis.Redis.from_url(
                    self.url, socket_connect_timeout=connecting, **waiting
                )
            except ValueError as error:
                raise self._down(error) from None
        return self._client

    def _down(self, error: Exception) -> StoreError:
        return StoreError(
            f"store: {self.place} does not answer ({error}); "
            "start it, or give the URL of one that runs."
        )
