"""Findings made by hand: a release that passes in all five kinds, and one that is refused."""

from dataclasses import replace

from sharewell.contract import Change, Count, Curve, CurvePoint, Measure, Risk, Utility
from sharewell.findings import Failure, FileFindings, Findings

PROMISED = "No student can be distinguished from fewer than 6 others by age; checked on the finished file."
MARK = '<b>&"quoted"</b>'  # must come out as text, wherever it stands

K = Measure(id="k", title="Smallest group of students who look alike (k)", unit="count", better="higher", promise=True)
L = Measure(id="l", title="Fewest different values within a group (l)", unit="count", better="higher", promise=True)
ALONE = Measure(id="alone", title="Students whom nobody else looks like", counts=True)
UNICITY = Measure(id="unicity", title="Students whom a few known points single out")
AUC = Measure(id="auc", title="Membership inference (AUC)", unit="auc")
TPR = Measure(id="tpr_at_1pct_fpr", title="Members found at 1 % false alarms")
RESIDUAL = Measure(id="residual", title="Names left per word")
FOUND = Measure(id="found within 10", title="Typists found within 10")
STRONGEST = Measure(id="strongest identification", title="Typists found by the strongest attack")
JOINED = Measure(id="joined", title="Students whom facts from two files single out")

STUDENTS_KEPT = Measure(id="students kept", title="Students kept", better="higher")
AUC_OF_PASSING = Measure(id="auc of passing", title="AUC of passing", unit="auc", better="higher")
POSTCODES = Measure(id="postcodes kept", title="Postcodes kept apart", better="higher")
INFORMATION = Measure(id="information kept", title="Information kept", better="higher")
EVENTS_KEPT = Measure(id="events kept", title="Events kept", better="higher")
PER_DAY = Measure(id="activity per day, error", title="Error of the activity per day")
SESSIONS = Measure(id="session length", title="Mean session length", unit="number", better="higher")
DETAIL = Measure(id="detail kept", title="Detail kept", better="higher")
RANKS = Measure(id="difficulty rank correlation", title="Order of difficulty", unit="number", better="higher")
WORDS_KEPT = Measure(id="words kept", title="Words kept", better="higher")
SPEED = Measure(id="mean speed, correlation", title="Correlation of mean speed", unit="number", better="higher")


def records() -> FileFindings:
    story = "Someone who knows age, sex and postcode of a student looks for the row that fits."
    k = Risk(measure=K, attacker="prosecutor", value=1, n=298, story=story)
    alone = Risk(measure=ALONE, attacker="prosecutor", value=0.62, low=0.56, high=0.67, n=298, chance=1 / 298)
    ell = Risk(measure=L, attacker="knows the class", value=1, n=298, setting={"column": "disability"})
    return FileFindings(
        kind="records", name="students", file="students.csv", format="csv", limits={"k": 5, "l": 2},
        rows_before=298, rows_after=298,
        before=(k, ell, alone),
        after=(
            replace(k, value=7, gate="k", limit=5, story=PROMISED),
            replace(ell, value=2, gate="l", limit=2, story="Students who look alike differ in disability."),
            replace(alone, value=0.0, low=0.0, high=0.012),
        ),
        utility=(
            Utility(measure=STUDENTS_KEPT, value=0.99, baseline=1.0, n=298, story="Rows that still say something."),
            Utility(measure=AUC_OF_PASSING, value=0.71, low=0.66, high=0.76, baseline=0.78, n=298),
            Utility(measure=POSTCODES, value=0.1, baseline=1.0, n=298),
        ),
        changes=(
            Change(columns=("name",), action="dropped", reason="it identifies a person by itself"),
            Change(columns=("student_id",), action="pseudonymised", reason="keyed pseudonyms", cells=Count(298)),
            Change(
                columns=("age",), action="coarsened", detail=f"in bins of five years {MARK}", reason="age singles out",
                cells=Count(298),
            ),
            Change(columns=("origin",), action="suppressed", reason="few students share it", cells=Count(3)),
        ),
        curve=Curve(
            strength="values given up", risk=K, utility=INFORMATION, limit=5,
            points=(
                CurvePoint(label="as it is", strength=0, risk=1, utility=1.0, meets=False),
                CurvePoint(label="age by 2", strength=1, risk=3, utility=0.81, meets=False),
                CurvePoint(label="age by 5, postcode away", strength=2, risk=7, utility=0.64, meets=True, chosen=True),
                CurvePoint(label="age away", strength=3, risk=31, utility=0.2, meets=True),
            ),
        ),
    )  # fmt: skip


