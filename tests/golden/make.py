"""Write `releases.json` anew, for a change that is meant to change releases: python tests/golden/make.py [FILE]."""

import json
import sys
import tempfile
from pathlib import Path

from golden import releases

if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("releases.json")
    known, made = {}, releases.course()
    for name, plan in releases.cases():
        with tempfile.TemporaryDirectory() as folder:
            releases.write(Path(folder), made)
            known[name] = releases.released(Path(folder), plan)
            print(name, known[name]["passed"], flush=True)
    target.write_text(json.dumps(known, indent=1) + "\n")
