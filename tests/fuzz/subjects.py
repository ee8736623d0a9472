"""The subjects of a search, each with its statements."""

from tests.fuzz import backfill, entities, funnel, online, queries, streams, windows
from tests.fuzz.check import Check

SUBJECTS: dict[str, list[Check]] = {
    "funnel": funnel.CHECKS,
    "windows": windows.CHECKS,
    "backfill": backfill.CHECKS,
    "entities": entities.CHECKS,
    "streams": streams.CHECKS,
    "online": online.CHECKS,
    "sql": queries.CHECKS,
}
