"""RisingWave's SQL with SESSION frames, which sqlglot does not read."""

from typing import Any

from sqlglot import exp
from sqlglot.dialects.risingwave import RisingWave
from sqlglot.parsers.risingwave import RisingWaveParser


class SessionParser(RisingWaveParser):
    """Reads ``SESSION WITH GAP ...`` behind the order of a window."""

    _session: exp.WindowSpec | None = None

    def _parse_partition_and_order(self) -> tuple[list[exp.Expr], exp.Expr | None]:
        found: tuple[list[exp.Expr], exp.Expr | None] = super()._parse_partition_and_order()
        self._session = None
        if self._match_text_seq("SESSION", "WITH", "GAP"):
            gap = self._parse_bitwise()
            if gap is None:
                self.raise_error("Expected a gap, such as INTERVAL '30 minutes'")
            excluded = self._match_text_seq("EXCLUDE")
            options = self.WINDOW_EXCLUDE_OPTIONS
            exclude = self._parse_var_from_options(options) if excluded else None
            self._session = exp.WindowSpec(kind="SESSION", start=gap, exclude=exclude)
        return found

    def _parse_window(self, this: Any, alias: bool = False) -> exp.Expr | None:
        found: exp.Expr | None = super()._parse_window(this, alias)
        if self._session is not None and isinstance(found, exp.Window):
            found.set("spec", self._session)
            self._session = None
        return found


class RisingWaveWithSessions(RisingWave):
    """The dialect as RisingWave reads it."""

    Parser = SessionParser
