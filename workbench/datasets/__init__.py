"""Example data: nothing is downloaded, and every row is the same on every machine."""

from workbench.datasets.clicks import clickstream
from workbench.datasets.nyc_flights import flights
from workbench.datasets.nyc_weather import weather
from workbench.datasets.plants import power_plants

__all__ = ["clickstream", "flights", "power_plants", "weather"]
