"""What a release was made with: the packages that can move a number, and their versions."""

from importlib import metadata

PACKAGES = ("sharewell", "duckdb", "ibis-framework", "numpy", "numba", "pyarrow", "scikit-learn", "scipy")


def installed() -> dict[str, str]:
    """Every package that can move a number, with its version."""
    return {name: _version(name) for name in PACKAGES}


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        import sharewell

        if package == "sharewell":  # run from a source tree
            return sharewell.__version__
        raise
