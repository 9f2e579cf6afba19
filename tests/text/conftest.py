"""The small name model."""

from small_name_model import model, own_cache

__all__ = ["model", "own_cache"]
