"""A new release beside earlier ones: linked pseudonyms, intersected groups, and who left or came."""

from collections.abc import Sequence
from dataclasses import replace
from operator import floordiv, mod

import numpy as np
import pyarrow as pa
import pytest
from whole.planted import events, file, names, rounded

from sharewell import disclosure
from sharewell.contract import Risk
from sharewell.release import composition, stated, summary
from sharewell.release.composition import Now, Past, risks
from sharewell.release.linkage import File
from sharewell.release.look_alikes import look_alikes
from sharewell.stats.arrays import Array

KEY, OTHER = "key-1", "key-2"


def now(*files: File, key: str = OTHER, audience: str = "agreement") -> Now:
    return Now(audience=audience, key=key, join=False, files=files, seed=0)


def before(*files: File, key: str = KEY, audience: str = "agreement", name: str = "r1") -> Past:
    return Past(id=name, audience=audience, key=key, join=False, files=files)


def by_name(found: list[Risk]) -> dict[str, Risk]:
    return {risk.name: risk for risk in found}


def log(table: pa.Table) -> File:
    return file("traces.log", rounded(table, "at", 7), times=["at"], known=["at"])


def without(table: pa.Table, gone: list[str]) -> pa.Table:
    return table.filter(pa.array([name not in gone for name in table["who"].to_pylist()]))


def test_a_fresh_key_does_not_keep_two_releases_of_a_log_apart() -> None:
    clicks = events(150, seed=1)
    found = by_name(risks(now(log(clicks)), [before(log(clicks))]))
    assert found["linked to an earlier release"].value > 0.9
    assert found["linked to an earlier release"].holds is False


def test_with_the_same_key_there_is_nothing_to_link_and_the_facts_add_up_to_no_more() -> None:
    """Two weeks of ten known from each release: the same four weeks as from one."""
    draw = np.random.default_rng(0)
    rows = [(name, f"2025-03-{3 + 7 * week:02d}") for name in names(200) for week in range(4) if draw.random() < 0.9]
    table = pa.table({"who": [who for who, _ in rows], "at": [at for _, at in rows]})
    one = file("traces.log", table, times=["at"], known=["at"])
    found = by_name(risks(now(one, key=KEY), [before(one)]))
    assert "linked to an earlier release" not in found
    assert found["joined with an earlier release"].holds


def test_releases_of_two_terms_that_share_habits_only_are_measured() -> None:
    """The same students, activity drawn anew: chance is what is found, and that passes."""
    found = by_name(risks(now(log(events(150, seed=1))), [before(log(events(150, seed=2)))]))
    assert found["linked to an earlier release"].holds


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("key", [KEY, OTHER])
def test_who_opted_out_is_named_and_refused(count: int, key: str) -> None:
    clicks = events(120, seed=3)
    gone = names(120)[10 : 10 + count]
    found = by_name(risks(now(log(without(clicks, gone)), key=key), [before(log(clicks))]))
    left = found["named by leaving or coming"]
    assert left.value > 0.9 / count and left.holds is False and left.limit == pytest.approx(1 / 5)


def test_who_opts_out_in_company_is_hidden() -> None:
    """Five whom nobody else's weeks resemble: the log told them apart before, and leaving tells no more."""
    clicks = events(120, seed=3)
    alike = look_alikes(log(clicks))
    gone = sorted(who for who, others in alike.items() if len(others) < 5)[:5]
    found = by_name(risks(now(log(without(clicks, gone)), key=KEY), [before(log(clicks))]))
    assert found["named by leaving or coming"].holds


def test_a_newcomer_stands_out_as_well() -> None:
    clicks = events(120, seed=3)
    found = by_name(risks(now(log(clicks), key=KEY), [before(log(without(clicks, ["s0007"])))]))
    assert found["named by leaving or coming"].holds is False
    assert "came" in str(found["named by leaving or coming"].setting["who"])


def table(bands: list[str], grades: list[int]) -> File:
    rows = pa.table({"who": names(len(bands)), "band": bands, "grade": grades})
    return file("records.students", rows, known=["band"])


def leaving(gone: list[str], company: frozenset[str] = frozenset()) -> Risk:
    """Thirty students in three bands of ten; some leave, and the pseudonyms stay the same."""
    whole = table([f"band {number % 3}" for number in range(30)], [0] * 30)
    less = file("records.students", without(whole.table.to_pyarrow(), gone), known=["band"])
    after = Now(audience="agreement", key=KEY, join=False, files=(less,), seed=0, company=company)
    return by_name(risks(after, [before(whole)]))["named by leaving or coming"]


def test_five_who_leave_and_look_different_name_each_other() -> None:
    """Five gone are company enough only for those who look like them: of one band, or told apart by their band."""
    assert leaving(names(30)[0:15:3]).value == pytest.approx(1 / 5)  # all of band 0
    mixed = leaving(names(30)[:5])  # two of band 0, two of band 1, one of band 2
    assert mixed.value == 1.0 and mixed.holds is False


