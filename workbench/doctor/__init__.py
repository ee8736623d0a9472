"""Whether Spark, its executors and this machine are set up well. Nothing is computed here.

``python -m workbench.doctor`` says it in one sentence each.
"""
