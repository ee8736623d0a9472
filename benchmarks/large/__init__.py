"""Hundreds of millions of rows on one machine, compared with a tenth of them."""
