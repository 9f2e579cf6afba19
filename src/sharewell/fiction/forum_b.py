"""Templates of a statistics and laboratory course's forum: other voices and words, kept from any training."""

from sharewell.fiction.details import EMPLOYERS_B, PETS_B, TOWNS_B
from sharewell.fiction.grammar import Grammar
from sharewell.fiction.scene import Places

PLACES = Places(towns=TOWNS_B, employers=EMPLOYERS_B, pets=PETS_B)

GRAMMAR: Grammar = {
    "kinds": (
        "puzzle", "puzzle", "puzzle", "puzzle", "report", "report", "newcomer", "plea", "plea",
        "gathering", "gathering", "gossip", "opinion", "lab",
    ),
    "open_puzzle": (
        "{hello}{puzzle}{more}{bye}", "{puzzle}{more}{bye}", "{puzzle} {^puzzle_extra}.{bye}",
        "{staff_hello}{puzzle}{more}{bye}", "{hello}{puzzle}\n\n{^effort}; {mood}.{bye}",
        "{hello}{puzzle}\n\n{^effort}. {^effort}, yet {mood}. {^puzzle_extra}.\n\n{^nudge}{bye}",
        "{hello}{mood}. {^statement}, they say, but {skeptic}. {^query}, and {query}? "
        "{^puzzle_extra}. {^nudge}{bye}",
    ),
    "open_report": (
        "{hello}{report}{more}{bye}", "{report}", "{report}\n\n{code}\n\n{^nudge}{bye}",
        "{hello}{report}\n\n{^effort}. {^consequence}. {^mood}.\n\n{code}\n\n{^nudge}{bye}",
    ),
    "open_newcomer": (
        "{hello}{newcomer}{bye}", "{newcomer}",
        "{hello}{newcomer}\n\n{^life}, and {pastime}. {^reach}.{bye}",
    ),
    "open_plea": (
        "{staff_hello}{plea}{more_plea}{bye_long}", "{hello}{plea}{more_plea}{bye_long}",
        "{staff_hello}{plea}\n\nOn top of that {mishap}. {^polite}.{bye_long}",
    ),
    "open_gathering": ("{hello}{gathering}{bye}", "{gathering}"),
    "open_gossip": ("{hello}{gossip}{bye}", "{gossip}"),
    "open_opinion": ("{hello}{opinion}{bye}", "{opinion}"),
    "open_lab": ("{hello}{lab_story}{more}{bye}", "{lab_story} {^nudge}"),
    "subject_puzzle": (
        "{topic}??", "Problem sheet {small}", "{topic} - sanity check", "{^topic} makes my head spin",
        "For {staff_full}: {topic}", "{topic} vs {topic}", "Mistake in the handout?",
        "question for {staff_given}", "exam topics", "HELP {topic}", "plot in figure {page}",
    ),
    "subject_report": (
        "where is the data for lab {small}", "lab {small} {failure}", "upload {failure}",
        "{inline} on sheet {small}", "broken: {topic}",
    ),
    "subject_newcomer": ("Hi, I'm {me_nick}", "a stranger from {town}", "{me_full}, new", "who is who"),
    "subject_plea": (
        "Missing points, sheet {small}", "{me_full} - group change", "request ({number})",
        "absence on {weekday}", "to {staff_full}",
    ),
    "subject_gathering": (
        "lab partner wanted", "Lift to {town} on Friday?", "Anyone around in {town}?", "cramming {topic}",
        "seat free next to {other}",
    ),
    "subject_gossip": (
        "Found: a blue scarf", "seminar room changed", "Ping {other}", "news from {town}",
        "{pet} strikes again",
    ),
    "subject_opinion": (
        "notes from {other}", "bravo {staff_given}", "{topic}: a rant", "credit where it is due",
    ),
    "subject_lab": (
        "lab {small}, a tragedy", "green bench", "ask {other} about lab {small}", "what a mess",
    ),
    "remedy": (
        "{to_you}{solve}{more_solve}{bye}", "{to_you}{solve}", "{solve}", "{to_you}{gratitude}",
        "{gratitude}{bye}", "{to_you}{side}{bye}", "{side}", "{to_you}{objection}{bye}",
        "{to_you}{solve}\n\n{code}\n\n{^wish}{bye}", "{friend_handle}: {solve}", "{to_you}{pointer}{bye}",
        "{to_you}{comfort} {^solve}{bye}",
        "{to_you}{solve}\n\n{^tip}, {tip}, then {tip}. {^because}, and {because}. {^wish}{bye}",
        "{to_you}{comfort} {^effort}. Later {other_full} showed us: {because}. {^wish}{bye}",
        "{to_you}step by step:\n* {tip}\n* {tip}\n* {tip}\n{^wish}{bye}",
    ),
    "reply_puzzle": ("{remedy}",),
    "reply_report": ("{remedy}", "{to_you}{consequence}.{bye}"),
    "reply_lab": ("{remedy}", "{to_you}{quip}."),
    "reply_newcomer": (
        "{to_you}glad you came. {^pastime}.{bye}", "{to_you}{life}, so we might share a tram.",
        "a fellow soul from {town}! {^reach}.", "{to_you}enjoy the ride.{bye}",
    ),
    "reply_plea": (
        "{to_you}{comfort} {^polite}.{bye}", "{to_you}try {staff_given} on {weekday}.",
        "{to_you}{pointer}{bye}", "{comfort} Once {mishap} and they were kind about it.",
    ),
    "reply_gathering": ("{to_you}{join_in}{bye}", "{join_in}", "{to_you}{pointer}{bye}"),
    "reply_gossip": (
        "{quip}!", "{to_you}{quip}.", "{side}", "{to_you}{pointer}", "{friend} you made me spill my tea",
    ),
    "reply_opinion": ("{side}", "{to_you}{objection}", "{to_you}{quip}.", "hear, hear! {^gratitude}"),
    "staff_ruling": (
        "{to_you}{ruling}\n\n{staff_bye}", "{ruling}", "{to_you}{ruling} {^solve}\n{staff_bye}",
        "{to_you}{solve}\n\n{staff_bye}",
    ),
    "staff_smile": ("{to_you}a pleasure to read.\n\n{staff_bye}", "{quip}, {friend}.\n{staff_bye}"),
    "staff_puzzle": ("{staff_ruling}",),
    "staff_report": ("{staff_ruling}",),
    "staff_plea": ("{staff_ruling}",),
    "staff_lab": ("{staff_ruling}",),
    "staff_newcomer": ("{staff_smile}",),
    "staff_gathering": ("{staff_smile}",),
    "staff_gossip": ("{staff_smile}",),
    "staff_opinion": ("{staff_smile}",),
    "topics": (
        "confidence intervals", "the p-value", "matrix inversion", "eigenvectors", "the titration data",
        "outliers", "residual plots", "the central limit theorem", "standard errors",
        "sampling with replacement", "conditional probability", "the paired design",
        "the regression table", "degrees of freedom", "the log transform", "least squares",
        "missing measurements", "the calibration curve", "variance", "the lab protocol",
    ),
    "hello": (
        "Greetings fellow sufferers,\n", "Evening! ", "Howdy.\n\n", "Hullo hullo,\n",
        "To whom it may concern:\n", "Dear group,\n\n", "Hi there, ", "Heya\n", "", "", "",
        "Good day to you all.\n\n", "hola! ", "Hi team (and especially {other}),\n",
    ),
    "staff_hello": (
        "Dear Ms {staff},\n\n", "Dear Mr {staff},\n\n", "Respected {staff_given},\n\n",
        "Good morning Doctor {staff},\n", "For the attention of {staff_full}\n\n",
        "Dear lecturers, dear {staff_given},\n\n",
    ),
    "to_you": (
        "{friend} - ", "Oh {friend}! ", "Well, {friend}, ", "Hullo {friend},\n", "@{friend}: ",
        "Heya {friend}\n", "", "", "", "Cheers {friend}. ", "Dearest {friend},\n\n",
        "Right you are {friend}; ", "Listen {friend}, ", "Hmm, {friend}... ", "re {friend} and {other}: ",
        "Ok {friend}\n",
    ),
    "bye": (
        "\n\n{me}", "\n\nYours, {me}", "\nTa, {me}", "\n\nGreetings, {me_full}", "\n\nx {me_nick}", "",
        "", "", "", "\n\n(that was {me})", "\n\nTake care\n{me}", "\n\n/{me_initials}",
        "\n\nmany thanks from {me}", "\n\n***\n{me_full} | {handle}", "\n\nsent from my phone, {me_nick}",
        "\nSo long!", "\n\nMuch obliged,\n{me_full}",
    ),
    "bye_long": (
        "\n\nRespectfully,\n{me_full}\nID {number}", "\n\nSincerely yours,\n{me_full}\nTel. {phone}",
        "\n\nwith best greetings\n{me_full}", "\n\nGratefully,\n{me_full}, matriculation no. {number}",
        "\n\n{me_full}\n{address}\n{email}", "\n\nI remain yours truly,\n{me}",
    ),
    "staff_bye": (
        "Yours,\n{me_full}", "{me}, course team", "({me_initials})", "Sincerely,\n{me_full}\n{phone}",
        "{me}",
    ),
    "puzzle": (
        "something about {topic} bothers me. {^query}?", "{query}? {^effort}.",
        "in sheet {small} we should work out {formula}. {^effort}. {^query}?",
        "{staff_given} claimed on {weekday} that {statement}. {^query}?",
        "According to {other}, {statement}. {^skeptic}.", "Can anyone tell me {query}? {^mood}.",
        "{mood}. {^query}? {^nudge}", "Textbook, p. {page}: {statement}. {^skeptic}. {^nudge}",
    ),
    "puzzle_extra": (
        "{other_full} could not tell me either", "the tutor from {town} did it differently",
        "I left a photo of my sheet at {url}", "even {other} gave up",
        "we argued about it for {small} hours",
    ),
    "query": (
        "is {formula} an estimate or the real thing",
        "why are there {small} degrees of freedom and not {small}",
        "how do I read {inline} in the output", "which test would you choose for {topic}",
        "must the axes begin at zero", "does {topic} need a normal distribution",
        "would a larger sample change anything", "may outliers be thrown away",
        "is the bill for broken glass split among us", "who will mark sheet {small}",
        "what does a negative value tell us", "when can one trust {topic}",
        "how many decimals do they want",
    ),
    "effort": (
        "{other} and I computed it by hand and ended up with {small}",
        "my calculator shows {page}, {other}'s shows {small}",
        "I watched the recording until minute {page}", "three cups of tea later I am no wiser",
        "the formula sheet of {other_full} has a different sign", "I went through the proof line by line",
        "my simulation in {inline} agrees", "I sketched a histogram but the long tail spoils it",
        "neither the tutor nor {other} could reproduce it",
    ),
    "mood": (
        "my brain is fried", "statistics and I will never be friends",
        "honestly I nearly cried over sheet {small}", "perhaps I slept through this part",
        "the temperature rose and so did my doubts", "I hope nobody laughs",
        "I'd rather be in {town} right now", "with all due respect to {famous}, this is madness",
        "that chapter is a hard nut",
    ),
    "statement": (
        "correlation is never causation", "{famous} had a simpler argument", "the mean is useless here",
        "{formula} holds for every n", "one may drop a reading above {page}", "both tests always agree",
        "large samples heal everything", "{famous} and {famous} quarrelled about this",
        "you cannot invert such a matrix",
    ),
    "skeptic": (
        "I find that hard to believe", "is there a source for it", "my data disagree",
        "sounds too good to be true", "the handout contradicts that",
        "I would bet {pet}'s dinner against it",
    ),
    "nudge": (
        "enlighten me!", "grateful for any pointer.", "{other}, you were good at this?",
        "somebody please rescue me", "who can spare five minutes?", "a sketch would do", "your thoughts?",
        "over to you, {other}.",
    ),
    "report": (
        "the notebook for lab {small} {failure}. {^effort}.",
        "R {failure} as soon as I call {inline}. {^nudge}",
        "Heads up: the upload form {failure}. {^consequence}.",
        "My spreadsheet {failure}, copy at {url}. {^nudge}",
        "sensor {small} {failure}, so our curve is flat. {^consequence}.",
        "<div>The data file {failure}.<br>{^nudge}</div>",
    ),
    "failure": (
        "freezes", "shows only commas", "refuses my password", "lost the header",
        "swapped rows and columns", "reads every date as text", "spits out NA", "was empty this morning",
        "throws a singular matrix at me", "rounds to whole numbers",
    ),
    "consequence": (
        "we had to repeat everything with {other}", "please extend sheet {small}", "nothing was saved",
        "{other_full} has a backup", "luckily {other} wrote it down", "I mailed {staff_given} already",
    ),
    "newcomer": (
        "they call me {me_nick}, on paper it's {me_full}. {^life}. {^pastime}.",
        "new face here: {me}, transferred from {town}. {^life}.",
        "name's {me_full}. {^life}. {^pastime}.", "{me} speaking, {life}; home is {town}. {^pastime}.",
        "born {birth}, raised in {town}, now stuck in statistics. {^pastime}.",
        "you may know me as {handle}. {^life}. {^pastime}.",
    ),
    "life": (
        "I pay the rent by night shifts at {employer}", "until spring I was a nurse in {town}",
        "numbers scare me a little", "{employer} sponsors my degree", "I row for the university",
        "my cousin {other} dragged me into this subject",
        "I came for the chemistry and stayed for the plots", "half of my week belongs to {employer}",
    ),
    "pastime": (
        "Sundays are for football", "my parrot {pet} can say hypothesis", "I knit, badly",
        "ask me about mushrooms", "{pet} the cat supervises my homework", "I sing in a choir in {town}",
        "I repair bicycles", "I once met a grandchild of {famous}", "my horse {pet} eats all my money",
    ),
    "gathering": (
        "cramming session in room {page}, {weekday}, {clock}. {^reach}.",
        "{other}, {other_full} and myself rehearse {topic} on {weekday}; two seats left. {^reach}.",
        "who shares a car from {town} to the exam? {^reach}.",
        "lab group {small} lost a member, apply within. {^reach}.",
        "I'd swap my {weekday} slot for yours. {^reach}.", "video call about {topic}, {clock}: {url}",
    ),
    "weekday": (
        "Mon", "Tuesday", "Wed", "Thursday", "Fri", "Saturday", "next Sunday", "17 March",
        "the first of May",
    ),
    "reach": (
        "ring me on {phone}", "text {phone}", "drop a line to {email}", "ping {handle}", "tell {other}",
        "leave a note below", "mail me ({email})", "my landline: {phone}", "knock at {address}",
    ),
    "join_in": (
        "put me on the list. {^reach}.", "{other} and I are game.",
        "can't, I'm stuck in {town} till {weekday}.", "{clock} suits me, {weekday} doesn't.",
        "happy to drive, {reach}.", "shall I bring {pet}? Just kidding.",
    ),
    "plea": (
        "would you kindly move my submission for sheet {small}? {^mishap}. (ID {number})",
        "my account {number} is locked; {mishap}. Kindly call {phone}.",
        "the attendance list shows me as absent although {other_full} sat next to me. {^polite}.",
        "please correct my record: {me_full}, date of birth {birth}. {^polite}.",
        "I must withdraw from lab group {small}; {mishap}. {^polite}.",
        "kindly forward the slides to {email}. {^polite}.",
        "I share a surname with another student, so please note: {me_full}, {number}. {^polite}.",
    ),
    "mishap": (
        "a burst pipe flooded my flat at {address}", "{employer} sent me abroad",
        "my grandmother in {town} passed away",
        "{pet} swallowed a coin and we spent the night at the clinic", "the printer ate it",
        "I broke my wrist", "my visa appointment in {town} was moved",
    ),
    "polite": (
        "your help is much appreciated", "I trust this can be sorted out", "forgive the trouble",
        "I can come by on {weekday}", "looking forward to your reply",
    ),
    "gossip": (
        'overheard on the tram in {town}: "{famous} was wrong". {^quip}.',
        "{pet} chewed through my charger. {^quip}.",
        "congratulations to {other} on the new job at {employer}! {^quip}.",
        "{staff_given} wore odd socks again. {^quip}.",
        "is it true that {other_full} moved to {town}? {^quip}.",
        "somebody left a pencil case in room {page}. {^reach}.", "get well soon {other}! {^quip}.",
    ),
    "quip": (
        "discuss", "priceless", "no further questions", "that's science for you", "I rest my case",
        "carry on", "statistically speaking", "back to work",
    ),
    "opinion": (
        "hats off to {staff_given} for the session about {topic}.",
        "unpopular view: {topic} should come before {topic}. {^skeptic}.",
        "{other}'s cheat sheet on {topic} is gold: {url}",
        "kudos to {other_full} and {other} for sharing their lab book.",
        "the quiz on {topic} was fair, thanks Dr {staff}.",
    ),
    "lab_story": (
        "so {other} poured the wrong buffer and the whole bench turned green. {^quip}.",
        "{other_full} and I measured {page} twice and {small} once. {^query}?",
        "our pipette {failure}. {^consequence}.",
        "the scale said {small}, {staff_given} said impossible. {^quip}.",
    ),
    "solve": (
        "{tip}. {^because}.", "{because}, hence {tip}.", "{tip}; {because}. {^wish}",
        "{other} nailed it earlier: {because}.", "my tutor {staff_given} would say: {tip}.",
        "simple: {tip}.", "{because}. {^wish}", "I'd do this: {tip}. Worked for {other} too.",
        "compare table {page}. {^because}.",
    ),
    "tip": (
        "plot it before you compute anything", "divide by n minus one", "take logs first",
        "use {inline} with the option for missing values", "write the hypothesis in words",
        "centre the columns", "quote the interval, not the p-value", "label both axes",
        "sort out units at the start", "skip the first {small} rows", "peek at {url}",
        "simulate it {page} times", "borrow {other}'s ruler", "multiply from the left",
    ),
    "because": (
        "the groups were measured on the same people", "{formula} shrinks with the square root of n",
        "the determinant is zero", "one reading is ten times too large",
        "you estimated the mean from the same data", "{famous} assumed independence and we have none",
        "rows and columns got swapped", "a long tail pulls the mean up",
        "the scale drifts when it is cold", "{formula} only holds for small angles",
        "the software drops blanks silently",
    ),
    "wish": (
        "fingers crossed.", "shout if not.", "greetings to {pet}.", "you've got this {friend}.",
        "that cost me a weekend.", "no warranty.", "tell us how it went, {friend}.",
        "may the odds be with you",
    ),
    "gratitude": (
        "bless you {friend}!", "brilliant, {friend}, ta.", "much obliged {friend}. {^quip}.",
        "that cracked it. {^because}, of course.", "you're a star {friend}",
        "I could hug you, {friend}, and {other} as well.", "CHEERS {friend}!!!",
        "solved, grazie {friend}. Lunch in {town} is on me.",
    ),
    "side": (
        "likewise.", "{friend} has a point. {^because}.", "ditto, and {other} too.", "seconded. {^mood}.",
        "our bench saw that as well, ask {other_full}.", "^ this", "I'm on {friend}'s side here.",
        "count {other} and me among the puzzled.",
    ),
    "objection": (
        "sorry to be blunt: {because}.", "nope. {^tip}.", "I beg to differ, {friend}. {^because}.",
        "not so fast: {because}. {^wish}", "{staff_given} told {other} the opposite: {because}.",
        "{famous} rolls over in the grave, {because}.",
    ),
    "pointer": (
        "{other} did her thesis on this, try {other_full}.", "{other_full} keeps a list at {url}",
        "{other}'s brother works for {employer}, he would know.",
        "wasn't that {other}? Lives in {town} now.", "I'd phone {other}.",
        "mail {staff_given}, not me ;-)",
    ),
    "comfort": (
        "chin up {friend}.", "we all went through that.", "poor {pet}!", "oh dear, {friend}.", "breathe.",
        "been there.",
    ),
    "ruling": (
        "sheet {small} may be handed in until {weekday}, {clock}.",
        "the handout has a misprint: read {formula}.",
        "{friend}, please see me on {weekday} at {clock} in room {page}.",
        "as {friend} rightly observes, {because}.", "no solutions in public, {friend}, thank you.",
        "kindly write to {email} instead.", "{other} has volunteered as tutor for {topic}.",
        "points for sheet {small} are online; complaints to {staff_full}.",
        "we use the convention of {famous} throughout.", "urgent matters: {phone}.",
    ),
    "more": (
        "", " {^puzzle_extra}.", "\n\n{^effort}; {mood}. {^consequence}.",
        "\n\n{^statement}, or so {other} insists. {^skeptic}. {^query}?", "\n\nPS: {query}?",
        " {^effort}, {effort}, and still {mood}.",
    ),
    "more_solve": (
        "", "", " {^tip}.", "\n\n{^because}, and {because}. {^tip}. {^wish}",
        "\n\n{other} had the same on {weekday}: {tip}, {tip}, done. {^wish}",
    ),
    "more_plea": ("", "", " Moreover {mishap}.", "\n\n{other_full} can confirm that {mishap}; {polite}."),
}  # fmt: skip
