"""Templates of a field course on nature and its history: used for nothing but a last, untouched measurement."""

from sharewell.fiction.grammar import Grammar
from sharewell.fiction.scene import Places

PLACES = Places(
    towns=(
        "Inverness", "Oviedo", "Szeged", "Kaunas", "Namur", "Trondheim", "Ljubljana", "Thessaloniki", "Gdynia",
        "Nantes",
        "Kampala", "Cochabamba", "Mendoza", "Hobart", "Nagoya", "Penang", "Lahore", "Shiraz", "Agadir", "Duluth",
        "Halifax", "Oaxaca", "Recife", "Limerick", "Dundee",
    ),
    employers=(
        "Fenwick Nurseries", "Alpina Outdoor", "the Marsh Lane Surgery", "Corvane Software", "Delgado Fisheries",
        "Hollis and Brandt", "Pernod Garage", "Skyfield Couriers", "Moorland Trust", "Tarn Valley Water",
    ),
    pets=("Pippin", "Falafel", "Lady Bug", "Miso", "Bramble", "Cosmo", "Tilly", "Hobbit", "Noodle", "Rufus"),
)  # fmt: skip

GRAMMAR: Grammar = {
    "kinds": ("sighting", "sighting", "essay", "essay", "trip", "hiccup", "hiccup", "arrival"),
    "topics": (
        "lichens", "owl pellets", "the glacier walk", "pollination", "the peat core", "tree rings", "museum labels",
        "invasive snails", "dune succession", "the tide table", "birdsong", "fossil ferns", "the herbarium",
        "soil acidity",
        "the footnotes", "beetle traps", "old maps", "the oral history", "moth counts", "river gravel",
    ),
    "salute": (
        "Ahoy {other} & co!\n", "Hello naturalists,\n\n", "Folks,\n", "Good afternoon all. ", "", "", "",
        "Hey there {other}, hey everybody,\n", "Dear fellow walkers,\n\n", "Evening, all\n\n",
    ),
    "salute_staff": (
        "Dear Dr {staff},\n\n", "Hi {staff_given}, hi tutors,\n", "Professor {staff},\n\n", "Dear {staff_full},\n\n",
        "Hello {staff_given}!\n",
    ),
    "to_one": (
        "{friend}, ", "Hi {friend}!\n\n", "Dear {friend},\n", "Good question {friend}. ", "Lovely find, {friend}! ",
        "hey {friend} - ", "", "", "", "Agreed with {friend} here. ", "{friend} and {other}: ", "Thank you {friend}. ",
        "Careful {friend}, ", "As {friend} says above, ", "@{friend} ",
    ),
    "close": (
        "\n\n{me}", "\n\nAll best,\n{me_full}", "\n- {me}", "\n\nwith muddy boots,\n{me_nick}", "", "", "",
        "\n\n{me_initials}",
        "\n\nSee you out there,\n{me}", "\n\nThanks\n{me}", "\nHappy hunting! {me}", "\n\n{me_full}, group {small}",
        "\n\nWarm wishes\n{me}\n{phone}", "\n\nBest,\n{me} ({handle})",
    ),
    "close_staff": ("\n\n{me}", "\n\nBest wishes,\n{me_full}", "\n\n{me_initials}", "\n\nDr {me_full}, field station"),
    "place": (
        "the bog", "the old quarry", "the ferry", "{town}", "a wall near {town}", "the car park", "the reading room",
    ),
    "creature": (
        "a heron", "three goldcrests", "some Quercus seedlings", "a very lost crab", "an otter", "a patch of Sphagnum",
        "two jays", "a slow worm", "what I think is Bombus", "a dead shrew", "a kestrel",
    ),
    "tool": (
        "iNaturalist", "Zotero", "the GPS", "my hand lens", "QGIS", "JSTOR", "the quadrat frame", "Google Earth",
        "a sieve",
    ),
    "saw": (
        "yesterday {other} and I saw {creature} by {place}", "near {place} we counted {small} of them",
        "I spotted {creature} just before {clock}", "on the way home {creature} crossed the road",
        "{other_full} swears it was {creature}", "my aunt in {town} has {creature} in her garden",
        "{pet} found {creature} before any of us did", "I have photographs of {creature}, badly lit",
    ),
    "wonder": (
        "does anybody know what that means for {topic}?", "is this usual in March?",
        "what would {famous} have called it?",
        "should it go into the {topic} sheet?", "who else has seen this?", "can {tool} tell them apart?",
        "was it May or June when the last one came?", "will it survive the frost?",
    ),
    "think": (
        "I would say the answer lies in {topic}", "chapter {small} treats {topic} at length",
        "the older sources disagree",
        "{staff_given} showed us how in week {small}", "mark the spot and look again at dusk",
        "the light was poor, so grant it some doubt", "page {page} has a better drawing",
        "I used {tool} and it took ages",
        "my guess is that the rain did it", "hope is not a method, as {other} likes to say",
        "one reads the same in {famous}, nearly word for word", "bring a flask, a notebook and patience",
    ),
    "argue": (
        "my draft on {topic} is too long by half", "the reviewer wants more about {topic}",
        "I read {famous} on the train",
        "how many sources are enough?", "{other} lent me a book on {topic}", "I can't find a thesis in all this",
        "the archive in {town} closes at noon", "footnote {small} cites a letter that nobody has seen",
        "I work nights at {employer}, so I write slowly", "my essay is due on {clock_day} and I have a title",
    ),
    "clock_day": ("Monday", "Thursday", "Friday", "Sunday"),
    "fault": (
        "the upload stops at {page} per cent", "{tool} won't start", "my samples were mislabelled", "I missed the boat",
        "the quiz on {topic} froze", "it says {inline} is not defined", "my number {number} is not on the list",
        "I lost the key to locker {small}", "{staff_given} has my form and is away",
    ),
    "life": (
        "I grew up in {town}", "I keep bees, and a dog called {pet}", "I teach at a school in {town}",
        "most days I am at {employer}",
        "I was born on {birth}, on a farm", "my sister {other} made me join", "I have two children and no time",
        "I paint birds: {url}", "you can write to me at {email}",
        "parcels go to {address}", "everybody calls me {me_nick}",
    ),
    "subject_sighting": ("{creature}!", "{topic}, again", "What is this?", "seen near {town}", "for {other}: {topic}"),
    "subject_essay": ("Essay {small}", "sources on {topic}", "{famous}?", "{topic} draft", "Question for {staff_full}"),
    "subject_trip": ("Bus to {town}", "who shares a tent", "Saturday with {other}", "low tide {clock}"),
    "subject_hiccup": ("{tool} trouble", "lost: one boot", "{me_full}, missing mark", "quiz {small}"),
    "subject_arrival": ("{me_nick} from {town}", "New here", "hello from {me_full}"),
    "open_sighting": (
        "{salute}{^saw}. {^wonder}{close}", "{^saw}. {^saw}! {^wonder}", "{salute}{^saw}; {think}. {^wonder}{close}",
    ),
    "open_essay": (
        "{salute}{^argue}. {^argue}, and {argue}. {^wonder}{close}", "{salute_staff}{^argue}. {^think}?{close}",
        "{^argue}: {think}. {^wonder}",
    ),
    "open_trip": (
        "{salute}{other} drives to {town} at {clock}, two seats left. Ring {phone}.{close}",
        "{salute}Shall we meet at {place}? {^other_full} has the tickets. {^think}.{close}",
        "Who comes to {place} on {clock_day}? So far: {other}, {other_full} and me.{close}",
    ),
    "open_hiccup": (
        "{salute_staff}{^fault}. {^fault}, too. What now?{close}", "{salute}{^fault}. {^think}.\n\n{code}\n{close}",
        "{salute_staff}I am {me_full}, {number}. {^fault}.{close}",
    ),
    "open_arrival": (
        "{salute}my name is {me_full}. {^life}. {^life}.{close}", "{me_nick} here! {^life}, and {life}.",
        "{salute}{^life}. {^life}. {^saw}.{close}",
    ),
    "answer": (
        "{to_one}{think}.{close}", "{^think}. {^think}.", "{to_one}{saw}, so {think}.{close}",
        "{to_one}{wonder}{close}",
        "{to_one}no idea, ask {other}.", "{to_one}thank you, that helps. {^think}.{close}",
        "{to_one}first {think}. Then {think}.\n\nOr ring {other_full}.{close}",
    ),
    "greeting_back": (
        "{to_one}welcome! {^life}.{close}", "{^life}, how funny.", "{to_one}{saw}, you will like it here.{close}",
    ),
    "ruling": (
        "{to_one}{think}. It is noted.{close_staff}", "{to_one}write to {staff_full}, please.{close_staff}",
        "{^think}.{close_staff}",
    ),
    **{f"reply_{kind}": ("{answer}",) for kind in ("sighting", "essay", "trip", "hiccup")},
    "reply_arrival": ("{greeting_back}",),
    **{f"staff_{kind}": ("{ruling}",) for kind in ("sighting", "essay", "trip", "hiccup", "arrival")},
}  # fmt: skip