def traces() -> FileFindings:
    risks = [
        Risk(
            measure=UNICITY, attacker=attacker, value=value, low=value - 0.02, high=min(1.0, value + 0.02), n=298,
            chance=1 / 298, seed=1, setting={"known": known, "window": "1min"}, story=f"Someone saw {known} moments.",
        )
        for attacker, known, value in (
            ("random points", 1, 0.71), ("random points", 4, 0.97), ("rare points", 4, 0.98),
            ("random points", 8, 0.98),
        )
    ]  # fmt: skip
    after = [
        replace(risk, value=value, low=value / 2, high=value * 1.4, setting={"known": risk.setting["known"]},
                gate="unicity" if risk.setting["known"] == 4 else None,
                limit=0.05 if risk.setting["known"] == 4 else None)
        for risk, value in zip(risks, (0.004, 0.031, 0.044, 0.09), strict=True)
    ]  # fmt: skip
    points = [
        CurvePoint(label=f"window {window}, at least {least}", strength=strength, risk=risk, low=risk * 0.8,
                   high=min(1.0, risk * 1.2), utility=utility, meets=risk <= 0.05, chosen=(window, least) == ("1d", 20))
        for window, least, strength, risk, utility in (
            ("1min", 1, 0, 0.97, 1.0), ("15min", 1, 1, 0.93, 0.82), ("1h", 1, 2, 0.8, 0.7), ("1d", 1, 3, 0.37, 0.52),
            ("1d", 10, 4, 0.11, 0.48), ("1d", 20, 5, 0.04, 0.41), ("1w", 1, 4, 0.055, 0.3), ("1w", 5, 5, 0.03, 0.28),
        )
    ]  # fmt: skip
    return FileFindings(
        kind="traces", name="clicks", file="clicks.parquet", format="parquet", limits={"unicity": 0.05},
        rows_before=41_207, rows_after=36_019, before=tuple(risks), after=tuple(after),
        utility=(
            Utility(measure=EVENTS_KEPT, value=0.874, baseline=1.0, n=41_207),
            Utility(measure=PER_DAY, value=0.13, baseline=0.0, n=90),
            Utility(measure=SESSIONS, value=0.0, baseline=21.5, n=298, story="Minutes; times of day are gone."),
        ),
        changes=(
            Change(columns=("time",), action="coarsened", detail="start of its day", reason="exact times single out",
                   cells=Count(36_019)),
        ),
        curve=Curve(strength="detail given up", risk=UNICITY, utility=DETAIL, limit=0.05,
                    points=tuple(points), note="Settings are tried from the most useful down."),
    )  # fmt: skip


def responses() -> FileFindings:
    auc = Risk(
        measure=AUC, attacker="subsequence", value=0.93, low=0.9, high=0.95, chance=0.5, n=298, story="Compares."
    )
    tpr = Risk(measure=TPR, attacker="transitions", value=0.7, chance=0.01, n=298, story="Rare steps.")
    return FileFindings(
        kind="responses", name="attempts", file="attempts.csv", format="csv", limits={"membership": 0.55, "tpr": 0.03},
        rows_before=11_240, rows_after=11_077, synthetic=True, before=(auc, tpr),
        after=(
            replace(auc, value=0.512, low=0.48, high=0.545, gate="membership", limit=0.55),
            replace(tpr, value=0.012, low=0.004, high=0.03, gate="tpr", limit=0.03),
        ),
        utility=(Utility(measure=RANKS, value=0.93, baseline=1.0, n=60),),
    )  # fmt: skip


