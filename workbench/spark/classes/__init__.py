"""An archive of Spark's classes in a form that Java maps, so that a JVM starts in half the time.

``python -m workbench.spark.classes`` writes it, once for each version of Java and Spark.
"""
