"""Names of twelve scripts and cultures, in posts of their own languages: none is left."""

import re
from collections.abc import Iterable

import pyarrow as pa
import pytest

from sharewell import posts
from sharewell.text.finder import OneBatch, find
from sharewell.text.name_model import NameModel
from sharewell.text.tokens import tokenize

WRITTEN = {
    "Greek": ("Ευχαριστώ τον Γιώργο, με βοήθησε η Μαρία", "Μαρία"),
    "Cyrillic": ("Спасибо, Оксана, очень помогло", "Оксана"),
    "Ukrainian family name": ("Дякую, пане Шевченко", "Шевченко"),
    "Arabic": ("شكرا يا فاطمة على الملاحظات", "فاطمة"),
    "Persian": ("ممنون زهرا بابت کمک", "زهرا"),
    "Hebrew": ("תודה שרה על העזרה", "שרה"),
    "Armenian": ("Շնորհակալություն, Անահիտ", "Անահիտ"),
    "Georgian": ("გმადლობთ, ნინო", "ნინო"),
    "Devanagari": ("धन्यवाद अमित, बहुत मदद मिली", "अमित"),
    "Bengali": ("ধন্যবাদ রহিম, অনেক সাহায্য হলো", "রহিম"),
    "Han": ("谢谢王芳同学的笔记", "王芳"),
    "Han, introduced": ("大家好，我是王小明，请多关照", "王小明"),
    "Hangul": ("김서연 씨 감사합니다", "김서연"),
    "Kana and kanji": ("佐藤さん、ありがとう", "佐藤"),
    "Thai": ("ขอบคุณ กฤตพร มาก", "กฤตพร"),
    "Vietnamese": ("Thanks Nguyễn Tiến, your notes helped me a lot", "Nguyễn"),
    "Spanish": ("Hola a todos, gracias a Guadalupe por los apuntes de ayer", "Guadalupe"),
    "German": ("Danke an Jürgen, das Skript von gestern hat mir sehr geholfen", "Jürgen"),
    "French": ("Merci à Benoît pour les notes du cours", "Benoît"),
    "Portuguese": ("Obrigado ao Thiago pelas anotações da aula", "Thiago"),
    "Italian": ("Grazie a Francesca per gli appunti della lezione", "Francesca"),
    "Dutch": ("Weet iemand of Sjoerd vandaag nog naar de les komt?", "Sjoerd"),
    "Polish": ("Czy ktoś wie, czy Małgorzata ma już to zadanie?", "Małgorzata"),
    "Turkish": ("Bu soruyu Ayşegül çok iyi anlattı, teşekkür ederim", "Ayşegül"),
    "Indonesian": ("Saya belum tahu apakah Wulandari sudah punya jawaban yang benar", "Wulandari"),
}


@pytest.fixture(scope="module")
def clean() -> dict[str, str]:
    frame = pa.table({"message": [text for text, _ in WRITTEN.values()]})
    return dict(zip(WRITTEN, posts.redact(frame)["message"].to_pylist(), strict=True))


@pytest.mark.parametrize("language", WRITTEN)
def test_a_name_of_the_language_goes(language: str, clean: dict[str, str]) -> None:
    assert WRITTEN[language][1] not in clean[language] and "[NAME]" in clean[language]


def test_ordinary_words_of_other_languages_mostly_stay(clean: dict[str, str]) -> None:
    """Of languages whose words the tables know at least four words in five are left."""
    for language in (
        "Spanish",
        "German",
        "French",
        "Portuguese",
        "Italian",
        "Dutch",
        "Polish",
        "Turkish",
        "Indonesian",
    ):
        text = WRITTEN[language][0]
        words = [word.strip(",") for word in text.split() if word.strip(",") != WRITTEN[language][1]]
        assert sum(word in clean[language] for word in words) >= 0.8 * len(words)


UNKNOWN = {
    "Basque": (
        "Kaixo denoi, norbaitek badaki noiz den azterketa? Ez dut ariketa ulertzen.",
        "Eskerrik asko Maialen, orain hobeto ulertzen dut zure azalpena.",
        "Bihar goizean liburutegian elkartuko gara lan hau amaitzeko. Ondo izan, Iñaki",
        "Nire taldean Ainhoa Etxeberria eta Gorka daude, baina ez dugu oraindik hasi.",
    ),
    "Welsh": (
        "Helo bawb, oes rhywun yn gwybod pryd mae'r arholiad? Dydw i ddim yn deall yr ymarfer.",
        "Diolch yn fawr Gwenllian, dw i'n deall dy esboniad yn well nawr.",
        "Byddwn ni'n cwrdd yn y llyfrgell bore yfory i orffen y gwaith hwn. Hwyl, Rhodri",
        "Yn fy ngrŵp i mae Angharad Llewelyn ac Emyr, ond dydyn ni ddim wedi dechrau eto.",
    ),
    "Swahili": (
        "Habari zenu wote, kuna mtu anajua mtihani utakuwa lini? Sielewi zoezi hili kabisa.",
        "Asante sana Wanjiru, sasa naelewa maelezo yako vizuri zaidi.",
        "Tutakutana maktaba kesho asubuhi ili kumaliza kazi hii. Kwaheri, Juma",
        "Katika kikundi changu wapo Neema Mwakalinga na Baraka, lakini bado hatujaanza.",
    ),
}  # what the word tables do not know; every sentence was written for this test
CALLED = {
    "Basque": {"Maialen", "Iñaki", "Ainhoa", "Etxeberria", "Gorka"},
    "Welsh": {"Gwenllian", "Rhodri", "Angharad", "Llewelyn", "Emyr"},
    "Swahili": {"Wanjiru", "Juma", "Neema", "Mwakalinga", "Baraka"},
}
ENGLISH = ("Hi everybody, does anyone know when the exam is?", "Thanks, that explains the second exercise.")


def words_of(texts: Iterable[str]) -> list[str]:
    return re.findall(r"[^\W\d_]+", " ".join(texts))


@pytest.mark.parametrize("language", UNKNOWN)
@pytest.mark.parametrize("among", [0, 100], ids=["alone", "among English posts"])
def test_in_a_language_that_no_table_knows_names_go_and_words_stay(language: str, among: int) -> None:
    frame = pa.table({"message": [*UNKNOWN[language], *(ENGLISH * among)]})
    clean = words_of(posts.redact(frame)["message"].to_pylist()[: len(UNKNOWN[language])])
    wanted = [word for word in words_of(UNKNOWN[language]) if word not in CALLED[language]]
    assert not CALLED[language] & set(clean)
    assert sum(word != "NAME" for word in clean) >= 0.95 * len(wanted)


def test_posts_in_no_known_language_are_counted_and_known_ones_are_not(model: NameModel) -> None:
    strange = [text for texts in UNKNOWN.values() for text in texts]
    assert find(OneBatch(tokenize(strange)), model).unknown_posts == len(strange)
    assert find(OneBatch(tokenize([text for text, _ in WRITTEN.values()])), model).unknown_posts == 0
    assert find(OneBatch(tokenize(ENGLISH)), model).unknown_posts == 0


def test_the_review_says_which_words_no_table_helps_to_judge(model: NameModel) -> None:
    names = find(OneBatch(tokenize([*UNKNOWN["Basque"], *(ENGLISH * 20)])), model)
    why = {word: names.why(i) for i, word in enumerate(names.words)}
    assert "language no table knows" in why["maialen"]
    assert not any("language" in why[word.lower()] for word in words_of(ENGLISH) if word.lower() in why)