def test_who_left_only_as_company_is_nobody_to_look_for() -> None:
    """Five of one band leave because one asked to; one of another band left only with them."""
    gone = [*names(30)[0:15:3], names(30)[1]]
    assert leaving(gone).holds is False
    assert leaving(gone, frozenset(gone[1:])).value == pytest.approx(1 / 5)


def test_students_who_look_alike_come_together() -> None:
    whole = table([f"band {number % 3}" for number in range(30)], [0] * 30)
    for came, holds in ((names(30)[0:15:3], True), (names(30)[:5], False)):
        less = file("records.students", without(whole.table.to_pyarrow(), came), known=["band"])
        assert by_name(risks(now(whole, key=KEY), [before(less)]))["named by leaving or coming"].holds is holds


def test_groups_of_two_releases_intersect_to_certainty() -> None:
    """Five look-alikes in each release; the two groups of a student share that student alone."""
    side = 6
    grades = [number * 7 % 36 for number in range(side * side)]
    rows = table([f"row {number // side}" for number in range(side * side)], grades)
    columns = table([f"column {number % side}" for number in range(side * side)], grades)
    certain = by_name(risks(now(rows), [before(columns)]))["certain by two releases"]
    assert certain.value == 1.0 and certain.holds is False
    again = by_name(risks(now(rows, key=KEY), [before(rows)]))["certain by two releases"]
    assert again.value == 0.0


def shared(group: Sequence[int]) -> File:
    """A log in which the students of a group share two days, and no other group has them."""
    pairs = [(name, one, day) for name, one in zip(names(len(group)), group, strict=True) for day in (3, 4)]
    days = [f"day {2 * one + day}" for _, one, day in pairs]
    return file("traces.log", pa.table({"who": [who for who, _, _ in pairs], "at": days}), known=["at"])


def test_shared_rows_of_two_releases_leave_less_company_unless_groups_stay() -> None:
    """Groups of six share two days in each release; a student's two groups share nobody else."""
    side = 6
    rows, columns = (shared([split(number, side) for number in range(36)]) for split in (floordiv, mod))
    anew = by_name(risks(now(rows, key=KEY), [before(columns)]))["company by two releases"]
    assert anew.value == 1 and anew.holds is False and "groups.csv" in anew.story
    again = by_name(risks(now(rows, key=KEY), [before(rows)]))["company by two releases"]
    assert again.value == side and again.gate is None
    assert "company by two releases" not in by_name(risks(now(rows), [before(columns)]))  # other pseudonyms


