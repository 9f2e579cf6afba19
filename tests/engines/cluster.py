"""A cluster of Spark on this machine: a master and two workers, each a process of its own, on the loopback address."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
READY = 120  # seconds until two workers must have registered
SETTINGS = """spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.executor.memory 700m
spark.sql.shuffle.partitions 2
"""


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Where it is, and its workers."""

    address: str
    workers: tuple["subprocess.Popen[bytes]", ...]


@contextmanager
def cluster(folder: Path, environment: dict[str, str]) -> Iterator[Cluster]:
    """Two workers of one core each; they end with the block."""
    import pyspark

    home = Path(pyspark.__file__).parent
    here = {**os.environ, **environment, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": HOST, "SPARK_NO_DAEMONIZE": "1"}
    port = _free_port()
    started: list[subprocess.Popen[bytes]] = []

    def start(name: str, *words: str) -> "subprocess.Popen[bytes]":
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--host", HOST, *words]
        with (folder / f"{len(started)}.log").open("wb") as log:
            started.append(subprocess.Popen(command, env=here, stdout=log, stderr=log))
        return started[-1]

    try:
        start("master.Master", "--port", str(port), "--webui-port", "0")
        address = f"spark://{HOST}:{port}"
        shared = ("--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(folder / "work"), address)
        workers = tuple(start("worker.Worker", *shared) for _ in range(2))
        _wait(folder, started)
        yield Cluster(address=address, workers=workers)
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        return int(taken.getsockname()[1])


def _wait(folder: Path, started: list["subprocess.Popen[bytes]"]) -> None:
    """Until the master has seen both workers, told by its log."""
    until = time.monotonic() + READY
    while (folder / "0.log").read_text(errors="replace").count("Registering worker") < 2:
        if time.monotonic() > until or any(process.poll() is not None for process in started):
            raise RuntimeError((folder / "0.log").read_text(errors="replace")[-2000:])
        time.sleep(0.2)
