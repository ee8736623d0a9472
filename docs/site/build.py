"""Build the site, a folder that is read with no network: ``make site``.

``docs/site/build.py [folder] [working folder]``: without them, ``site`` and ``build``.
"""

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What is described is of this checkout, also where another one is installed.
sys.path.insert(0, str(ROOT))

from links import broken_links  # noqa: E402
from sources import lay_out  # noqa: E402
from sphinx.cmd.build import main as sphinx  # noqa: E402

#: How pages are made; each warning is an error.
OPTIONS = ("-W", "--keep-going", "-q", "-c", Path(__file__).parent)


def main() -> None:
    """Lay the sources out, have Sphinx make pages of them, and follow their links."""
    site, work = folders(*sys.argv[1:])
    lay_out(work / "sources", work / "extra")
    made = work / "html"
    # What is kept of the last build is not warned of once more.
    for folder in made, work / "doctrees":
        shutil.rmtree(folder, ignore_errors=True)
    extra = f"html_extra_path={work / 'extra'}"
    options = [*OPTIONS, "-D", extra, "-d", work / "doctrees", work / "sources", made]
    # In this process, which has imported most of what is described.
    if sphinx([*map(str, options)]):
        sys.exit("The site has mistakes: see above.")
    # A template that the theme leaves among its scripts is no page.
    (made / "_static" / "webpack-macros.html").unlink(missing_ok=True)
    broken = broken_links(made)
    if broken:
        sys.exit("\n".join(["Links that lead nowhere:", *broken]))
    shutil.rmtree(site, ignore_errors=True)
    shutil.move(made, site)
    print(f"The site is in {site}: open index.html.")


def folders(site: str = "site", work: str = "build") -> tuple[Path, Path]:
    """Where the site goes, which was a site or nothing, and what is made on the way."""
    if (ROOT / site).exists() and not (ROOT / site / "searchindex.js").is_file():
        sys.exit(f"{site!r} is there, and is no site; name another folder.")
    return ROOT / site, ROOT / work


if __name__ == "__main__":
    main()
