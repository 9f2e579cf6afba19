"""The better of full-domain and local recoding, and what every limit costs."""

from dataclasses import replace

from sharewell.errors import Refused
from sharewell.records.protection import full_domain, local
from sharewell.records.protection.predicted_outcomes import guided
from sharewell.records.protection.recoding import Recode, Recoding, Request, value_of

COST_SHARE = 0.2  # of the time of the search, for every combination of limits whose cost is reported
LARGEST_CUT = 4_000_000  # combinations × columns
FREER = 0.05  # share of rows that might be suppressed instead, or twice what the plan allows
SUPPRESSING = "with max_suppressed = "
NOTABLE = 0.005  # of the detail: a smaller difference is none


def recode(request: Request) -> Recoding:
    """Both methods with half of the time each; the one that loses less, or keeps more of the outcomes.

    In a very long table only full-domain recoding is tried: cutting takes time with every combination.
    """
    request = guided(replace(request, seconds=request.seconds / 2))
    cells = request.combinations.counts.size * len(request.combinations.quasi)
    methods = (full_domain.recode, local.recode) if cells <= LARGEST_CUT else (full_domain.recode,)
    made, refusal = [], None
    for method in methods:
        try:
            made.append(method(request))
        except Refused as error:
            refusal = error
    if refusal is not None and not made:
        raise refusal
    return min(made, key=lambda one: value_of(request, one))


def limit_costs(request: Request, method: Recode) -> dict[str, float]:
    """The loss with k alone, and with every further limit: the one that raises it is the one that binds.

    No outcome guides here: what a guided search gives up for its outcomes is not the price of a limit.
    """
    limits = request.limits
    steps = [replace(limits, l=None, t=None)]
    steps += [replace(limits, t=None)] if limits.l is not None else []
    steps += [limits] if limits.t is not None else []
    quick = replace(request, seconds=COST_SHARE * request.seconds, weight=0.0, guide=None)
    costs = {str(some): round(method(replace(quick, limits=some)).loss, 4) for some in steps}
    freer = replace(limits, max_suppressed=min(1.0, max(FREER, 2 * limits.max_suppressed)))
    costs[f"{SUPPRESSING}{freer.max_suppressed:g}"] = round(method(replace(quick, limits=freer)).loss, 4)
    return costs


def binding(costs: dict[str, float]) -> str:
    """What each limit costs, and which one binds: the one whose change would win most."""
    if not costs:
        return ""
    searched = {name: loss for name, loss in costs.items() if not name.startswith(SUPPRESSING)}
    names, losses = list(searched), list(searched.values())
    said = [f"Where detail alone counts, {names[0]} costs {losses[0]:.0%} of it"]
    said += [f"{name} costs {loss:.0%}" for name, loss in zip(names[1:], losses[1:], strict=True)]
    raises = {name.split(", ")[-1]: losses[n] - losses[n - 1] for n, name in enumerate(names) if n}
    for name, loss in costs.items():
        if name.startswith(SUPPRESSING):
            said.append(f"{name} it would cost {loss:.0%}")
            raises["max_suppressed"] = losses[-1] - loss
    most = max(raises, key=lambda name: raises[name], default="")
    binds = most if most and raises[most] >= NOTABLE else "k"
    return f"{'; '.join(said)}: {binds} is the limit that binds."
