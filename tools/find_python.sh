#!/bin/sh
# Print the Python to build the environment with: 3.11 to 3.13, able to make virtual environments.
for name in python3.13 python3.12 python3.11 python3 python; do
    if "$name" -c 'import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
        >/dev/null 2>&1; then
        command -v "$name"
        exit 0
    fi
done
echo "No Python 3.11, 3.12 or 3.13 that can make a virtual environment was found:" \
    "install one, on Debian with \`apt-get install python3 python3-venv\`." >&2
exit 1
