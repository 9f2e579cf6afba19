"""Names of twelve scripts and cultures, in posts of their own languages: none is left."""

import pyarrow as pa
import pytest

from sharewell import posts

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
