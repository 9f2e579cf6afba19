"""Sixty messy posts, each with its planted identifiers: what must go, and ordinary words that must stay."""

import re
from difflib import SequenceMatcher

import pyarrow as pa
import pytest

from sharewell import posts

# post, what must go, what must stay
TRIAL: list[tuple[str, str, str]] = [
    ("Hi Maria,\nthanks for the notes on entropy!\n\nTomasz", "Maria Tomasz", "entropy notes"),
    ("hey priya did u get question 3?? i got .05 lol", "priya", "question .05"),
    ("Has anyone solved exercise 4b? I keep getting a KeyError in line 12.", "", "exercise KeyError 12"),
    ("will here: the deadline moved to Friday", "will", "deadline Friday"),
    ("Hi all, will here from group 4 - so the growth of a person matters", "will", "so growth person matters"),
    ("I will mark it as solved. The grace period ends soon.", "", "will mark grace period"),
    ("Student's t-test gives p < .05, so we reject H0.", "", "t-test .05 reject"),
    ("We used Adam with a learning rate of 0.001 and it converged.", "", "learning 0.001 converged"),
    ("Bayes' rule and the Pearson correlation are on page 12.", "", "rule correlation page 12"),
    ("Best wishes,\nMay", "May", "Best wishes"),
    ("see you tomorrow!\nSky xx", "Sky", "tomorrow"),
    ("Привет, я Дмитрий из Москвы", "Дмитрий", ""),
    ("我叫陈伟，很高兴认识大家", "陈伟", ""),
    ("안녕하세요 저는 김서연 입니다", "서연", ""),
    ("山田太郎です。よろしくお願いします。", "山田太郎", ""),
    ("نشكر أحمد على المساعدة", "أحمد", ""),
    ("धन्यवाद अमित, बहुत मदद मिली", "अमित", ""),
    ("Thanks @jlopez99, that fixed it", "jlopez99", "fixed"),
    ("write to me: anna.kowalska@uni.example or +49 151 23456789", "anna.kowalska@uni.example 23456789", "write"),
    ("My student id is 20231187, can the TA check?", "20231187", "check"),
    ("I was born on 3 May 1998 in Leeds", "1998", "born"),
    ("> On Tue, Ngozi Okafor wrote:\n> use the chain rule\nThanks Ngozi, it works", "Ngozi Okafor", "chain works"),
    ("Dear Professor O'Sullivan, could I get an extension?", "O'Sullivan", "extension"),
    ("J. Park and M. Lindqvist did the plots", "Park Lindqvist", "plots"),
    ("As Kwame said, the loop never ends", "Kwame", "loop never ends"),
    ("GREAT JOB FATIMA!!!", "FATIMA", "GREAT JOB"),
    ("my roommate siddharth failed the quiz too", "siddharth", "roommate failed quiz"),
    ("Love,\nzoë", "zoë", "Love"),
    ("group: Håkan, José, Zoltán and me", "Håkan José Zoltán", "group"),
    ("```python\n# written by Esmeralda\nprint(x)\n```", "Esmeralda", "print"),
    ("call `Esmeralda` if `x = 3` fails, Esmeralda knows", "Esmeralda", "fails"),
    ("$v = \\text{Giulia's velocity}$ as Giulia wrote", "Giulia", "velocity"),
    ("<b title='Svetlana'>see this</b>, thanks Svetlana", "Svetlana", "see this"),
    ("from: <Rajesh Gupta>", "Rajesh Gupta", "from"),
    ("my file is in /home/mlopez/hw1", "mlopez", "file"),
    ("Thx Chloé, ur the best", "Chloé", "best"),
    ("I agree with Mohammed and Aisha on this one.", "Mohammed Aisha", "agree"),
    ("Does the storm surge model need a seed? Hope it works.", "", "storm surge model seed works"),
    ("I hope so. Faith in the method is fine, but show the numbers.", "", "hope method numbers"),
    ("Ciao a tutti, sono Francesca, piacere", "Francesca", ""),
    ("Hola, me llamo Guadalupe y vivo en Oaxaca", "Guadalupe", ""),
    ("Guten Tag, ich heiße Jürgen Schröder", "Jürgen Schröder", ""),
    ("Bonjour, je suis Benoît", "Benoît", ""),
    ("Olá, sou o Thiago de Recife", "Thiago", ""),
    ("Nguyen Van Anh here, new to the course", "Nguyen", "new course"),
    ("hi im Shaniqua, pre-med, love dogs", "Shaniqua", "dogs"),
    ("Signed, Wei-Ling Hsu", "Wei-Ling Hsu", "Signed"),
    ("Our TA Bartholomew is awesome", "Bartholomew", "awesome"),
    ("can someone send me the slides from week 2?", "", "someone slides week 2"),
    ("The mean was 3.14159 and n = 1,000,000.", "", "mean 3.14159 1,000,000"),
    ("I live at 12 Baker Street, Springfield 62704", "Baker 62704", "live"),
    ("ask Abdulrahman, he will know", "Abdulrahman", "will know"),
    ("kudos to olu and temi for the slides", "temi", "kudos slides"),
    ("Regards\nK. Müller-Lüdenscheidt", "Müller-Lüdenscheidt", "Regards"),
    ("Hi Rose, the rose window is in chapter 5", "Rose,", "window chapter 5"),
    ("Thanks Dr. Venkataraman for the answer", "Venkataraman", "answer"),
    ("see https://example.org/~hnakamura/notes", "hnakamura", "see"),
    ("so and then we just sort the list, right?", "", "just sort list right"),
    ("Person A meets person B: growth is exponential", "", "growth exponential"),
    ("@Sam @Priyanka pls review my draft", "Sam Priyanka", "review draft"),
    ("It was Oluwaseun's idea, not mine", "Oluwaseun", "idea mine"),
]


