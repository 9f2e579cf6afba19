"""A new audience is one entry of one table, which all kinds, the gate and the pages read."""

import json
import subprocess
import sys
from pathlib import Path

ADDED = """
import json
from dataclasses import replace

from sharewell.plan import audience_limits as table

kinds = {kind: dict(limits) for kind, limits in table.LIMITS["agreement"].kinds.items()}
kinds["records"]["k"], kinds["traces"]["k"] = 8, 7
partner = replace(table.LIMITS["agreement"], reader="partners", company=7, linkage=0.03, kinds=kinds)
table.LIMITS = {"public": table.LIMITS["public"], "partner": partner, "agreement": table.LIMITS["agreement"]}
table.AUDIENCES = tuple(table.LIMITS)

from pathlib import Path

from sharewell.plan.document import load_each
from sharewell.release import composition, linkage
from sharewell.show import words

folder = Path(FOLDER)
(folder / "log.csv").write_text("id,time,age\\n")
plan = '''[release]
name = "x"
audience = "partner"
[traces.log]
file = "log.csv"
student = "id"
at = "time"
drop = ["age"]
[records.people]
file = "log.csv"
student = "id"
quasi = ["age"]
drop = ["time"]
[audience.partner]
[audience.agreement]
'''
(folder / "plan.toml").write_text(plan)
wider, narrower = load_each(folder / "plan.toml")
print(json.dumps({
    "limits": {section.label: section.limits()["k"] for section in wider.sections},
    "narrower": {section.label: section.limits()["k"] for section in narrower.sections},
    "linkage": linkage.LIMITS[wider.header.audience].linkage,
    "company": composition.LIMITS["partner"].company,
    "order": composition.AUDIENCES,
    "reader": words.reader("partner"),
}))
"""


def test_a_new_audience_is_one_entry(tmp_path: Path) -> None:
    code = f"FOLDER = {str(tmp_path)!r}\n{ADDED}"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "limits": {"traces.log": 7, "records.people": 8},
        "narrower": {"traces.log": 5, "records.people": 5},
        "linkage": 0.03,
        "company": 7,
        "order": ["public", "partner", "agreement"],
        "reader": "partners",
    }
