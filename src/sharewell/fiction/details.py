"""The small facts that give people away in passing: telephone numbers, towns, employers, pets, addresses."""

from collections.abc import Sequence
from datetime import date

from sharewell.fiction.grammar import Dice

# Digits stand for themselves, # for any digit. Most lie in ranges kept free for fiction.
PHONES = (
    "+44 7700 900###", "07700 900###", "(020) 7946 0###", "+1 (212) 555-01##", "212-555-01##", "555-01##",
    "+33 6 39 98 ## ##", "06 39 98 ## ##", "+49 151 23125###", "030/23125 ###", "+61 491 570 1##",
    "0491 570 1##", "+46 70-174 06 ##", "020 915 ####", "+36 55 555 ###", "+358 50 123 4###",
    "+31 6 1234 56##", "+91 98765 43###", "+81-90-1234-56##", "+55 (11) 91234-56##", "+48 512 345 6##",
    "+234 803 123 4###",
)  # fmt: skip
FAMOUS = (
    "Turing", "Alan Turing", "Bayes", "Knuth", "Donald Knuth", "Ada Lovelace", "Lovelace", "Grace Hopper",
    "Dijkstra", "Euler", "Gauss", "Fibonacci", "Leibniz", "Boole", "Euclid", "Hopper", "Shannon",
    "von Neumann", "Pascal", "Laplace", "Ramanujan", "Al-Khwarizmi", "Guido van Rossum", "Noether",
    "Hilbert", "Kolmogorov",
)  # fmt: skip
STREETS = (
    "Station Road", "Mill Lane", "Kirkgate", "Elm Grove", "Victoria Terrace", "Canal Street", "Church Hill",
    "Orchard Close", "Harbour View", "Lindenallee", "Rue du Moulin", "Calle del Sol",
)  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def phone(dice: Dice) -> str:
    return "".join(str(dice.below(10)) if sign == "#" else sign for sign in dice.pick(PHONES))


def address(dice: Dice, towns: Sequence[str]) -> str:
    return f"{1 + dice.below(180)} {dice.pick(STREETS)}, {dice.pick(towns)}"


def birth_text(dice: Dice, birth: date) -> str:
    """A date of birth as people write it."""
    month = _MONTHS[birth.month - 1]
    return dice.pick(
        (
            birth.isoformat(),
            f"{birth.day:02d}/{birth.month:02d}/{birth.year}",
            f"{birth.day}.{birth.month}.{birth.year}",
            f"{birth.day} {month} {birth.year}",
            f"{month} {birth.day}, {birth.year}",
        )
    )


def url(dice: Dice, handle: str) -> str:
    """Pages that lead to a person."""
    word = "".join(dice.pick("abcdefghkmnpqrstuvwxyz23456789") for _ in range(7))
    return dice.pick(
        (
            f"https://{handle}.example.net/",
            f"https://git.example.com/{handle}/homework{1 + dice.below(12)}",
            f"http://paste.example.org/{word}",
            f"www.example.com/~{handle}",
            f"https://meet.example.org/{word}?pwd={1000 + dice.below(9000)}",
            f"https://docs.example.com/d/{word}/edit#gid={dice.below(900)}",
        )
    )
