"""Large partitions in pieces: the same answers as in one, wherever they are cut."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType

import workbench as wb
from tests.conftest import RunOn
from tests.workbench.jobs import no_job
from tests.workbench.over_cases import COLUMNS, PLACED, TIE_PROOF, Asked, alike, same, tables
from workbench import fn
from workbench.bundles import BUNDLE, PARTITION, BundleTask
from workbench.window_block import Call
from workbench.window_checks import order_terms
from workbench.window_cuts import CUTS, CutTask
from workbench.window_order import OrderColumn
from workbench.window_pieces import PieceTask
from workbench.window_plan import Resolved
from workbench.window_reach import Reach, reach_of, why_not
from workbench.window_samples import SampleTask
from workbench.window_task import WindowTask

CONDITIONS = {"whole > 0": ("whole", 0), "yes": ("yes", None), "whole <> 1": ("whole", 1)}


def conditions(rows: pa.Table) -> dict[str, pa.Array]:
    whole, yes = rows.column("whole"), rows.column("yes")
    return {
        "whole > 0": pa.compute.greater(whole, 0),
        "whole <> 1": pa.compute.not_equal(whole, 1),
        "yes": yes,
    }
