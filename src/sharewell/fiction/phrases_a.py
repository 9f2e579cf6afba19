"""What people say in a programming course's forum: the phrases of which the posts of forum_a are made."""

from sharewell.fiction.grammar import Grammar

PHRASES: Grammar = {
    "topics": (
        "nested loops", "recursion", "list slicing", "dictionaries", "reading files", "the second assignment",
        "string formatting", "while loops", "return values", "the unit tests", "off-by-one errors",
        "the peer review", "global variables", "exceptions", "the mark scheme", "installing the editor",
        "integer division", "sorting", "binary search", "the final project", "boolean expressions",
        "mutable default arguments", "the grace period", "classes and objects", "big-O notation",
    ),
    "trouble_noun": (
        "stuck", "what am I missing", "wrong output", "tests fail", "no idea", "is this right", "confused",
    ),
    "letter": ("a", "b", "c", "d", "ii", "iv"),
    # greetings and signatures
    "greet_all": (
        "Hi everyone,\n\n", "hey all, ", "Hello everybody!\n", "Hi,\n\n", "Good evening,\n\n", "hi guys\n",
        "Hello,\n", "Hey folks,\n\n", "", "", "Morning all,\n", "Dear classmates,\n\n",
        "Hi {other} and everyone else,\n\n", "hello :)\n",
    ),
    "greet_staff": (
        "Dear Professor {staff},\n\n", "Dear Dr {staff},\n\n", "Hello Prof. {staff},\n",
        "Hi {staff_given},\n\n", "Dear {staff_full},\n\n", "Dear Sir or Madam,\n\n",
        "Hi Dr. {staff} and {staff_given},\n\n",
    ),
    "greet_one": (
        "Hi {friend},\n\n", "hey {friend}, ", "{friend}, ", "Hello {friend}!\n", "@{friend} ",
        "Dear {friend},\n\n", "hi {friend}\n", "", "", "", "Hiya {friend} - ", "{friend}: ",
        "Thanks {friend}. ", "Good point {friend}! ", "Sorry {friend}, ", "Yo {friend},\n",
        "Hi {friend} and {other},\n\n",
    ),
    "sign": (
        "\n\n{me}", "\n\nThanks,\n{me}", "\n\n- {me}", "\nCheers, {me}", "\n\nBest wishes,\n{me_full}",
        "\n\nregards\n{me}", "", "", "", "", "\n\nThanks in advance!\n{me}", "\n\n~{me_nick}",
        "\n\n{me_initials}", "\nbest, {me}", "\n\n--\n{me_full}\n{email}", "\nThank you!", " thx",
        "\n\n{me_full} ({number})", "\n\nSee you in class\n{me_nick}",
    ),
    "sign_formal": (
        "\n\nKind regards,\n{me_full}\nStudent number {number}", "\n\nBest regards,\n{me_full}",
        "\n\nYours sincerely,\n{me_full}\n{phone}", "\n\nMany thanks\n{me_full}, {number}",
        "\n\nThank you very much,\n{me}", "\n\nWith kind regards\n{me_full}\n{address}\n{phone}",
    ),
    "staff_sign": (
        "Best,\n{me}", "{me_full}\nTeaching team", "{me_initials}", "Regards, Dr {me_full}", "{me}",
        "All the best\n{me} (TA)",
    ),
    # questions
    "ask_body": (
        "{ask_start} {topic}. {^tried}. {^closing_ask}", "{ask_start} {topic}: {specific}? {^tried}.",
        "{^specific}? {^reason}.", "{^feeling}. {^ask_low} {topic}. {^specific}? {^closing_ask}",
        "{ask_start} exercise {small}. {^specific}?\n\n{list_tried}\n\n{^closing_ask}",
        "{^reason}, so {ask_low} {topic}. {^closing_ask}",
        "In the lecture {staff_given} said that {claim}. {^specific}? {^feeling}.",
        "{other} told me that {claim}, but {doubt}. {^specific}?",
    ),
    "ask_start": (
        "I have a question about", "I don't really understand", "I'm struggling with",
        "Could somebody explain", "Has anyone figured out", "quick question on", "Still fighting with",
    ),
    "ask_low": (
        "I wonder about", "I can't get my head around", "I would like to hear more about",
        "I need some help with", "I am lost at",
    ),
    "specific": (
        "why does {inline} return None here", "what is the difference between {inline} and {inline}",
        "do we have to use {inline} or may we write our own loop", "how long should the answer be",
        "will this be on the exam", "is it normal that the program runs for {small} minutes",
        "where in the book is this explained, I looked at page {page}",
        "does the order of the parameters matter", "should {formula} not be smaller", "can the list be empty",
        "why do I get {small} instead of {small}", "how do you mark code that works but is ugly",
        "may we hand it in as a pair", "what happens when the file does not exist",
        "do we lose points for missing comments", "is the late penalty per day or per hour",
    ),
    "tried": (
        "I tried {inline} and got the same error", "I have read the chapter twice",
        "I drew the whole thing on paper and it still makes no sense",
        "I asked {other} but we both got different results",
        "on my laptop it works, on the server it does not", "I spent about {small} hours on it yesterday",
        "{other}'s version works and mine doesn't", "the hint on slide {page} did not help me",
        "I compared my output with {other_full} and the numbers differ", "I restarted everything, twice",
        "my solution passes {small} of {page} tests",
        "I searched the forum but only found last year's thread",
    ),
    "list_tried": (
        "What I did so far:\n- read page {page}\n- changed {inline}\n- asked {other}",
        "1. start the program\n2. enter {page}\n3. it prints {small}",
        "* input: {page}\n* expected: {small}\n* what I get: nothing at all",
        "- with {inline}: fine\n- with {inline}: crash",
    ),
    "feeling": (
        "I feel a bit stupid asking this", "this week really was hard for me", "I am new to programming",
        "maybe it is just too late in the evening", "I hope this is the right place to ask",
        "to be frank, I am lost", "I may be overthinking this",
        "my confidence rose last week and now it is gone again", "I've lost all faith in my laptop",
        "it was a joy until exercise {small}", "sorry if this has been asked before",
        "English is not my first language, so please bear with me",
    ),
    "reason": (
        "the book says something else on page {page}",
        "I missed the lecture because of my shift at {employer}", "the video stops after {small} minutes",
        "I was in {town} last week and could not follow", "my dog {pet} was ill and I am behind",
        "the examples all use numbers and here we have strings", "I joined the course late",
        "I am travelling back from {town} on Sunday", "we had no electricity for two days",
    ),
    "claim": (
        "the index starts at zero", "every recursive function can be written as a loop",
        "strings cannot be changed", "{famous} already proved this", "we should never use {inline}",
        "{formula} is the best you can hope for", "the grader only looks at the last submission",
        "a function must always return something", "it all goes back to {famous}",
        "variables inside a function are invisible outside",
    ),
    "doubt": (
        "I am not sure", "my tests say otherwise", "that can't be the whole story",
        "the slides say the opposite", "I did not find it in the book",
    ),
    "closing_ask": (
        "any help is welcome!", "thanks for your help", "can someone point me in the right direction?",
        "what am I doing wrong?", "please help, the deadline is on Sunday", "any ideas?",
        "maybe {other} knows?", "a hint would be enough", "I would be very grateful for an example",
        "could a TA have a look?", "does anyone else have this?",
    ),
    # trouble with programs
    "bug_body": (
        "My program {bug}. {^tried}. {^specific}?", "Since yesterday my editor {bug}. {^closing_ask}",
        "{^feeling} but my code {bug}:\n\n{code}\n\n{^specific}?",
        "{inline} {bug}, see {url}. {^closing_ask}", "The autograder {bug}. {^reason}. {^closing_ask}",
        "I put my code here: {url}\nIt {bug}. {^closing_ask}", "<p>My code {bug}.</p><p>{^specific}?</p>",
    ),
    "bug": (
        "crashes as soon as I enter a negative number", "prints the last line twice",
        'says "list index out of range"', "never stops",
        "gives me {small} points although it is the same as {other}'s", "does nothing at all",
        "complains about indentation", "will not start", "forgets the first element",
        "works only when I add a print", "returns None", "can't find the file",
    ),
    # introductions
    "intro_body": (
        "my name is {me_full} and I am from {town}. {^background}. {^hobby}.",
        "I'm {me}, {background}. {^hobby}! {^hope}.",
        "I am {me_full} but everyone calls me {me_nick}. {^background}. {^hope}.",
        "{me} here, living in {town}. {^hobby}. {^hope}.",
        "I live in {town} with my cat {pet}. {^background}. {^hope}.",
        "greetings from {town}! You can call me {me_nick}. {^background}.",
        "I was born on {birth} in {town}, so I might be the oldest here ;) {^background}.",
        "I'm {me} ({handle} on most sites). {^background}. {^hobby}.",
    ),
    "background": (
        "I work part time at {employer}", "I have never written a program before",
        "I studied music in {town} before this", "I used to work for {employer} as a driver",
        "I learned some Java at school", "I am doing this course next to my job at {employer}",
        "my sister {other} took this course last year", "I have two kids and little time",
        "I want to become a data analyst", "I read a biography of {famous} and got curious",
    ),
    "hobby": (
        "I like hiking and chess", "in my free time I walk my dog {pet}", "I play the violin",
        "I bake a lot of bread", "I'm a jack of all trades", "I collect old calculators",
        "my rabbit {pet} usually sits on the keyboard", "on weekends I coach a youth football team in {town}",
        "I drew comics for the school paper",
    ),
    "hope": (
        "I hope to learn a lot", "hope to meet some of you", "I will try to post every week",
        "looking forward to working with you all", "may the loops be with us",
        "I am excited and a little scared", "write to me at {email} if you want to practise together",
    ),
    # meeting
    "meet_body": (
        "does anybody want to meet for the project? I am free on {day} after {clock}. {^contact}.",
        "{other} and I are meeting in the library on {day} at {clock}, {topic} and maybe pizza. {^contact}.",
        "is anyone else in {town}? We could study together. {^contact}.",
        "we are looking for one more person for our group ({other}, {other_full} and me). {^contact}.",
        "I'm looking for a study partner in {town}. {^hobby}. {^contact}.",
        "online meeting on {day}, {clock}: {url}. {^hope}.",
    ),
    "day": (
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "May 5",
        "the 3rd of October",
    ),
    "contact": (
        "my number is {phone}", "write to {email}", "call or text me: {phone}", "I'm {handle} on the chat",
        "just answer here", "send a mail to {email} or call {phone}", "ask {other} for the details",
        "find me in the second row", "my WhatsApp is {phone}",
    ),
    "meet_reply": (
        "count me in! {^contact}.", "{day} is bad for me, could we say {clock}? {^contact}.",
        "I'd love to come, may I bring {other}?", "sounds good. I can be there at {clock}.",
        "I am in {town} that week, but {other} will come.", "yes please :) {^contact}.",
        "too far from {town} for me, sorry. Will you do it online too?",
    ),
    # administration
    "admin_body": (

        "I would like to ask for an extension for exercise {small}. {^excuse}. My student number is "
        "{number}.", "I cannot log in with {number}. {^excuse}. You can reach me at {phone}.",
        "My name is spelled wrong in the list, it should be {me_full}. {^hope_formal}.",
        "could you please check my mark for exercise {small}? {^excuse}. ({number}, born {birth})",
        "I have not received the invitation; my address is {email}. {^hope_formal}.",
        "my group partner {other_full} has not answered for a week. {^hope_formal}.",
        "for the certificate: {me_full}, born {birth}, {address}. {^hope_formal}.",
        "I had to change my group, {other} and I now work together. {^hope_formal}.",
    ),
    "excuse": (
        "I was in hospital in {town}", "my employer, {employer}, changed my shifts",
        "the site was down on {day}", "my internet connection broke", "I had to take {pet} to the vet",
        "my daughter was ill", "I moved to {address} last week", "I uploaded the wrong file",
        "my train from {town} was cancelled",
    ),
    "hope_formal": (
        "I hope that is possible", "please let me know what to do",
        "I will send the documents if you need them", "thank you for your understanding",
        "could you have a look, please",
    ),
    # talk
    "chat_body": (
        "{pet} just walked over my keyboard and submitted exercise {small} for me. {^joke}.",
        "greetings from the train to {town}! {^joke}.",
        "did anyone else watch the film about {famous}? {^joke}.",
        "{other} made a nice summary of {topic}: {url}. {^joke}.", "happy birthday {other}!! {^joke}.",
        "I met {staff_given} in the supermarket in {town} today. {^joke}.",
        "my new job at {employer} starts on {day}. {^joke}.",
        "does anyone have notes for week {small}? Mine went down with a cup of coffee. {^contact}.",
    ),
    "joke": (
        "just saying", "best day of the week", "I'll show myself out", "that is all for today",
        "made me smile", "have a nice weekend everybody", "now back to {topic}", "small world", "what a week",
    ),
    "praise_body": (
        "I just wanted to say that {topic} was the best part so far. {^joke}.",
        "big thanks to {other}, {other_full} and {staff_given} for the help with {topic}.",
        "thank you {staff_given} for the extra session on {topic}, it was great.",
        "the explanation of {topic} by {other} is better than the book. Have a look at page {page} "
        "and compare.",
    ),
    "math_body": (
        "how do we get from {formula} to {formula}? {^tried}.",
        "is {formula} the same as {formula}? {other} says yes. {^closing_ask}",
        "in exercise {small} I get {formula}, which looks wrong. {^specific}?",
        "who was {famous} and why is this called after {famous}? {^joke}.",
        "can we use {famous}'s theorem for {topic}? {^closing_ask}",
    ),
    # answers
    "answer_body": (
        "{advice}. {^explain}.", "{advice}. {^explain}. {^closing_answer}", "{explain}. {^closing_answer}",
        "I had the same problem. {^advice}.", "I think {explain}.", "{advice}, as {other} wrote above.",
        "as {staff_given} said in the lecture, {explain}.",
        "have you seen {other}'s answer in the other thread? {^advice}.",
        "{explain}. If not, {advice}. {^closing_answer}", "no idea, but {other} might know. {^advice}.",
        "see page {page}: {explain}.",
    ),
    "advice": (
        "try {inline} instead of {inline}", "put a print before the loop", "start with a small example",
        "check the indentation", "look at page {page} again", "draw the variables on paper",
        "you need to convert the input first", "test it with an empty list", "swap the two lines",
        "restart the kernel", "read the error from the bottom up", "ask in {staff_given}'s office hour",
        "have a look at {url}", "write the condition the other way round",
        "do not change the list while you loop over it", "you can do it in {formula} steps",
    ),
    "explain": (
        "the function returns before the loop ends", "{inline} changes the list and returns nothing",
        "the condition is already false at the start", "integers and strings cannot be added",
        "the index is one too large", "each call gets its own variables",
        "the file is opened relative to where you start the program", "it is the base case that matters",
        "this grows like {formula}", "a dictionary has no order you should rely on",
        "the test compares text, so a blank at the end counts", "you will see it when you step through it",
        "it is an old trick, I think by {famous}", "that was fixed in the new version",
    ),
    "closing_answer": (
        "hope that helps!", "hope this helps {friend}", "good luck!", "let me know if it works",
        "does that make sense?", "it took me ages too", "just my two cents", "correct me if I am wrong",
        "you will manage :)", "say hi to {pet}!",
    ),
    "thank_body": (
        "thank you so much {friend}, that worked!", "thanks {friend}!! {^joke}.",
        "ah, now I see. {^explain}. Thanks a lot, {friend}.", "that did it, thank you. {^joke}.",
        "THANK YOU {friend}, you saved my evening",
        "perfect, {friend}. I owe you a coffee when I am in {town}.",
        "thx {friend} and {other}, it works now", "it works!!! {^joke}.",
        "great answer, I will mark it as solved.",
    ),
    "agree_body": (
        "same here. {^feeling}.", "+1", "I agree with {friend}. {^explain}.",
        "{other} and I have the same problem. {^closing_ask}", "me too, {bug_short}.",
        "what {friend} said. {^advice}.", "I second {other}'s question.", "yes! {^explain}.",
        "I am with {friend} and {other} on this.",
    ),
    "bug_short": (
        "and I use the same version", "since Monday", "on two machines", "exactly the same number",
        "only in the evening",
    ),
    "correct_body": (
        "I don't think that is right. {^explain}. {^closing_answer}", "careful: {explain}.",
        "almost. {^advice}, then {explain}.", "not quite, {friend}: {explain}.",
        "I asked {staff_given} and apparently {explain}.", "{famous} would disagree ;) {^explain}.",
    ),
    "about_other": (
        "I worked with {other} last term, really reliable. You can reach {other_full} in the chat.",
        "have you asked {other}? {other_full} solved it on {day}.",
        "{other} moved to {town}, so probably not.", "I'll forward this to {other}. {^contact}.",
        "{other}'s notes are here: {url}", "that was {other_full}, not me :)",
    ),
    "sympathy": (
        "oh no, poor {pet}", "I know the feeling", "don't worry", "welcome to the club",
        "same boat here {friend}", "hang in there {friend}",
    ),
    # staff
    "staff_body": (
        "thank you for the question. {^explain}.",
        "the deadline will not move, but there is a grace period of {small} hours.",
        "good catch, slide {page} is wrong; it should say {formula}.", "{friend} is right, {explain}.",
        "please send this to {email} with your student number.", "we will discuss {topic} on {day}.",
        "please do not post solutions here, {friend}.",
        "I have marked your exercise again, {friend}. {^explain}.",
        "office hours are on {day} at {clock}. My number is {phone}.",
        "Dr {staff} will answer this on {day}.",
    ),
}  # fmt: skip
