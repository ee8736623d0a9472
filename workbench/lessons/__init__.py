"""The data of lessons: runs, steps and counts.

``figures`` and ``widgets`` draw them.
"""

from typing import TYPE_CHECKING

from kernels.lazy import lazily

if TYPE_CHECKING:
    from workbench.lessons.arrivals import arrivals_of as arrivals_of
    from workbench.lessons.follow import Follower as Follower
    from workbench.lessons.ladder_costs import growth as growth
    from workbench.lessons.ladder_costs import ladder_costs_table as ladder_costs_table
    from workbench.lessons.reads_per_frame import reads_per_frame_table as reads_per_frame_table
    from workbench.lessons.replay import Replay as Replay
    from workbench.lessons.tree_run import number_words as number_words

__getattr__, __dir__ = lazily(
    __name__,
    {
        "Follower": "workbench.lessons.follow",
        "Replay": "workbench.lessons.replay",
        "arrivals_of": "workbench.lessons.arrivals",
        "growth": "workbench.lessons.ladder_costs",
        "number_words": "workbench.lessons.tree_run",
        "ladder_costs_table": "workbench.lessons.ladder_costs",
        "reads_per_frame_table": "workbench.lessons.reads_per_frame",
    },
)
