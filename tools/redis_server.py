"""Install Redis for the tests of stores, if that needs no user.

The tests call ``python tools/redis_server.py`` if there is no Redis.
"""

import os
import shutil
import sys

from browser import apt_get


def provide_redis() -> None:
    """Install redis-server on Debian as root, else exit with instructions."""
    if not shutil.which("redis-server") and shutil.which("apt-get") and os.geteuid() == 0:
        print("Installing redis-server for the tests of stores ...", flush=True)
        apt_get("update")
        apt_get("install", "-y", "--no-install-recommends", "redis-server")
    if not shutil.which("redis-server"):
        sys.exit(
            "The tests of stores need redis-server on the PATH: install it, on Debian with "
            "`sudo apt-get install redis-server`, and run them again."
        )


if __name__ == "__main__":
    provide_redis()
