#!/bin/sh
# Print the Python to build the environment with: 3.11 to 3.13, able to make virtual environments
# and to put pip there. The system's own comes first: distributions build theirs with profiles,
# while pyenv, unless it is told to, builds one that needs half as long again for the same work.
for name in /usr/bin/python3 python3.13 python3.12 python3.11 python3 python; do
    if "$name" -c 'import sys, venv
from importlib.util import find_spec
can = (3, 11) <= sys.version_info < (3, 14) and (find_spec("ensurepip") or find_spec("pip"))
sys.exit(not can)' >/dev/null 2>&1; then
        command -v "$name"
        exit 0
    fi
done
echo "No Python 3.11, 3.12 or 3.13 that can make a virtual environment with pip was found:" \
    "install one, on Debian with \`apt-get install python3 python3-venv\`." >&2
exit 1
