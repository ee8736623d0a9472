"""Find Chromium for the browser tests, or install it if that needs no user."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_browser() -> str | None:
    """Return the path of a Chromium or Chrome, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def provide_browser() -> None:
    """Install Chromium on Debian as root, else exit with instructions."""
    if not find_browser() and shutil.which("apt-get") and os.geteuid() == 0:
        print("Installing Chromium for the browser tests ...", flush=True)
        apt_get("update")
        apt_get("install", "-y", "--no-install-recommends", "chromium")
    if not find_browser():
        sys.exit(
            "The browser tests need Chromium or Chrome on the PATH: install it, on Debian with "
            "`sudo apt-get install chromium`, and run `make test` again."
        )


def apt_get(*arguments: str) -> None:
    """Run apt-get without questions; the caller checks that the program is there afterwards."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", *arguments]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
