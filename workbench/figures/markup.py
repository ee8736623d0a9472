"""Markup by its name among figures: it lives in :mod:`workbench.markup`, below all rooms."""

from workbench.markup import BREAK as BREAK
from workbench.markup import NO_NAME as NO_NAME
from workbench.markup import Markup as Markup
from workbench.markup import as_json as as_json
from workbench.markup import chart_text as chart_text
from workbench.markup import element as element
from workbench.markup import filled as filled
from workbench.markup import in_lines as in_lines
from workbench.markup import joined as joined
from workbench.markup import own_file as own_file
from workbench.markup import readable as readable
from workbench.markup import stylesheet as stylesheet
