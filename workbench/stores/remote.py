"""A store for several machines: Redis."""

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from workbench.arguments import check_text
from workbench.errors import WorkbenchError, kind_in_words, warn
from workbench.stores import Change, StoreError

#: The only eviction policy by which a full Redis drops no keys.
KEEPING = "noeviction"
#: The longest timeout: a day.
MOST_SECONDS = 86_400
SCHEMES = "redis://", "rediss://", "unix://"


class Redis:
    """A store in a Redis, for processes on several machines.

    Parameters
    ----------
    url : str
        Such as ``redis://host:6379/0``. Its user and password are never shown.
    name : str
        The prefix of its keys, so that several stores can share one Redis.
    timeout : float
        The seconds without an answer after which it counts as down.

    Raises
    ------
    WorkbenchError
        When an argument is not valid.

    Notes
    -----
    It is as durable as the Redis is configured to be. With the defaults a crash of the machine
    loses the newest minutes together with the number of the newest batch, so a stream that is
    restarted from an older checkpoint repeats them. With ``appendonly yes`` and ``appendfsync
    always`` nothing is lost.

    A Redis that drops keys when it is full would serve features without them. So each write checks
    its ``maxmemory-policy``, and is refused unless that is ``noeviction``.

    Examples
    --------
    >>> Redis("redis://ann:secret@host:6379/0")
    Redis('redis://host:6379/0')
    """

    shared = True

    def __init__(self, url: str, name: str = "workbench", timeout: float = 30.0) -> None:
        _check_url(url)
        if not isinstance(name, str):
            raise WorkbenchError(
                f"name: {name!r} is not text; give what the store's keys begin with."
            )
        check_text(name, "name")
        if not isinstance(timeout, int | float) or not 0 < timeout <= MOST_SECONDS:
            raise WorkbenchError(
                f"timeout: {timeout!r} is not possible; give a number of seconds above 0, up to "
                f"{MOST_SECONDS:,}."
            )
        self.url, self.name, self.timeout = url, name, timeout
        self._prefix = name.encode() + b":"
        self._client: Any = None
        self._warned = False

    def __repr__(self) -> str:
        return f"Redis({location(self.url)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Redis, (self.url, self.name, self.timeout)

    @property
    def place(self) -> str:
        """The location of the store, as text for users."""
        return f"the Redis at {location(self.url)}"

    def read(self, keys: Sequence[bytes]) -> list[bytes | None]:
        """Return the values of keys, all of one instant."""
        if not keys:
            return []
        try:
            found: list[bytes | None] = self._open().mget([self._prefix + key for key in keys])
        except redis.RedisError as error:
            raise self._down(error) from None
        return found

    def write(self, changes: Sequence[Change], expect: Change | None = None) -> bool:
        """Make all changes, or none, in one transaction."""
        self._check_policy()
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
        """Yield the entries with a prefix, about ``size`` at a time; not all of one instant."""
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
            # A lost connection is retried once at once, so a server that is down fails fast.
            waiting = {"socket_timeout": self.timeout, "retry": Retry(NoBackoff(), 1)}
            connecting = min(5.0, self.timeout)
            try:
                client = redis.Redis.from_url(
                    self.url, socket_connect_timeout=connecting, **waiting
                )
                settings = client.connection_pool.connection_kwargs
                # A URL can have options for other programs, but values are bytes here.
                settings |= {"retry": waiting["retry"], "decode_responses": False}
                # Unknown options of the URL raise only when a connection is made.
                client.connection_pool.connection_class(**settings)
            except (ValueError, TypeError, redis.ConnectionError):
                # The error's text is not shown, as it may contain a part of the password.
                raise StoreError(
                    f"store: the URL of {self.place} cannot be read; write it as "
                    "'redis://user:password@host:6379/0', with special characters of the "
                    "password as %XX."
                ) from None
            self._client = client
        return self._client

    def _check_policy(self) -> None:
        """Refuse a Redis that drops keys when it is full."""
        policy = self._policy()
        if policy is None and not self._warned:
            self._warned = True
            warn(
                f"store: {self.place} does not say what it does when it is full; make sure that "
                f"its maxmemory-policy is {KEEPING}, as others drop keys silently."
            )
        if policy not in (None, KEEPING):
            raise StoreError(
                f"store: {self.place} drops keys when it is full, as its maxmemory-policy is "
                f"{policy}; set it to {KEEPING}."
            )

    def _policy(self) -> str | None:
        """Return its policy when it is full, None if it does not tell."""
        client = self._open()
        attempts: list[tuple[Any, str]] = [
            (client.info, "memory"),
            (client.config_get, "maxmemory*"),
        ]
        for ask, what in attempts:
            try:
                answer = ask(what)
                if policy := answer.get("maxmemory_policy") or answer.get("maxmemory-policy"):
                    return str(policy)
            except redis.ResponseError:
                # Some users may not run the command, and some services do not answer it.
                continue
            except redis.RedisError as error:
                raise self._down(error) from None
        return None

    def _down(self, error: Exception) -> StoreError:
        if isinstance(error, redis.OutOfMemoryError):
            return StoreError(
                f"store: {self.place} is full; give it more memory (maxmemory), or another Redis."
            )
        what = self._without_password(str(error))
        if isinstance(error, redis.ResponseError | redis.AuthenticationError):
            return StoreError(
                f"store: {self.place} refuses ({what}); give the URL of one that this user may "
                "read and write."
            )
        # The error and the client refer to each other; the next call makes a new client.
        self._client = None
        return StoreError(
            f"store: {self.place} does not answer ({what}); "
            "start it, or give the URL of one that runs."
        )

    def _without_password(self, text: str) -> str:
        # A server's error repeats the arguments of a command that it does not know, such as AUTH.
        given = self._client.connection_pool.connection_kwargs if self._client else {}
        password = given.get("password")
        return text.replace(password, "...") if password else text


def _check_url(url: Any) -> None:
    """Refuse a value that is no URL of a Redis. It is not shown, as it may contain a password."""
    if not isinstance(url, str) or not url.startswith(SCHEMES):
        what = "this" if isinstance(url, str) else kind_in_words(url)
        raise WorkbenchError(
            f"url: {what} is not the URL of a Redis; write it as 'redis://user:password@host:6379/0'."
        )
    # The client would use database 0 for a name that is no number.
    database = re.fullmatch(r"redis(?:s)?://[^/?#]*/(?P<name>[^/?#]*)(?:[?#].*)?", url)
    if database and not re.fullmatch("[0-9]*", database["name"]) and "@" not in database["name"]:
        raise WorkbenchError(
            f"url: {database['name']!r} is not a database of {location(url)}; give its number, "
            "such as 'redis://host:6379/0'."
        )


def location(url: str) -> str:
    """Return the location of a Redis from its URL, without user and password.

    Examples
    --------
    >>> location("rediss://ann:secret@host:6380/0?ssl_cert_reqs=none"), location("redis://:a/b@host")
    ('rediss://host:6380/0', 'redis://...')
    """
    scheme, _, rest = url.partition("://")
    try:
        parts = urlsplit(url)
        host, _ = parts.netloc.rpartition("@")[2], parts.port
    except ValueError:
        return f"{scheme}://..."
    # A password with reserved characters may be in any of the later parts of the URL.
    if "@" in rest[len(parts.netloc) :]:
        return f"{scheme}://..."
    return f"{scheme}://{host}{parts.path}"
