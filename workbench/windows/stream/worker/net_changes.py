"""What the arrivals of a batch come to: rows of the state that go, and rows that come.

A changelog may say several things of one row in a batch. Only what they come to is carried on: at
most one row that goes and one that comes, so that answers are computed once.
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

COMES = ("+I", "+U")


class Net(NamedTuple):
    """What a batch comes to.

    Attributes
    ----------
    gone : uint8 array of shape (rows,)
        1 where a row of the state goes, or is replaced.
    come : int64 array of shape (rows that come,)
        Which arrivals these are.
    heir : int64 array of shape (rows that come,)
        The row of the state whose id each has, -1 for one that is new.
    late : int
        How many arrivals are left out for the watermark.
    untimed : int
        How many are left out for want of a time.
    """

    gone: NDArray[np.uint8]
    come: Ints
    heir: Ints
    late: int
    untimed: int


@dataclass(frozen=True)
class Came:
    """The rows of the state, and behind them those that arrive, in the order of their arrival.

    Attributes
    ----------
    rows : pyarrow.Table
    row_id : tuple of str
        The columns that tell rows of a partition apart, if there are any.
    partition : int64 array of shape (rows,)
    late, untimed : bool arrays of shape (rows,)
        Where the watermark has passed a row, and where one that needs a time has none.
    retained : int
        How many rows are the state's.
    """

    rows: pa.Table
    row_id: tuple[str, ...]
    partition: Ints
    late: Mask
    untimed: Mask
    retained: int

    def appended(self) -> Net:
        """Return what arrivals come to that are all new; their ids are checked.

        Returns
        -------
        Net

        Raises
        ------
        WorkbenchError
            When an id is null, or there twice.
        """
        late, untimed = self.late[self.retained :], self.untimed[self.retained :]
        admitted = ~(late | untimed)
        if self.row_id:
            row, entity = self._entities()
            often = np.bincount(entity[admitted], minlength=len(row))
            self._refuse_twice((row >= 0) + often > 1, entity)
        come = np.flatnonzero(admitted)
        gone = np.zeros(self.retained, np.uint8)
        return Net(gone, come, np.full(len(come), -1), int(late.sum()), int(untimed.sum()))

    def changed(self, op: pa.ChunkedArray, timed: bool) -> Net:
        """Return what the changes of a changelog come to.

        Files of one batch are read in any order, so it is by what they say that changes of a row
        are matched: what comes and is taken back in a batch has never been. With a watermark, all
        that is said of a row is late when it takes back what the watermark has passed, or what is
        not there: that was late itself.

        Parameters
        ----------
        op : pyarrow.ChunkedArray
            What becomes of the row of each arrival.
        timed : bool
            Whether there is a watermark, so that rows may have been late.

        Returns
        -------
        Net

        Raises
        ------
        WorkbenchError
            When a change is not known, an id is null, a row comes that is there, or, without a
            watermark, one is taken back that is not.
        """
        comes = _comes(op)
        row, entity = self._entities()
        left_out = self._left_out(comes, row, entity)
        if timed:
            left_out |= self._unknown(comes, left_out, row, entity)[entity]
        there = (row >= 0).astype(np.int64)
        np.add.at(there, entity[~left_out], np.where(comes, 1, -1)[~left_out])
        self._refuse_twice(there > 1, entity)
        if (there < 0).any():
            at = np.flatnonzero(there[entity] < 0)[-1]
            self._refuse("op", at, "takes back {} is not there")
        changed_rows = np.zeros(len(row), np.bool_)
        changed_rows[entity[~left_out]] = True
        gone = np.zeros(self.retained, np.uint8)
        gone[row[changed_rows & (row >= 0)]] = 1
        stays = changed_rows & (there == 1)
        last = self._last(comes, left_out, row, entity)[stays]
        order = np.argsort(last)
        untimed = int(self.untimed[self.retained :].sum())
        late = int(left_out.sum()) - untimed
        return Net(gone, last[order], row[stays][order], late, untimed)

    def _left_out(self, comes: Mask, row: Ints, entity: Ints) -> Mask:
        """Which changes are left out: with a late one that takes back, all others of its row."""
        late = self.late[self.retained :]
        passed = row >= 0
        passed[passed] = self.late[row[passed]]
        passed[entity[late & ~comes]] = True
        left_out: Mask = late | passed[entity] | self.untimed[self.retained :]
        return left_out

    def _unknown(self, comes: Mask, left_out: Mask, row: Ints, entity: Ints) -> Mask:
        """Which rows are taken back as what they have been neither before nor in this batch."""
        new = ~left_out & (row < 0)[entity]
        taken_back = np.zeros(len(row), np.bool_)
        taken_back[entity[new & ~comes]] = True
        at = np.flatnonzero(new & taken_back[entity])
        if not len(at):
            return taken_back
        left = self._balance(self.retained + at, entity[at], np.where(comes[at], 1, -1))
        unknown = np.zeros(len(row), np.bool_)
        unknown[entity[at[left < 0]]] = True
        return unknown

    def _balance(self, at: Ints, which: Ints, signs: Ints) -> NDArray[np.float64]:
        """How often each of some rows comes more than it goes, told apart by all its values."""
        rows = self.rows.take(pa.array(at)).append_column("", pa.array(which))
        codes, count = key_codes(rows)
        return np.asarray(np.bincount(codes, signs, count)[codes])

    def _last(self, comes: Mask, left_out: Mask, row: Ints, entity: Ints) -> Ints:
        """The arrival that each row ends as, -1 for those that no arrival brings."""
        at = np.flatnonzero(comes & ~left_out)
        last = np.full(len(row), -1)
        np.maximum.at(last, entity[at], at)
        several = np.bincount(entity[at], minlength=len(row)) > 1
        if several.any():
            changes = np.flatnonzero(~left_out & several[entity])
            there = np.flatnonzero(several & (row >= 0))
            at = np.concatenate([row[there], self.retained + changes])
            which = np.concatenate([there, entity[changes]])
            signs = np.concatenate([np.ones(len(there), np.int64), np.where(comes[changes], 1, -1)])
            left = self._balance(at, which, signs)[len(there) :]
            ends = changes[comes[changes] & (left > 0)]
            np.maximum.at(last, entity[ends], ends + len(comes))
            last = np.where(last >= len(comes), last - len(comes), last)
        return last

    def _entities(self) -> tuple[Ints, Ints]:
        """Each row that is spoken of as a row of the state, -1 for none; and which one each is."""
        known = self.rows.select(list(self.row_id))
        for column in known.columns:
            if column.slice(self.retained).null_count:
                raise WorkbenchError(
                    "row_id: a row's id is null; give every row one, or leave such rows out."
                )
        first = as_array(known.column(0))
        spoken_of = pc.is_in(first.slice(0, self.retained), value_set=first.slice(self.retained))
        near = np.flatnonzero(spoken_of.to_numpy(zero_copy_only=False))
        at = np.concatenate([near, np.arange(self.retained, len(first))])
        ids = known.take(pa.array(at)).append_column("", pa.array(self.partition[at]))
        codes, count = key_codes(ids)
        found = np.full(count, -1)
        found[codes[: len(near)]] = near
        entity, which = np.unique(codes[len(near) :], return_inverse=True)
        return found[entity], which

    def _refuse_twice(self, twice: Mask, entity: Ints) -> None:
        if twice.any():
            at = np.flatnonzero(twice[entity])[-1]
            self._refuse("row_id", at, "brings {} is there already")

    def _refuse(self, argument: str, at: int, what: str) -> None:
        given = [self.rows.column(name)[self.retained + int(at)].as_py() for name in self.row_id]
        effect = what.format(f"a row whose id {', '.join(map(repr, given))}")
        raise WorkbenchError(
            f"{argument}: a change {effect}; give each row an id of its own, and -U before +U."
        )


def _comes(op: pa.ChunkedArray) -> Mask:
    """Where a change brings a row."""
    known = pc.is_in(op, value_set=pa.array(OPS))
    if not pc.all(known).as_py() and len(op):
        wrong = op.filter(pc.invert(known))[0].as_py()
        raise WorkbenchError(f"op: {wrong!r} is no change; give '+I', '-U', '+U' or '-D'.")
    found = as_array(pc.is_in(op, value_set=pa.array(COMES)))
    return np.asarray(found.to_numpy(zero_copy_only=False), np.bool_)
