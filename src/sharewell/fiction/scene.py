"""Who speaks to whom in a post: fills the slots of the templates with people and their traces."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sharewell.fiction.data import load
from sharewell.fiction.details import FAMOUS, address, birth_text, phone, url
from sharewell.fiction.grammar import Dice, Draft
from sharewell.fiction.names import Person, misspelling, plain


@dataclass(frozen=True, kw_only=True)
class Places:
    """The towns, employers and pets of one family of templates."""

    towns: Sequence[str]
    employers: Sequence[str]
    pets: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One post's cast. Every slot is written by the method of its name."""

    dice: Dice
    places: Places
    author: Person
    birth: date | None  # the author's, where the author is a student
    friend_person: Person  # who is spoken to
    other_person: Person  # who is spoken about
    third_person: Person  # who is spoken about by full name
    staff: Person
    topic: str  # of the thread
    topics: Sequence[str]  # of the course
    canary: str = ""  # a unique local part for the e-mail address of this post, where one is planted

    def fill(self, slot: str, draft: Draft) -> None:
        getattr(self, f"write_{slot}")(draft)

    # people

    def write_friend(self, draft: Draft) -> None:
        self._somebody(draft, self.friend_person)

    def write_other(self, draft: Draft) -> None:
        self._somebody(draft, self.other_person)

    def write_other_full(self, draft: Draft) -> None:
        self._name(draft, self.third_person.full, "person-name", self.third_person)

    def write_me(self, draft: Draft) -> None:
        nick = self.dice.chance() < 0.25
        self._name(draft, self.author.nickname if nick else self.author.given, _type(nick), self.author)

    def write_me_nick(self, draft: Draft) -> None:
        self._name(draft, self.author.nickname, "nickname", self.author)

    def write_me_full(self, draft: Draft) -> None:
        self._name(draft, self.author.full, "person-name", self.author)

    def write_me_initials(self, draft: Draft) -> None:
        letters = [part[0].upper() for part in self.author.full.split()]
        text = "".join(letters) if self.dice.chance() < 0.4 and len(letters) > 1 else ".".join(letters) + "."
        self._name(draft, text, "initials", self.author)

    def write_staff(self, draft: Draft) -> None:
        self._name(draft, self.staff.family or self.staff.given, "person-name", self.staff)

    def write_staff_given(self, draft: Draft) -> None:
        self._somebody(draft, self.staff)

    def write_staff_full(self, draft: Draft) -> None:
        self._name(draft, self.staff.full, "person-name", self.staff)

    def write_famous(self, draft: Draft) -> None:
        draft.mention(self.dice.pick(FAMOUS), "famous")

    def _somebody(self, draft: Draft, person: Person) -> None:
        """Most people use given names; some shorten, misspell, or write everything in one case."""
        chance = self.dice.chance()
        if chance < 0.12:
            self._name(draft, person.nickname, "nickname", person)
        elif chance < 0.21:
            wrong = misspelling(person.given, self.dice.chance(), self.dice.chance())
            self._name(draft, wrong, "misspelling", person)
        elif chance < 0.27 and plain(person.given) != person.given:
            self._name(draft, plain(person.given), "misspelling", person)
        elif chance < 0.35:
            self._name(draft, person.full, "person-name", person)
        elif chance < 0.40:
            self._name(draft, person.given.lower(), "person-name", person)
        elif chance < 0.42:
            self._name(draft, person.given.upper(), "person-name", person)
        else:
            self._name(draft, person.given, "person-name", person)

    def _name(self, draft: Draft, text: str, type: str, person: Person) -> None:
        draft.mention(text, type, person.id, person.origin)

    # traces

    def write_email(self, draft: Draft) -> None:
        local = f"{self.canary}@mail.example.com" if self.canary else self.author.email
        draft.mention(local, "email", self.author.id, exact=True)

    def write_phone(self, draft: Draft) -> None:
        draft.mention(phone(self.dice), "phone", self.author.id, exact=True)

    def write_url(self, draft: Draft) -> None:
        draft.mention(url(self.dice, self.author.handle.strip("@")), "url", self.author.id, exact=True)

    def write_handle(self, draft: Draft) -> None:
        draft.mention(self.author.handle, "handle", self.author.id, exact=True)

    def write_friend_handle(self, draft: Draft) -> None:
        draft.mention(self.friend_person.handle, "handle", self.friend_person.id, exact=True)

    def write_number(self, draft: Draft) -> None:
        draft.mention(self.author.id, "student-number", self.author.id, exact=True)

    def write_birth(self, draft: Draft) -> None:
        if self.birth is not None:
            draft.mention(birth_text(self.dice, self.birth), "birth-date", self.author.id, exact=True)

    def write_address(self, draft: Draft) -> None:
        draft.mention(address(self.dice, self.places.towns), "address", self.author.id)

    def write_town(self, draft: Draft) -> None:
        draft.mention(self.dice.pick(self.places.towns), "town", self.author.id)

    def write_employer(self, draft: Draft) -> None:
        draft.mention(self.dice.pick(self.places.employers), "employer", self.author.id)

    def write_pet(self, draft: Draft) -> None:
        draft.mention(self.dice.pick(self.places.pets), "pet", self.author.id)

    # what identifies nobody

    def write_code(self, draft: Draft) -> None:
        fence = self.dice.pick(("```\n", "```python\n", "    "))
        code = self.dice.pick(load("snippets")["code"])
        if fence.startswith("    "):
            draft.raw("\n".join(f"    {line}" for line in code.split("\n")))
        else:
            draft.raw(f"{fence}{code}\n```")

    def write_inline(self, draft: Draft) -> None:
        word = self.dice.pick(load("snippets")["functions"])
        draft.raw(self.dice.pick((f"`{word}`", f"{word}()", f"`{word}(x)`")))

    def write_formula(self, draft: Draft) -> None:
        draft.raw(self.dice.pick(load("snippets")["formulas"]))

    def write_topic(self, draft: Draft) -> None:
        draft.write(self.topic if self.dice.chance() < 0.8 else self.dice.pick(self.topics))

    def write_small(self, draft: Draft) -> None:
        draft.raw(str(2 + self.dice.below(11)))

    def write_page(self, draft: Draft) -> None:
        draft.raw(str(12 + self.dice.below(380)))

    def write_clock(self, draft: Draft) -> None:
        hour, minute = 8 + self.dice.below(12), self.dice.pick(("00", "15", "30"))
        draft.raw(self.dice.pick((f"{hour}:{minute}", f"{(hour - 1) % 12 + 1}{'am' if hour < 12 else 'pm'}")))


def _type(nick: bool) -> str:
    return "nickname" if nick else "person-name"
