"""What a person clicks: the three verbs, the explorers, the step player. Figures stand below."""

from typing import TYPE_CHECKING

import workbench.figures  # noqa: F401 (which says what plotly loads, before it is loaded)
from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.widgets.explorers.live_stream import LiveStream as LiveStream
    from workbench.widgets.explorers.tile import TileExplorer as TileExplorer
    from workbench.widgets.explorers.tree import TreeExplorer as TreeExplorer
    from workbench.widgets.explorers.views import LadderCostsView as LadderCostsView
    from workbench.widgets.explorers.views import ReadsPerFrameView as ReadsPerFrameView
    from workbench.widgets.explorers.views import SkewView as SkewView
    from workbench.widgets.explorers.window_types import WindowTypesExplorer as WindowTypesExplorer
    from workbench.widgets.lessons.stream import play_affected as play_affected
    from workbench.widgets.lessons.stream import play_close as play_close
    from workbench.widgets.lessons.stream import play_merge as play_merge
    from workbench.widgets.lessons.tiling import play_rung as play_rung
    from workbench.widgets.lessons.tree import play_tree as play_tree

__getattr__, __dir__ = lazily(
    __name__,
    {
        "LadderCostsView": "workbench.widgets.explorers.views",
        "LiveStream": "workbench.widgets.explorers.live_stream",
        "ReadsPerFrameView": "workbench.widgets.explorers.views",
        "SkewView": "workbench.widgets.explorers.views",
        "TileExplorer": "workbench.widgets.explorers.tile",
        "TreeExplorer": "workbench.widgets.explorers.tree",
        "WindowTypesExplorer": "workbench.widgets.explorers.window_types",
        "play_affected": "workbench.widgets.lessons.stream",
        "play_close": "workbench.widgets.lessons.stream",
        "play_merge": "workbench.widgets.lessons.stream",
        "play_rung": "workbench.widgets.lessons.tiling",
        "play_tree": "workbench.widgets.lessons.tree",
    },
)
