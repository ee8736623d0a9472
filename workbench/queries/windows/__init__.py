"""The windows of a SELECT: their calls, frames and orders, on tables and streams."""
