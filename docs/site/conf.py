"""How Sphinx makes the site: docs/decisions/0039-a-site.md says why so."""

import gc
import sys
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import kernels  # noqa: E402

# Trees of nodes are many and kept: to look through them for rubbish takes an eighth of a build.
gc.set_threshold(100_000, 50, 1_000)

project = "Window workbench"
extensions = ["myst_nb", "docstrings", "sphinx.ext.autodoc", "sphinx.ext.viewcode"]
nitpicky = True
# Pages of other projects are on the network.
nitpick_ignore_regex = [("py:.*", r"(numpy|pandas|pyspark)\..*")]

# Markdown: the links of a page in the repository are those of the page in the site.
myst_heading_anchors = 3
myst_enable_extensions = ["attrs_block"]
# Notebooks: as they were saved; nothing runs here.
nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}

# The reference: numpydoc's sections, without a second list of each class's members.
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "Window workbench"
html_static_path = [
    str(Path(__file__).parent / "static"),
    str(ROOT / "workbench" / "widgets" / "static" / "living.js"),
]
html_css_files = ["site.css"]
html_js_files = [("living.js", {"type": "text/javascript", "defer": "defer"})]
html_copy_source = html_show_sourcelink = False
# The browser reads no second file from a folder: a search shows titles and no extracts.
html_show_search_summary = False
html_context = {"default_mode": "auto"}
html_sidebars: dict[str, list[str]] = {"algorithms": []}
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    # Notebooks have none: players and explorers need the room.
    "secondary_sidebar_items": {
        "notebooks/**": [],
        "algorithms": [],
        **{
            name: ["page-toc"]
            for name in ("index", "benchmarks", "docs/**", "reference/**", "[A-Z]*")
        },
    },
    "footer_start": [],
    "footer_end": [],
}


def exported(app: Sphinx, env: Any, node: Any, contnode: Any) -> Any:
    """Find what is referred to by the name that ``kernels`` exports it by."""
    package, _, name = node.get("reftarget", "").partition(".")
    first, dot, rest = name.partition(".")
    if package != "kernels" or first not in kernels.__all__:
        return None
    full = f"{getattr(kernels, first).__module__}.{first}{dot}{rest}"
    found = env.get_domain("py").resolve_xref
    return found(env, node["refdoc"], app.builder, node["reftype"], full, node, contnode)


def setup(app: Sphinx) -> None:
    """Let Sphinx know of the language of the architecture's picture, and of exported names."""
    app.add_lexer("mermaid", TextLexer)
    app.connect("missing-reference", exported)
