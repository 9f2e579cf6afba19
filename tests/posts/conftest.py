"""The name model that comes with Sharewell."""

from shipped_name_model import model

__all__ = ["model"]