@pytest.fixture(scope="module")
def redacted() -> list[str]:
    frame = pa.table({"message": [text for text, _, _ in TRIAL]})
    clean: list[str] = posts.redact(frame)["message"].to_pylist()
    return clean


def missed(clean: list[str]) -> list[str]:
    return [word for (_, gone, _), text in zip(TRIAL, clean, strict=True) for word in gone.split() if word in text]


def test_nearly_every_planted_identifier_goes(redacted: list[str]) -> None:
    planted = sum(len(gone.split()) for _, gone, _ in TRIAL)
    assert len(TRIAL) >= 60 and planted > 60
    left = missed(redacted)
    assert len(left) <= 0.04 * planted, left


def test_ordinary_words_and_numbers_stay(redacted: list[str]) -> None:
    kept = [(word, text) for (_, _, stays), text in zip(TRIAL, redacted, strict=True) for word in stays.split()]
    lost = [word for word, text in kept if word not in text]
    assert len(lost) <= 0.04 * len(kept), lost


def test_other_scripts_addresses_and_code_hold_nothing_back(redacted: list[str]) -> None:
    sure = "Дмитрий 陈伟 서연 山田太郎 أحمد अमित jlopez99 anna.kowalska@uni.example 20231187 mlopez hnakamura Giulia"
    assert not [word for word in sure.split() if word in " ".join(redacted)]


def test_who_says_here_at_the_beginning_of_a_line_is_named() -> None:
    said = ["will here: see you", "so\nMay here, hello", "i will, here and now", "May here we go"]
    clean = posts.redact(pa.table({"message": said}))["message"].to_pylist()
    assert clean[:2] == ["[NAME] here: see you", "so\n[NAME] here, hello"] and clean[2] == said[2]


def test_code_outside_backticks_groups_and_methods_name_nobody() -> None:
    said = [
        "In [3]: df.groupby('week')['grade'].mean() says Lukasz",
        "@everyone the Gaussian elimination is due, @priya_k too",
        "das hat Herr Yilmaz am Montag erklärt",
    ]
    clean = posts.redact(pa.table({"message": said}))["message"].to_pylist()
    assert clean[0] == "In [3]: df.groupby('week')['grade'].mean() says [NAME]"
    assert clean[1] == "@everyone the Gaussian elimination is due, [HANDLE] too"
    assert "Herr [NAME]" in clean[2] and "Montag" in clean[2]


def test_numerals_and_references_name_nobody() -> None:
    said = ["Read Chapter IV and question II before World War III", "The DOI stands in unit XII", "Xi asked me"]
    clean = posts.redact(pa.table({"message": said}))["message"].to_pylist()
    assert [word for word in ("IV", "II", "III") if word not in clean[0].split()] == []
    assert clean[1] == said[1] and clean[2] == "[NAME] asked me"


def test_with_a_roster_no_name_of_it_is_left() -> None:
    people = ["Maria Nowak", "Will Young", "May Lin", "Sky Adams", "Rose Baker", "Priya Rao", "Temi Ade", "Olu Ojo"]
    frame = pa.table({"message": [text for text, _, _ in TRIAL]})
    text = "\n".join(posts.redact(frame, roster=people)["message"].to_pylist())
    assert not re.search(r"\b(?:Maria|priya|Priya|temi|olu)\b", text)


