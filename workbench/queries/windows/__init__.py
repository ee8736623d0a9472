"""The windows of a SELECT: their calls, frames and orders, and what Spark has other words for."""
