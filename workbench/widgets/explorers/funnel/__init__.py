"""The funnel explorer: its tabs, what each shows, and the people behind a mark.

What all explorers share lives beside it.
"""

from workbench.widgets.explorers.funnel.explorer import FunnelExplorer

__all__ = ["FunnelExplorer"]
