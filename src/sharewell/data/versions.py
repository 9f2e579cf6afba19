"""What a release was made with: the packages that can move a number, and their versions."""

from functools import cache
from importlib import metadata

PACKAGES = (
    "sharewell", "duckdb", "ibis-framework", "numpy", "numba", "pandas", "pyarrow", "pyspark", "rapidfuzz",
    "scikit-learn", "scipy", "torch", "opendp", "pyagrum",
)  # fmt: skip


def installed() -> dict[str, str]:
    """Every package that can move a number, with its version."""
    return {name: _version(name) for name in PACKAGES}


@cache
def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        import sharewell

        return sharewell.__version__ if package == "sharewell" else "not installed"
