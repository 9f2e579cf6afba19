"""Templates of a programming course's forum: the family that the name finder may learn from."""

from sharewell.fiction.details import EMPLOYERS_A, PETS_A, TOWNS_A
from sharewell.fiction.grammar import Grammar
from sharewell.fiction.phrases_a import PHRASES
from sharewell.fiction.scene import Places

PLACES = Places(towns=TOWNS_A, employers=EMPLOYERS_A, pets=PETS_A)

GRAMMAR: Grammar = {
    **PHRASES,
    "kinds": (
        "ask", "ask", "ask", "ask", "bug", "bug", "bug", "intro", "intro", "meet", "meet", "admin",
        "admin", "chat", "chat", "math", "math", "praise",
    ),
    "open_ask": (
        "{greet_all}{ask_body}{more}{sign}", "{greet_all}{ask_body}{more}{sign}",
        "{ask_body}{more}{sign}", "{greet_staff}{ask_body}{more}{sign}",
        "{greet_all}{ask_body}\n\n{^feeling}. {^reason}.{sign}",
        "{greet_all}{ask_body}\n\n{^tried}. {^tried}. {^feeling}, and {reason}. {^closing_ask}{sign}",
        "{greet_all}{^feeling}. {^ask_low} {topic}, mostly because {reason}.\n\n{^specific}? And "
        "{specific}?\n\n{^closing_ask}{sign}",
    ),
    "open_bug": (
        "{greet_all}{bug_body}{more}{sign}", "{bug_body}{more}{sign}",
        "{bug_body}\n\n{code}\n\n{^closing_ask}{sign}",
        "{greet_all}{bug_body}\n\n{list_tried}\n\n{^closing_ask}{sign}",
        "{greet_all}{bug_body}\n\n{^tried}, and {tried}. {^feeling}.\n\n{code}\n\n{^closing_ask}{sign}",
    ),
    "open_intro": (
        "{greet_all}{intro_body}{sign}", "{intro_body}", "{greet_all}{intro_body} {^hope}.{sign}",
        "{greet_all}{intro_body}\n\n{^background}, and {hobby}. {^hope}.{sign}",
    ),
    "open_meet": (
        "{greet_all}{meet_body}{sign}", "{meet_body}{sign}", "{greet_all}{meet_body}",
        "{greet_all}{meet_body}\n\n{^background}. {^hobby}. {^hope}.{sign}",
    ),
    "open_admin": (
        "{greet_staff}{admin_body}{more_admin}{sign_formal}",
        "{greet_staff}{admin_body}{more_admin}{sign_formal}",
        "{greet_all}{admin_body}{more_admin}{sign_formal}",
        "{greet_staff}{admin_body}\n\n{^excuse}, and {excuse}. {^hope_formal}.{sign_formal}",
    ),
    "open_chat": ("{greet_all}{chat_body}{sign}", "{chat_body}"),
    "open_math": ("{greet_all}{math_body}{more}{sign}", "{math_body}{more}{sign}"),
    "open_praise": (
        "{greet_all}{praise_body}{sign}", "{greet_staff}{praise_body}{sign}", "{praise_body}",
    ),
    "subject_ask": (
        "{topic}", "question about {topic}", "{^topic}: {trouble_noun}", "Help with {topic} please",
        "Exercise {small}", "Exercise {small}, part {letter}", "week {small} {topic}",
        "{^topic} - am I the only one?", "@{staff_given}: {topic}",
        "can {other} or somebody explain {topic}", "{topic} again", "did I get {topic} right?",
    ),
    "subject_bug": (
        "error in {inline}", "URGENT: {topic}", "{trouble_noun} ({topic})", "my program {bug}",
        "exercise {small}: {trouble_noun}", "autograder and {topic}", "{inline} does not do what I want",
    ),
    "subject_intro": (
        "Hello from {town}!", "Introduction: {me}", "hi, I'm {me_nick}", "Introducing myself",
        "{me_full}", "new here", "greetings from {town}",
    ),
    "subject_meet": (
        "study group?", "meeting in {town}", "{me_full} looking for partner",
        "learning together on {day}", "group for {topic}", "anyone in {town}?",
        "project group with {other}",
    ),
    "subject_admin": (
        "deadline extension", "my marks", "extension for exercise {small} ({me_full})",
        "login problem {number}", "wrong name in the list", "request: {topic}", "For Dr {staff}",
    ),
    "subject_chat": (
        "off topic: {pet}", "lost my notes...", "film about {famous}", "happy birthday {other}!",
        "coffee", "a summary of {topic}", "guess who I met",
    ),
    "subject_math": (
        "{formula}", "why {formula}?", "{famous}", "{topic} and {formula}", "typo on slide {small}",
        "two answers for exercise {small}?",
    ),
    "subject_praise": (
        "thank you {other}!", "thanks {staff_given}", "{topic} was great", "feedback on week {small}",
        "just a thank you",
    ),
    "solution_reply": (
        "{greet_one}{answer_body}{more_answer}{sign}", "{greet_one}{answer_body}{more_answer}{sign}",
        "{answer_body}{more_answer}{sign}", "{answer_body}",
        "{greet_one}{answer_body}\n\n{^advice}. {^closing_answer}{sign}", "{greet_one}{thank_body}{sign}",
        "{thank_body}", "{agree_body}", "{greet_one}{agree_body}{sign}",
        "{greet_one}{answer_body}\n\n{code}\n\n{^closing_answer}{sign}", "{friend_handle} {answer_body}",
        "{greet_one}{correct_body}{sign}", "{sympathy}. {^answer_body}{sign}",
        "{greet_one}{about_other}{sign}",
        "{greet_one}{answer_body}\n\n{^explain}. {^advice}, then {advice}. If {other} is right, "
        "{explain}. {^closing_answer}{sign}",
        "{greet_one}two things:\n\n1. {advice}\n2. {advice}\n\n{^explain}. {^closing_answer}{sign}",
        "{greet_one}{sympathy}. {^tried}. In the end {other_full} told me that {explain}. "
        "{^closing_answer}{sign}",
    ),
    "reply_ask": ("{solution_reply}",),
    "reply_bug": (
        "{solution_reply}", "{solution_reply}", "{sympathy}. {^bug_short}.",
        "{greet_one}could you post the whole error? {^advice}.{sign}",
    ),
    "reply_math": ("{solution_reply}",),
    "reply_intro": (
        "{greet_warm}{welcome}{sign}", "{welcome}", "{greet_warm}{welcome} {^background}.{sign}",
        "{greet_warm}{welcome} {^hobby}, too.{sign}",
        "{greet_warm}I am from {town} as well! {^contact}.{sign}",
        "{greet_warm}{welcome} {^background}, and {hobby}. {^contact}. {^hope}!{sign}",
    ),
    "reply_meet": (
        "{greet_warm}{meet_reply}{sign}", "{meet_reply}", "{greet_warm}{meet_reply} {^hobby}.{sign}",
        "{greet_warm}{about_other}{sign}",
    ),
    "reply_admin": (
        "{greet_one}same problem here. {^excuse}.{sign}",
        "{greet_one}write to Dr {staff}, that helped me.{sign}", "{greet_one}{about_other}{sign}",
        "I think {staff_given} answers these on {day}.", "{greet_one}{sympathy}. {^hope}.{sign}",
    ),
    "reply_chat": (
        "haha {friend}! {^joke}.", "{greet_warm}{joke}.", "{sympathy}. {^joke}.",
        "{other} told me the same story. {^joke}.", "lol", "{greet_warm}how is {pet} doing?",
        "{greet_warm}{about_other}{sign}",
    ),
    "reply_praise": (
        "{agree_body}", "I agree with {friend}, {staff_given} did a great job.",
        "thanks {friend}, made my day.", "{greet_warm}you are welcome :){sign}",
        "{greet_warm}{praise_body}",
    ),
    "staff_answer": (
        "{greet_warm}{answer_body}{more_answer}\n\n{staff_sign}",
        "{greet_warm}{staff_body}\n\n{staff_sign}", "{staff_body}",
        "{greet_warm}{staff_body} {^answer_body}\n\n{staff_sign}",
    ),
    "staff_kind_words": (
        "{greet_warm}{welcome}\n\n{staff_sign}",
        "thank you {friend}, that is good to hear.\n{staff_sign}",
        "nice! We will talk about {topic} on {day}.\n\n{staff_sign}",
        "{greet_warm}enjoy it, and do not forget exercise {small}.\n{staff_sign}",
    ),
    "staff_ask": ("{staff_answer}",),
    "staff_bug": ("{staff_answer}",),
    "staff_math": ("{staff_answer}",),
    "staff_admin": ("{greet_warm}{staff_body}\n\n{staff_sign}",),
    "staff_intro": ("{staff_kind_words}",),
    "staff_meet": ("{staff_kind_words}",),
    "staff_chat": ("{staff_kind_words}",),
    "staff_praise": ("{staff_kind_words}",),
    "welcome": (
        "welcome {friend}!", "nice to meet you {friend}.", "welcome to the course :)",
        "great to have you here, {friend}!", "hello {friend}, we met in {town}, remember?",
        "you will be fine, {friend}.", "say hi to {pet} from me!",
    ),
    "greet_warm": (
        "Hi {friend},\n\n", "hey {friend}, ", "Hello {friend}!\n", "hi {friend}\n", "{friend}, ", "", "",
        "", "Dear {friend},\n\n", "Hi {friend} and {other},\n\n",
    ),
    "more": (
        "", "\n\n{^feeling}. {^reason}.", " {^tried}. {^specific}?",
        "\n\n{^reason}, and {tried}. {^feeling}. {^closing_ask}",
        "\n\n{^tried}. Then {other} said that {claim}, but {doubt}. {^tried}.", "\n\nP.S. {^specific}?",
        "\n\nEdit: {tried}. {^feeling}.",
    ),
    "more_answer": (
        "", "", " {^explain}.", "\n\n{^advice}, then {advice}. {^explain}. {^closing_answer}",
        "\n\n{other} and I did it like this: {advice}. {^explain}. It took us {small} hours, so "
        "don't worry.", "\n\nP.S. {^advice}, it helped me a lot when {reason}.",
    ),
    "more_admin": (
        "", "", " {^excuse}. {^hope_formal}.",
        "\n\n{^excuse}. I have already talked to {other_full} and {staff_given} about it, and "
        "{hope_formal}.",
    ),
}  # fmt: skip
