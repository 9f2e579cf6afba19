"""A desk as people start it: the command in a process of its own, its links, and an end that may be sudden."""

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
LINK = re.compile(r"^(?P<name>.+?)(?: \(steward\))?: (?P<link>http\S+)$")


@dataclass
class Live:
    """A running desk; each link in `links` opens it once."""

    process: "subprocess.Popen[str]"
    links: dict[str, str]

    @property
    def origin(self) -> str:
        return next(iter(self.links.values())).partition("/enter")[0]

    def hold(self) -> None:
        """Whoever works for the desk stands still, so that no work ends before somebody stops it."""
        children: list[str] = []
        for _ in range(2400):
            asked = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True)
            if children := asked.stdout.split():
                break
            time.sleep(0.05)
        assert children, "nobody waits for work"
        for child in children:
            os.kill(int(child), signal.SIGSTOP)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(120)

    def end(self) -> None:
        """As Ctrl+C does."""
        self.process.send_signal(2)
        self.process.wait(120)


def live(folder: Path, *reviewers: str, options: tuple[str, ...] = ()) -> Live:
    named = [part for name in reviewers for part in ("--reviewer", name)]
    command = [sys.executable, "-W", "ignore", "-m", "sharewell", "desk", str(folder), "--port", "0", *named, *options]
    here = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=here)
    links: dict[str, str] = {}
    assert process.stdout is not None
    while len(links) < 1 + len(reviewers):
        line = process.stdout.readline()
        if not line:
            raise RuntimeError("the desk did not start")
        if found := LINK.match(line.strip()):
            links[found["name"]] = found["link"]
    return Live(process, links)
