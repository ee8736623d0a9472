"""How near each path is to the same Spark job with steps that do nothing."""