@pytest.mark.parametrize("audience", ["public", "agreement", "enclave"])
def test_one_student_whom_two_releases_leave_alone_is_seen_beside_a_mean_that_is_fine(audience: str) -> None:
    """Two hundred in groups of twenty; one of them is in another group in the next version."""
    group = [number // 20 for number in range(200)]
    first, second = shared(group), shared([1, *group[1:]])
    found = by_name(risks(now(second, key=KEY, audience=audience), [before(first, audience=audience)]))
    assert found["company by two releases"].value == 1 and found["company by two releases"].holds is False


@pytest.mark.parametrize(("audience", "k"), [("public", 10), ("agreement", 5), ("enclave", 3)])
def test_groups_of_records_in_two_releases_leave_nobody_fewer_than_k(audience: str, k: int) -> None:
    """Groups of twenty; of each pair of groups two students change places, and the mean hardly moves."""
    group = [number // 20 for number in range(400)]
    moved = [one ^ 1 if number % 20 < 2 else one for number, one in enumerate(group)]
    first, second = (table([f"band {one}" for one in bands], [0] * 400) for bands in (group, moved))
    found = by_name(risks(now(second, key=KEY, audience=audience), [before(first, audience=audience)]))
    fewest = found["company by two releases"]
    assert (fewest.value, fewest.limit, fewest.holds) == (2, k, False) and "recoding.csv" in fewest.story
    again = by_name(risks(now(first, key=KEY, audience=audience), [before(first, audience=audience)]))
    assert again["company by two releases"].gate is None


def test_finer_groups_inside_those_of_a_wider_audience_are_as_small_as_they_say() -> None:
    """Groups of five inside groups of ten: both releases together tell what the finer one tells alone."""
    coarse, fine = (table([f"band {number // size}" for number in range(200)], [0] * 200) for size in (10, 5))
    found = by_name(risks(now(fine, key=KEY), [before(coarse, audience="public")]))["company by two releases"]
    assert found.value == 5 and found.gate is None


def test_who_is_no_more_exposed_by_two_releases_than_by_one_is_gated_there() -> None:
    """A group of twenty leaves, and one student shares rows with nobody in either version."""
    group = [number // 20 for number in range(200)]
    whole = shared([99, *group[1:]])
    less = file("traces.log", without(whole.table.to_pyarrow(), names(200)[180:]), known=["at"])
    found = by_name(risks(now(less, key=KEY, audience="public"), [before(whole, audience="public")]))
    assert found["company by two releases"].gate is None
    smaller = shared([99, *group[1:180], *[8] * 15])  # five leave a group of twenty, fifteen of another come
    mixed = file("traces.log", without(smaller.table.to_pyarrow(), names(200)[160:165]), known=["at"])
    found = by_name(risks(now(mixed, key=KEY, audience="public"), [before(whole, audience="public")]))
    assert found["company by two releases"].value == 15 and found["company by two releases"].holds


def problems_told(found: list[Risk], students: int, audience: str) -> list[str]:
    """What verification says of the measurements as the papers state them."""
    told = [summary._result(risk) for risk in disclosure.results(found, students=students)]
    return list(stated._linkage_problems({"files": [], "join": False, "linkage": told, "audience": audience}))


def test_the_limits_of_two_releases_are_those_that_verification_allows() -> None:
    """So many students that no limit hides behind what a blind guess may reach in a small class."""
    log_of_groups = shared([number // 20 for number in range(240)])
    found = risks(now(log_of_groups, key=KEY, audience="public"), [before(log_of_groups, audience="public")])
    assert all(risk.holds for risk in found if risk.gate)
    assert problems_told(found, 240, "public") == []
    loose = [replace(risk, limit=0.9) for risk in found if risk.gate]
    assert len(problems_told(loose, 240, "public")) == len(loose)


def test_what_every_measure_may_be_held_to_is_declared() -> None:
    assert composition.LOOSEST.keys() == {measure.id for measure in composition.MEASURES}


def test_the_limit_is_that_of_those_who_may_hold_both() -> None:
    clicks = log(events(150, seed=4))
    for mine, theirs, limit in (("public", "public", 0.02), ("public", "agreement", 0.05), ("enclave", "public", 0.2)):
        found = by_name(risks(now(clicks, key=KEY, audience=mine), [before(clicks, audience=theirs)]))
        assert found["joined with an earlier release"].limit == limit


def test_the_worst_of_twenty_is_told() -> None:
    """Twenty earlier releases of three hundred students, the last of them the same log."""
    clicks = events(300, seed=9, mean=20)
    others = [before(log(events(300, seed=20 + turn, mean=20)), name=f"r{turn}", key=f"k{turn}") for turn in range(19)]
    found = by_name(risks(now(log(clicks)), [*others, before(log(clicks), name="same")]))
    assert "same" in found["linked to an earlier release"].attacker
    assert found["linked to an earlier release"].setting["earlier releases"] == 20


def amounts(label: str, activity: Array, gone: Sequence[str], seed: int) -> File:
    """How much every student did: all that a file tells, and in two files nearly the same."""
    counts = np.random.default_rng(seed).poisson(np.exp(3.0 + 0.7 * activity)) + 1
    who = [name for name, count in zip(names(len(counts)), counts, strict=True) for _ in range(count)]
    return file(label, without(pa.table({"who": who}), list(gone)))


def moved(gone: Sequence[Sequence[str]], *, joined: bool = False) -> list[Risk]:
    """Two files of 150 students from which some leave."""
    activity = np.random.default_rng(5).normal(size=150)
    labels = ("traces.log", "posts.forum")
    first = [amounts(label, activity, [], seed) for seed, label in enumerate(labels)]
    second = [amounts(label, activity, gone[seed], seed) for seed, label in enumerate(labels)]
    made = Now(audience="agreement", key=KEY, join=joined, files=tuple(second), seed=0)
    return [risk for risk in risks(made, [before(*first)]) if risk.name == "linked by leaving or coming"]


def test_pseudonyms_of_two_files_are_linked_among_the_same_few_who_left() -> None:
    """Among all students amounts link one in twenty; among the same five who left both files they link half of them."""
    (linked,) = moved([names(150)[:5], names(150)[:5]])
    assert linked.value > 0.4 and linked.holds is False and linked.limit == pytest.approx(1 / 5)
    (apart,) = moved([names(150)[:10], [*names(150)[:5], *names(150)[20:25]]])  # five of ten are the same
    assert apart.value < 0.2 and apart.holds
    (one,) = moved([names(150)[:5], [names(150)[0], *names(150)[20:24]]])  # one of five
    assert one.value == pytest.approx(1 / 5) and one.holds


def test_where_nobody_left_both_files_or_pseudonyms_are_the_same_there_is_nothing_to_link() -> None:
    assert moved([names(150)[:5], names(150)[20:25]]) == []
    assert moved([names(150)[:5], names(150)[:5]], joined=True) == []