# Written after the rules were made, before the trial above was read: ⟦what must go⟧ is marked, all the rest must stay.
# Redacted for the first time, 4 of 85 words and numbers of names were left and 21 of 898 others lost (6 and 72 without
# the rules for other languages, methods and careful writers). What was mended since is in the figures of the test.
SECOND = """\
Guten Morgen, hier ist ⟦Henrike⟧ aus der Übungsgruppe 3. Ich habe eine Frage zur Hausaufgabe: Muss die Stichprobe zufällig gezogen werden, oder reicht eine Umfrage in der Vorlesung? Viele Grüße, ⟦Henrike Sandmeier⟧
=====
moin ⟦torben⟧, hast du die mitschrift von gestern? bei mir fehlt seite 14 bis 17. danke & gruß, ⟦wiebke⟧
=====
Der Dozent, Herr Prof. ⟦Zwickel⟧, meinte, dass der Beweis der Ungleichung nicht klausurrelevant ist. Stimmt das? Die Wahrscheinlichkeit im Beispiel beträgt 0,35.
=====
Buenas tardes, soy ⟦Jimena⟧ del turno vespertino. ¿Alguien me puede explicar la diferencia entre media y moda? En la página 56 del libro aparece otra fórmula. Quedo atenta, ⟦Jimena Barragán⟧
=====
oye ⟦beto⟧ pásame el enlace de la videollamada porfa, no lo encuentro y la clase empieza a las 6
=====
La profesora ⟦Echeverría⟧ amplió el plazo hasta el domingo. Esa noticia me alegró muchísimo, porque todavía me faltan tres ejercicios.
=====
Bonsoir à tous, ici ⟦Capucine⟧. Quelqu'un a-t-il compris la correction de l'exercice 8 ? D'après moi, il manque une hypothèse. Cordialement, ⟦Capucine Tessier⟧
=====
slt ⟦mehdi⟧ t'as fini le tp ? moi j'ai une erreur à la ligne 42 et je comprends rien
=====
Olá pessoal! Meu nome é ⟦Thiago Nogueira⟧ e estou com dúvida no exercício 7. Alguém sabe se a resposta é 0,25 ou 0,75? Agradeço desde já.
=====
Selam ⟦Berkay⟧, ödevi yükleyemedim çünkü sistem hata veriyor. Hocamız ⟦Şebnem⟧ Hanım süreyi uzatır mı acaba? İyi akşamlar.
=====
Dzień dobry, nazywam się ⟦Bartłomiej Zieliński⟧ i nie rozumiem zadania piątego. Czy ktoś mógłby wyjaśnić, skąd bierze się wynik 2,71? Z góry dziękuję.
=====
Xin chào cả lớp, tôi tên là ⟦Trần Quốc Bảo⟧. Bài tập tuần này khó quá, có bạn nào làm được câu 6 chưa? Nhóm mình họp lúc 8 giờ tối nhé.
=====
नमस्कार, मेरा नाम ⟦अभिषेक⟧ है। मैं पिछले सप्ताह बीमार था। क्या मैं परीक्षा बाद में दे सकता हूँ?
=====
السلام عليكم، اسمي ⟦يوسف⟧ وأدرس الهندسة. متى موعد تسليم الواجب؟ مع التحية، ⟦يوسف القحطاني⟧
=====
大家好！我是⟦刘洋⟧，想问一下期末考试的范围。谢谢⟦陈⟧老师的讲解！
=====
안녕하세요 ⟦박서준⟧입니다. 조별 과제는 언제까지 내면 되나요? 정말로 어려워요. 도와주시면 고맙겠습니다.
=====
Здравствуйте! Меня зовут ⟦Ольга⟧, не могу открыть лекцию 5. Помогите, пожалуйста. С уважением, ⟦Ольга Белова⟧
=====
So ⟦Mark⟧ and I disagree: he thinks the mark scheme is fair, I do not. I will ask ⟦Will⟧ on Monday, and hopefully he will answer before the exam on the 12th.
=====
i think ⟦grace⟧ already answered this. theres a grace period of 2 days so ur fine
=====
Rising prices hurt. Sales fell, costs rose, and hope faded. In May the board may vote again. It was a joy to read, said nobody.
=====
⟦Rose⟧, could you upload the slides? The curve rose too fast in figure 2, I think there is a typo.
=====
Hope you are all well! I am ⟦Hope Atwater⟧ and I will be your peer reviewer this term.
=====
We used Adam with a learning rate of 3e-4, and then compared the Kolmogorov-Smirnov test with the Anderson-Darling test. Spearman's rho was 0.61, Cohen's d was 0.4.
=====
By Bayes' theorem the posterior is 0.83. ⟦Thomas⟧ got 0.38, so he probably swapped two digits. The Taylor series converges, see the Runge-Kutta method in chapter 11.
=====
⟦Taylor⟧'s answer is better than mine. ⟦Taylor⟧ used a loop; mine raises a ValueError: could not convert string to float: 'N/A' and then an IndexError.
=====
```r
# written by ⟦Saoirse Flynn⟧, 2021
fit <- lm(score ~ hours, data = df)
summary(fit)
```
Why is R-squared only 0.12? I expected more. ⟦Saoirse⟧
=====
\\documentclass{article} \\author{⟦Emeka Obiora⟧} \\title{Lab Report 4} \\begin{document} The Hamming distance of the two words is 3. \\end{document}
=====
> On Fri at 3 pm ⟦Lorenzo Bianchi⟧ <⟦l.bianchi@studenti.example.it⟧> wrote:
> can we meet before the lab?
Sure, 2 pm in the cafeteria. ⟦LB⟧
=====
THANK YOU ⟦QUENTIN⟧!!! THAT FIXED IT. I HAD FORGOTTEN A COMMA IN LINE 9.
=====
This Is My First Post. I Am ⟦Marcellus Whitfield⟧ And I Want To Become A Nurse. See You In Class.
=====
Dear Mrs. ⟦O'Rourke-Bell⟧,
Please find attached my essay. My student ID is ⟦4471920⟧ and my phone is ⟦+44 7700 900123⟧.
Yours sincerely,
⟦Imogen P.⟧
=====
yo its ⟦dre⟧ from the tuesday section, anybody got notes? add me on snap ⟦@dre_dayy04⟧
=====
My roommate ⟦Xiomara⟧ and her brother ⟦Ángel⟧ both took this class with Dr. ⟦de la Cruz⟧ and said the final is open book.
=====
Quick update from group 7: ⟦Anjali⟧ does the plots, ⟦Björn⟧ the tables, ⟦T.J.⟧ the intro. Deadline is Friday 17:00.
=====
thanks everyone, this forum is so helpful!! xx ⟦poppy⟧
=====
can somebody explain recursion like im five lol. the base case confuses me, and the stack overflows after 1000 calls
=====
The experiment had 48 participants (24 women), mean age 21.3 years, SD = 2.9. We excluded 3 of them because they did not finish. Results were significant, F(1, 43) = 6.7, p = .013.
=====
According to the syllabus, late work loses 10% per day. Exceptions need a note from the health center. Please do not email the instructor about grades.
=====
Ich stimme der These zu. Die Digitalisierung verändert den Arbeitsmarkt, aber sie schafft auch neue Berufe. Besonders im Bereich der Pflege fehlen Fachkräfte, und die Ausbildung dauert drei Jahre.
=====
Estoy de acuerdo con la mayoría de los argumentos. Sin embargo, la autora olvida mencionar los costos del transporte y la contaminación del río. Habría que comparar ambas propuestas.
=====
Je trouve que la conclusion est trop rapide. L'auteur oublie de parler des conséquences économiques, et l'enquête ne portait que sur quarante personnes.
=====
have a great summer everybody!! it was fun. – ⟦jules⟧ & ⟦Kofi⟧
"""  # noqa: E501
KNOWN_TO_STAY = {"LB", "T", "J"}  # initials after a full stop, or as a subject: nothing around tells them from words
_WORD = re.compile(r"[\u4e00-\u9fff\uac00-\ud7af]|\[[A-Z]+\]|(?:[^\W\u4e00-\u9fff\uac00-\ud7af]|[\u0900-\u097f])+")


