"""The classes of Spark as Java has them ready, so that a JVM starts in half the time.

``python -m workbench.spark.classes`` writes them down, once for a Java and a Spark.
"""
