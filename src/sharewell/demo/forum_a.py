"""Templates of a programming course's forum: the family that the name finder may learn from."""

from sharewell.demo.details import EMPLOYERS_A, PETS_A, TOWNS_A
from sharewell.demo.grammar import Grammar
from sharewell.demo.phrases_a import PHRASES
from sharewell.demo.scene import Places

PLACES = Places(towns=TOWNS_A, employers=EMPLOYERS_A, pets=PETS_A)

GRAMMAR: Grammar = {
    **PHRASES,
    # what a thread is about, then its posts by kind
    "kinds": (
        "ask", "ask", "ask", "ask", "bug", "bug", "bug", "intro", "intro", "meet", "meet", "admin", "admin",
        "chat", "chat", "math", "math", "praise",
    ),
    "open_ask": (
        "{greet_all}{ask_body}{sign}", "{greet_all}{ask_body}{sign}", "{ask_body}{sign}",
        "{greet_staff}{ask_body}{sign}", "{greet_all}{ask_body}\n\n{^feeling}. {^reason}.{sign}",
    ),
    "open_bug": (
        "{greet_all}{bug_body}{sign}", "{bug_body}{sign}", "{bug_body}\n\n{code}\n\n{^closing_ask}{sign}",
        "{greet_all}{bug_body}\n\n{list_tried}\n\n{^closing_ask}{sign}",
    ),
    "open_intro": ("{greet_all}{intro_body}{sign}", "{intro_body}", "{greet_all}{intro_body} {^hope}.{sign}"),
    "open_meet": ("{greet_all}{meet_body}{sign}", "{meet_body}{sign}", "{greet_all}{meet_body}"),
    "open_admin": (
        "{greet_staff}{admin_body}{sign_formal}", "{greet_staff}{admin_body}{sign_formal}",
        "{greet_all}{admin_body}{sign_formal}",
    ),
    "open_chat": ("{greet_all}{chat_body}{sign}", "{chat_body}"),
    "open_math": ("{greet_all}{math_body}{sign}", "{math_body}{sign}"),
    "open_praise": ("{greet_all}{praise_body}{sign}", "{greet_staff}{praise_body}{sign}", "{praise_body}"),
    "subject_ask": (
        "{topic}", "question about {topic}", "{^topic}: {trouble_noun}", "Help with {topic} please",
        "Exercise {small}", "Exercise {small}, part {letter}", "week {small} {topic}",
        "{^topic} - am I the only one?", "@{staff_given}: {topic}", "can {other} or somebody explain {topic}",
        "{topic} again", "did I get {topic} right?",
    ),
    "subject_bug": (
        "error in {inline}", "URGENT: {topic}", "{trouble_noun} ({topic})", "my program {bug}",
        "exercise {small}: {trouble_noun}", "autograder and {topic}", "{inline} does not do what I want",
    ),
    "subject_intro": (
        "Hello from {town}!", "Introduction: {me}", "hi, I'm {me_nick}", "Introducing myself", "{me_full}",
        "new here", "greetings from {town}",
    ),
    "subject_meet": (
        "study group?", "meeting in {town}", "{me_full} looking for partner", "learning together on {day}",
        "group for {topic}", "anyone in {town}?", "project group with {other}",
    ),
    "subject_admin": (
        "deadline extension", "my marks", "extension for exercise {small} ({me_full})",
        "login problem {number}", "wrong name in the list", "request: {topic}", "For Dr {staff}",
    ),
    "subject_chat": (
        "off topic: {pet}", "lost my notes...", "film about {famous}", "happy birthday {other}!", "coffee",
        "a summary of {topic}", "guess who I met",
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
        "{greet_one}{answer_body}{sign}", "{greet_one}{answer_body}{sign}", "{answer_body}{sign}",
        "{answer_body}", "{greet_one}{answer_body}\n\n{^advice}. {^closing_answer}{sign}",
        "{greet_one}{thank_body}{sign}", "{thank_body}", "{agree_body}", "{greet_one}{agree_body}{sign}",
        "{greet_one}{answer_body}\n\n{code}\n\n{^closing_answer}{sign}", "{friend_handle} {answer_body}",
        "{greet_one}{correct_body}{sign}", "{sympathy}. {^answer_body}{sign}",
        "{greet_one}{about_other}{sign}",
    ),
    "reply_ask": ("{solution_reply}",),
    "reply_bug": (
        "{solution_reply}", "{solution_reply}", "{sympathy}. {^bug_short}.",
        "{greet_one}could you post the whole error? {^advice}.{sign}",
    ),
    "reply_math": ("{solution_reply}",),
    "reply_intro": (
        "{greet_one}{welcome}{sign}", "{welcome}", "{greet_one}{welcome} {^background}.{sign}",
        "{greet_one}{welcome} {^hobby}, too.{sign}", "{greet_one}I am from {town} as well! {^contact}.{sign}",
    ),
    "reply_meet": (
        "{greet_one}{meet_reply}{sign}", "{meet_reply}", "{greet_one}{meet_reply} {^hobby}.{sign}",
        "{greet_one}{about_other}{sign}",
    ),
    "reply_admin": (
        "{greet_one}same problem here. {^excuse}.{sign}",
        "{greet_one}write to Dr {staff}, that helped me.{sign}", "{greet_one}{about_other}{sign}",
        "I think {staff_given} answers these on {day}.", "{greet_one}{sympathy}. {^hope}.{sign}",
    ),
    "reply_chat": (
        "haha {friend}! {^joke}.", "{greet_one}{joke}.", "{sympathy}. {^joke}.",
        "{other} told me the same story. {^joke}.", "lol", "{greet_one}how is {pet} doing?",
        "{greet_one}{about_other}{sign}",
    ),
    "reply_praise": (
        "{agree_body}", "I agree with {friend}, {staff_given} did a great job.",
        "thanks {friend}, made my day.", "{greet_one}you are welcome :){sign}", "{greet_one}{praise_body}",
    ),
    "staff_answer": (
        "{greet_one}{answer_body}\n\n{staff_sign}", "{greet_one}{staff_body}\n\n{staff_sign}", "{staff_body}",
        "{greet_one}{staff_body} {^answer_body}\n\n{staff_sign}",
    ),
    "staff_kind_words": (
        "{greet_one}{welcome}\n\n{staff_sign}", "thank you {friend}, that is good to hear.\n{staff_sign}",
        "nice! We will talk about {topic} on {day}.\n\n{staff_sign}",
        "{greet_one}enjoy it, and do not forget exercise {small}.\n{staff_sign}",
    ),
    "staff_ask": ("{staff_answer}",),
    "staff_bug": ("{staff_answer}",),
    "staff_math": ("{staff_answer}",),
    "staff_admin": ("{greet_one}{staff_body}\n\n{staff_sign}",),
    "staff_intro": ("{staff_kind_words}",),
    "staff_meet": ("{staff_kind_words}",),
    "staff_chat": ("{staff_kind_words}",),
    "staff_praise": ("{staff_kind_words}",),
    "welcome": (
        "welcome {friend}!", "nice to meet you {friend}.", "welcome to the course :)",
        "great to have you here, {friend}!", "hello {friend}, we met in {town}, remember?",
        "you will be fine, {friend}.", "say hi to {pet} from me!",
    ),
}  # fmt: skip
