"""Check whether Spark, its executors and this machine are set up well.

``python -m workbench.doctor`` prints one sentence for each check.
"""
