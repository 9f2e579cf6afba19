"""How well a yes-or-no outcome can be predicted at all from a table that holds it to t."""


def most_auc(share: float, t: float) -> float:
    """The largest AUC that any classes allow whose share of yes lies within t of everyone's.

    A class in which a share q says yes adds a piece of slope q(1 − p) / ((1 − q)p) to the ROC curve, p the share of
    everyone: the slope is the likelihood ratio. With q between p − t and p + t the curve lies under the steepest line
    through (0, 0) and the flattest one through (1, 1); the area under both is the most.
    """
    least, most = max(share - t, 0.0), min(share + t, 1.0)
    flat = least * (1 - share) / ((1 - least) * share)
    if most >= 1:
        return 1 - flat / 2
    steep = most * (1 - share) / ((1 - most) * share)
    meet = (1 - flat) / (steep - flat)
    return steep * meet**2 / 2 + (1 - meet) * (steep * meet + 1) / 2
