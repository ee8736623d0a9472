"""Moving quantiles along a partition, prepared for interactive charts."""
