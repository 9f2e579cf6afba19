"""Names of months and weekdays in eight languages, full and short, and marks of the half day.

Full names and the short forms of the Unicode CLDR and of glibc, without dots. No word means two different months or
two different weekdays in two languages, which a test holds; so a date is read without knowing its language.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Language:
    """Twelve months and seven weekdays from Monday: as written out, and as cut short."""

    months: tuple[str, ...]
    short_months: tuple[str, ...]
    weekdays: tuple[str, ...]
    short_weekdays: tuple[str, ...]


def _language(months: str, short_months: str, weekdays: str, short_weekdays: str) -> Language:
    return Language(*(tuple(words.split()) for words in (months, short_months, weekdays, short_weekdays)))


LANGUAGES: Mapping[str, Language] = {
    "en": _language(
        "January February March April May June July August September October November December",
        "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
        "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
        "Mon Tue Wed Thu Fri Sat Sun",
    ),
    "de": _language(
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
        "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
        "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
        "Mo Di Mi Do Fr Sa So",
    ),
    "fr": _language(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv févr mars avr mai juin juil août sept oct nov déc",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lun mar mer jeu ven sam dim",
    ),
    "es": _language(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sep oct nov dic",
        "lunes martes miércoles jueves viernes sábado domingo",
        "lun mar mié jue vie sáb dom",
    ),
    "it": _language(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "gen feb mar apr mag giu lug ago set ott nov dic",
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        "lun mar mer gio ven sab dom",
    ),
    "pt": _language(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "jan fev mar abr mai jun jul ago set out nov dez",
        "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
        "seg ter qua qui sex sáb dom",
    ),
    "nl": _language(
        "januari februari maart april mei juni juli augustus september oktober november december",
        "jan feb mrt apr mei jun jul aug sep okt nov dec",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
        "ma di wo do vr za zo",
    ),
    "tr": _language(
        "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
        "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara",
        "Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar",
        "Pzt Sal Çar Per Cum Cmt Paz",
    ),
}
FURTHER_MONTHS = {"sept": 9, "mrz": 3, "jän": 1, "jänner": 1, "fevr": 2, "fév": 2, "setiembre": 9}
FURTHER_WEEKDAYS = {"tues": 1, "wednes": 2, "thur": 3, "thurs": 3, "sonnabend": 5, "segunda": 0, "terça": 1,
                    "quarta": 2, "quinta": 3, "sexta": 4}  # fmt: skip
HALVES = {"am": 0, "pm": 1}
OTHER_HALF = str.maketrans("apAP", "paPA")


def plain(word: str) -> str:
    """A word as it is compared: lower case, no accents, no dots or spaces."""
    bare = unicodedata.normalize("NFKD", word.lower())
    return "".join(letter for letter in bare if letter.isalpha() or letter == "-")


def _months() -> dict[str, int]:
    found = {plain(word): number for word, number in FURTHER_MONTHS.items()}
    for language in LANGUAGES.values():
        for names in (language.months, language.short_months):
            found |= {plain(word): number for number, word in enumerate(names, start=1)}
    return found


def _weekdays() -> dict[str, int]:
    found = {plain(word): number for word, number in FURTHER_WEEKDAYS.items()}
    for language in LANGUAGES.values():
        for names in (language.weekdays, language.short_weekdays):
            found |= {plain(word): number for number, word in enumerate(names)}
    return found


MONTHS: Mapping[str, int] = _months()  # 1 to 12
WEEKDAYS: Mapping[str, int] = _weekdays()  # 0 is Monday


def spelled(letter: str, seen: Mapping[int, str]) -> dict[int, str]:
    """How each month (%b, %B), weekday (%a, %A) or half day (%p) is written, given how some of them were.

    What was seen stays; the rest comes from the language that explains most of what was seen, in its case and with a
    dot where the others have one.
    """
    if letter == "p":
        swapped = {1 - number: word.translate(OTHER_HALF) for number, word in seen.items()}
        return {0: "AM", 1: "PM"} | swapped | dict(seen)
    lists = [_listed(language, letter) for language in LANGUAGES.values()]
    best = max(lists, key=lambda words: sum(plain(words[number]) == plain(word) for number, word in seen.items()))
    words = list(seen.values())
    dotted = bool(words) and all(word.endswith(".") for word in words)
    cases = ((str.isupper, str.upper), (str.islower, str.lower), (str.istitle, str.capitalize))
    case = next((write for test, write in cases if words and all(map(test, words))), str)
    return {number: case(word) + ("." if dotted else "") for number, word in best.items()} | dict(seen)


def _listed(language: Language, letter: str) -> dict[int, str]:
    names = {
        "b": language.short_months,
        "B": language.months,
        "a": language.short_weekdays,
        "A": language.weekdays,
    }[letter]
    return dict(enumerate(names, start=1 if letter in "bB" else 0))
