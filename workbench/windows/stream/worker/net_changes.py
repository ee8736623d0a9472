"""The net effect of a batch's arrivals: retained rows that are removed, and rows that are added.

A changelog may have several changes of one row in a batch. Only their net effect is processed: at
most one removed and one added row, so that results are computed once.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.core.arrays import Ints, Mask
from kernels.stream.changelog import OPS
from workbench.columnar.key_codes import as_array, key_codes
from workbench.errors import WorkbenchError

#: The changes that remove a row.
REMOVALS = ("-U", "-D")


class Net(NamedTuple):
    """The net effect of a batch.

    Attributes
    ----------
    gone : uint8 array of shape (rows,)
        1 where a retained row is removed or replaced.
    added : int64 array of shape (added rows,)
        The arrivals that are added.
    replaces : int64 array of shape (added rows,)
        The retained row with the same id, -1 for a new row.
    late : int
        The number of arrivals dropped because they are late.
    untimed : int
        The number of arrivals dropped because they have no time.
    """

    gone: NDArray[np.uint8]
    added: Ints
    replaces: Ints
    late: int
    untimed: int


@dataclass(frozen=True)
class BatchRows:
    """The retained rows, followed by the arrivals in the order of arrival.

    Attributes
    ----------
    rows : pyarrow.Table
    row_id : tuple of str
        The columns that identify the rows of a partition, if there are any.
    partition : int64 array of shape (rows,)
    late, untimed : bool arrays of shape (rows,)
        Where the watermark has passed a row, and where a row that needs a time has none.
    retained : int
        The number of retained rows.
    """

    rows: pa.Table
    row_id: tuple[str, ...]
    partition: Ints
    late: Mask
    untimed: Mask
    retained: int

    def net_of_appends(self) -> Net:
        """Return the net effect of arrivals that are all new rows; their ids are checked.

        Returns
        -------
        Net

        Raises
        ------
        WorkbenchError
            When an id is null or not unique.
        """
        late, untimed = self.late[self.retained :], self.untimed[self.retained :]
        admitted = ~(late | untimed)
        if self.row_id:
            row, entity = self._entities()
            often = np.bincount(entity[admitted], minlength=len(row))
            self._refuse_twice((row >= 0) + often > 1, entity)
        added = np.flatnonzero(admitted)
        gone = np.zeros(self.retained, np.uint8)
        return Net(gone, added, np.full(len(added), -1), int(late.sum()), int(untimed.sum()))

    def net_of_changelog(self, op: pa.ChunkedArray, timed: bool) -> Net:
        """Return the net effect of the changes of a changelog.

        Files of one batch are read in any order, so changes of a row are matched by their values:
        a row that is added and removed in one batch has no effect. With a watermark, all changes
        of a row are late when one of them removes a row that the watermark has passed, or a row
        that is missing because it was late itself.

        Parameters
        ----------
        op : pyarrow.ChunkedArray
            The kind of each arriving change.
        timed : bool
            Whether there is a watermark, so that rows may have been late.

        Returns
        -------
        Net

        Raises
        ------
        WorkbenchError
            When a change is unknown, an id is null, an added row exists already, or, without a
            watermark, a removed row does not exist.
        """
        is_addition = _is_addition(op)
        row, entity = self._entities()
        left_out = self._left_out(is_addition, row, entity)
        if timed:
            left_out |= self._removes_missing(is_addition, left_out, row, entity)[entity]
        count = (row >= 0).astype(np.int64)
        np.add.at(count, entity[~left_out], np.where(is_addition, 1, -1)[~left_out])
        self._refuse_twice(count > 1, entity)
        if (count < 0).any():
            at = np.flatnonzero(count[entity] < 0)[-1]
            self._refuse("op", at, "removes {} is not there")
        changed_rows = np.zeros(len(row), np.bool_)
        changed_rows[entity[~left_out]] = True
        gone = np.zeros(self.retained, np.uint8)
        gone[row[changed_rows & (row >= 0)]] = 1
        stays = changed_rows & (count == 1)
        last = self._last(is_addition, left_out, row, entity)[stays]
        order = np.argsort(last)
        untimed = int(self.untimed[self.retained :].sum())
        late = int(left_out.sum()) - untimed
        return Net(gone, last[order], row[stays][order], late, untimed)

    def _left_out(self, is_addition: Mask, row: Ints, entity: Ints) -> Mask:
        """Return the changes to drop: late ones, and all changes of a row with a late removal."""
        late = self.late[self.retained :]
        passed = row >= 0
        passed[passed] = self.late[row[passed]]
        passed[entity[late & ~is_addition]] = True
        left_out: Mask = late | passed[entity] | self.untimed[self.retained :]
        return left_out

    def _removes_missing(self, is_addition: Mask, left_out: Mask, row: Ints, entity: Ints) -> Mask:
        """Return which entities are removed with values that no retained or added row has."""
        new = ~left_out & (row < 0)[entity]
        removed = np.zeros(len(row), np.bool_)
        removed[entity[new & ~is_addition]] = True
        at = np.flatnonzero(new & removed[entity])
        if not len(at):
            return removed
        balance = self._balance(self.retained + at, entity[at], np.where(is_addition[at], 1, -1))
        missing = np.zeros(len(row), np.bool_)
        missing[entity[at[balance < 0]]] = True
        return missing

    def _balance(self, at: Ints, entity: Ints, signs: Ints) -> NDArray[np.float64]:
        """Return how many more additions than removals each row has, matched by all its values."""
        rows = self.rows.take(pa.array(at)).append_column("", pa.array(entity))
        codes, count = key_codes(rows)
        return np.asarray(np.bincount(codes, signs, count)[codes])

    def _last(self, is_addition: Mask, left_out: Mask, row: Ints, entity: Ints) -> Ints:
        """Return the arrival that is each entity's final row, -1 where no arrival adds it."""
        at = np.flatnonzero(is_addition & ~left_out)
        last = np.full(len(row), -1)
        np.maximum.at(last, entity[at], at)
        several = np.bincount(entity[at], minlength=len(row)) > 1
        if several.any():
            changes = np.flatnonzero(~left_out & several[entity])
            known = np.flatnonzero(several & (row >= 0))
            at = np.concatenate([row[known], self.retained + changes])
            entities = np.concatenate([known, entity[changes]])
            change_signs = np.where(is_addition[changes], 1, -1)
            signs = np.concatenate([np.ones(len(known), np.int64), change_signs])
            balance = self._balance(at, entities, signs)[len(known) :]
            ends = changes[is_addition[changes] & (balance > 0)]
            np.maximum.at(last, entity[ends], ends + len(is_addition))
            last = np.where(last >= len(is_addition), last - len(is_addition), last)
        return last

    def _entities(self) -> tuple[Ints, Ints]:
        """Return the retained row of each entity, -1 for none, and the entity of each arrival."""
        known = self.rows.select(list(self.row_id))
        for column in known.columns:
            if column.slice(self.retained).null_count:
                raise WorkbenchError(
                    "row_id: a row's id is null; give every row one, or leave such rows out."
                )
        first = as_array(known.column(0))
        is_candidate = pc.is_in(first.slice(0, self.retained), value_set=first.slice(self.retained))
        candidates = np.flatnonzero(is_candidate.to_numpy(zero_copy_only=False))
        at = np.concatenate([candidates, np.arange(self.retained, len(first))])
        ids = known.take(pa.array(at)).append_column("", pa.array(self.partition[at]))
        codes, ids_count = key_codes(ids)
        row = np.full(ids_count, -1)
        row[codes[: len(candidates)]] = candidates
        code, entity = np.unique(codes[len(candidates) :], return_inverse=True)
        return row[code], entity

    def _refuse_twice(self, twice: Mask, entity: Ints) -> None:
        if twice.any():
            at = np.flatnonzero(twice[entity])[-1]
            self._refuse("row_id", at, "adds {} is there already")

    def _refuse(self, argument: str, at: int, what: str) -> None:
        row_id = [self.rows.column(name)[self.retained + int(at)].as_py() for name in self.row_id]
        effect = what.format(f"a row whose id {', '.join(map(repr, row_id))}")
        raise WorkbenchError(
            f"{argument}: a change {effect}; give each row its own id, and -U before +U."
        )


def _is_addition(op: pa.ChunkedArray) -> Mask:
    """Return which changes add a row."""
    known = pc.is_in(op, value_set=pa.array(OPS))
    if not pc.all(known).as_py() and len(op):
        wrong = op.filter(pc.invert(known))[0].as_py()
        raise WorkbenchError(f"op: {wrong!r} is not a change; give '+I', '-U', '+U' or '-D'.")
    is_addition = as_array(pc.invert(pc.is_in(op, value_set=pa.array(REMOVALS))))
    return np.asarray(is_addition.to_numpy(zero_copy_only=False), np.bool_)