def _planted(marked: str) -> tuple[str, list[bool]]:
    """The post without marks, and per word whether it must go."""
    parts = re.split(r"[⟦⟧]", marked)
    return "".join(parts), [bool(i % 2) for i, part in enumerate(parts) for _ in _WORD.findall(part)]


def test_a_second_trial_in_thirteen_languages() -> None:
    trial = [_planted(marked) for marked in SECOND.rstrip("\n").split("\n=====\n")]
    clean = posts.redact(pa.table({"message": [text for text, _ in trial]}))["message"].to_pylist()
    left, lost, words = [], [], [0, 0]
    for (text, goes), redacted in zip(trial, clean, strict=True):
        before = _WORD.findall(text)
        blocks = SequenceMatcher(None, before, _WORD.findall(redacted), autojunk=False).get_matching_blocks()
        kept = {i for block in blocks for i in range(block.a, block.a + block.size)}
        left += [word for i, word in enumerate(before) if goes[i] and i in kept]
        lost += [word for i, word in enumerate(before) if not goes[i] and i not in kept]
        words = [words[0] + sum(goes), words[1] + len(goes) - sum(goes)]
    assert len(trial) >= 40 and words[0] >= 80 and words[1] >= 850
    assert set(left) <= KNOWN_TO_STAY, left
    assert len(lost) <= 0.02 * words[1], lost
