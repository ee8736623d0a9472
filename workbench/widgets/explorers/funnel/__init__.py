"""The funnel explorer: its tabs, their views, and the people behind a mark.

The base classes of all explorers are in the package above.
"""

from workbench.widgets.explorers.funnel.explorer import FunnelExplorer

__all__ = ["FunnelExplorer"]
