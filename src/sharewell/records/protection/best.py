"""The better of full-domain and local recoding, and what every limit costs."""

from dataclasses import replace

from sharewell.errors import Refused
from sharewell.records.protection import full_domain, local
from sharewell.records.protection.predicted_outcomes import guided
from sharewell.records.protection.recoding import Recode, Recoding, Request, value_of

COST_SHARE = 0.2  # of the time of the search, for every combination of limits whose cost is told


def recode(request: Request) -> Recoding:
    """Both methods with half of the time each; the one that loses less, or keeps more of the outcomes."""
    request = guided(replace(request, seconds=request.seconds / 2))
    made, refusal = [], None
    for method in (full_domain.recode, local.recode):
        try:
            made.append(method(request))
        except Refused as error:
            refusal = error
    if refusal is not None and not made:
        raise refusal
    return min(made, key=lambda one: value_of(request, one))


def limit_costs(request: Request, method: Recode) -> dict[str, float]:
    """The loss with k alone, and with every further limit: the one that raises it is the one that binds."""
    limits = request.limits
    steps = [replace(limits, l=None, t=None)]
    steps += [replace(limits, t=None)] if limits.l is not None else []
    steps += [limits] if limits.t is not None else []
    if len(steps) < 2:
        return {}
    quick = guided(replace(request, seconds=COST_SHARE * request.seconds))
    return {str(held): round(method(replace(quick, limits=held)).loss, 4) for held in steps}


def binding(costs: dict[str, float]) -> str:
    """Which limit binds, in one sentence."""
    if not costs:
        return ""
    (first, least), *rest = costs.items()
    told = [f"{first} alone costs {least:.0%} of the detail", *(f"{held} costs {loss:.0%}" for held, loss in rest)]
    last = [least, *(loss for _, loss in rest)]
    raised = max(range(1, len(last)), key=lambda n: last[n] - last[n - 1])
    if last[raised] - last[raised - 1] < 0.005:
        return f"{'; '.join(told)}: k is the limit that binds."
    name = list(costs)[raised].split(", ")[-1]
    return f"{'; '.join(told)}: {name} is the limit that binds."