def posts() -> FileFindings:
    before = Risk(measure=RESIDUAL, attacker="reader", value=0.021, low=0.018, high=0.024, n=600, story="Reads on.")
    after = replace(before, value=0.0, low=0.0, high=0.0004, gate="residual", limit=0.0005, bound="high")
    return FileFindings(
        kind="posts", name="forum", file="forum.csv", format="csv", limits={"residual": 0.0005},
        rows_before=1_201, rows_after=1_201, before=(before,), after=(after,),
        utility=(Utility(measure=WORDS_KEPT, value=0.968, baseline=1.0, n=40_000),),
        changes=(
            Change(columns=("message",), action="redacted", detail="names replaced", reason="they name persons",
                   cells=Count(812)),
        ),
    )  # fmt: skip


def keystrokes() -> FileFindings:
    found = [
        Risk(measure=FOUND, attacker=attacker, value=value, low=value - 0.05, high=min(1.0, value + 0.05),
             chance=10 / 298, n=298, setting={"within": 10, "candidates": 298}, story="Knows how a student types.")
        for attacker, value in (("nearest profiles", 0.43), ("likelihood ratio", 0.97))
    ]  # fmt: skip
    after = [
        replace(risk, attacker=f"{risk.attacker}, raw reference", value=0.05, low=0.03, high=0.08) for risk in found
    ]
    held = replace(after[1], measure=STRONGEST, gate="found", limit=0.1)
    return FileFindings(
        kind="keystrokes", name="typing", file="keys.parquet", format="parquet", limits={"found": 0.1},
        rows_before=90_112, rows_after=90_112, before=tuple(found), after=(held, *after),
        utility=(Utility(measure=SPEED, value=0.91, baseline=1.0, n=298),),
        changes=(
            Change(columns=("press_ms",), action="moved", detail="drawn anew", reason="rhythm names its typist",
                   cells=Count(90_112)),
        ),
        curve=Curve(strength="share of times from everyone", risk=STRONGEST, utility=SPEED, limit=0.1,
                    points=tuple(CurvePoint(label=f"mix {mix}", strength=mix, risk=1 - mix * 0.95, utility=1 - mix / 4,
                                            meets=mix == 1, chosen=mix == 1) for mix in (0.0, 0.25, 0.5, 0.75, 1.0))),
    )  # fmt: skip


def passing() -> Findings:
    linkage = Risk(
        measure=JOINED, attacker="holds two files", value=0.01, low=0.0, high=0.02, chance=0.003, n=298, gate="linkage",
        limit=0.05, story="Someone matches the rows of two files by what they have in common.",
    )  # fmt: skip
    return Findings(
        release="Intro to Programming 2025", audience="agreement", join=False, seed=3, linkage=(linkage,),
        files=(records(), traces(), responses(), posts(), keystrokes()),
    )  # fmt: skip


def refused() -> Findings:
    """Traces over their limit although a setting would do, records without any, posts without a number."""
    good = passing()
    small, events = records(), traces()
    k = replace(small.after[0], value=4)
    assert small.curve is not None
    tried = tuple(replace(point, meets=False, chosen=False) for point in small.curve.points[:2])
    over = tuple(replace(risk, value=0.12, high=0.15) if risk.gate else risk for risk in events.after)
    lost = replace(posts(), after=(), utility=(), rows_after=None,
                   failures=(Failure(stage="risk after", reason="ValueError at risk.py:61"),))  # fmt: skip
    files = (
        replace(small, after=(k, *small.after[1:]), curve=replace(small.curve, points=tried)),
        replace(events, after=over),
        responses(),
        lost,
        keystrokes(),
    )
    return replace(good, files=files)
