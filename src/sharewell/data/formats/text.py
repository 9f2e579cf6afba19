"""Bytes of text files: unpacked as a stream, their encoding found, turned into UTF-8 where need be."""

import codecs
import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from lzma import LZMAError
from pathlib import Path

from sharewell.data.formats import ReadOptions
from sharewell.data.formats.packing import READ_PACKED, unpacked
from sharewell.data.scratch import scratch
from sharewell.errors import InputError
from sharewell.plan.sizes import Sizes

CHUNK = 1 << 22
HEAD = 1 << 18  # enough to see an encoding and a delimiter
ASCII = bytes(range(128))
SEPARATOR_LINE = re.compile(r"""\A"?sep=."?(?:\r\n|\r|\n)""", re.IGNORECASE)  # what Excel reads and no table has
DOTLESS = "ıİ".encode("cp1254")  # where Windows-1252 has a letter that is rare even in Icelandic
TURKISH = "âÂçÇğĞıİîÎöÖşŞûÛüÜ".encode("cp1254")
CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\x1b")
BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins with the same two bytes
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
OTHER_FILES = (
    (b"PK\x03\x04", "a workbook or zip archive; let its name end in .xlsx or .zip"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or document; export it as CSV"),
    (b"\x1f\x8b", "packed with gzip; let its name end in .gz"),
    (b"\x28\xb5\x2f\xfd", "packed with zstd; let its name end in .zst"),
    (b"PAR1", "a Parquet file; let its name end in .parquet"),
    (b"%PDF", "a PDF document; export the table as CSV"),
    (b"SQLite format 3\x00", "a database; let its name end in .sqlite"),
    (b"BZh", "packed with bzip2; let its name end in .bz2"),
    (b"\xfd7zXZ\x00", "packed with xz; let its name end in .xz"),
)


def chunks(path: Path, compression: str | None, sizes: Sizes | None = None) -> Iterator[bytes]:
    """The unpacked bytes of a file, a few megabytes at a time; no more of them than `sizes` lets pass."""
    read = 0
    try:
        on_disk = path.stat().st_size
        with unpacked(path, compression) as stream:
            while piece := stream.read(CHUNK):
                read += len(piece)
                if sizes is not None:
                    sizes.check_bytes(read, on_disk, path)
                yield piece
    except (OSError, EOFError, LZMAError, zlib.error, zipfile.BadZipFile, NotImplementedError):
        packing = f"is not a complete {compression} file" if compression else "cannot be read to its end"
        raise InputError(f"{packing}; copy or export it again", file=path) from None


def head(path: Path, compression: str | None) -> bytes:
    return next(chunks(path, compression), b"")[:HEAD]


def encoding_of(path: Path, options: ReadOptions) -> str:
    """As the plan names it, else as the first bytes show it: a mark, UTF-16 without one, else UTF-8."""
    start = head(path, options.compression)
    if start in (b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        raise InputError("is empty; expected a header and at least one row", file=path)
    for magic, what in OTHER_FILES:
        if start.startswith(magic):
            raise InputError(f"is not a text file but {what}", file=path)
    if options.encoding is not None:
        return _known(path, options.encoding, start)
    for mark, name in BOMS:
        if start.startswith(mark):
            return name
    return _unmarked_utf16(start) or "utf-8"


def decoded_head(path: Path, options: ReadOptions) -> str:
    """The beginning of the file as text, for looking at only."""
    start = head(path, options.compression)
    encoding = encoding_of(path, options)
    if encoding == "utf-8" and options.encoding is None and not _fits(start, "utf-8"):
        encoding = _of_one_byte(start)
    return SEPARATOR_LINE.sub("", start.decode(encoding, errors="replace").lstrip("\ufeff"))


def as_utf8(path: Path, options: ReadOptions) -> tuple[Path, str | None]:
    """The file and its compression if it is plain UTF-8 already, else a temporary copy that is."""
    encoding = encoding_of(path, options)
    if encoding == "utf-8":
        encoding = _validated(path, options)
    if encoding == "utf-8" and options.compression in READ_PACKED and not _has_separator_line(path, options):
        return path, options.compression
    return _transcoded(path, options, encoding), None


def _known(path: Path, named: str, start: bytes) -> str:
    try:
        name = codecs.lookup(named).name
        "".encode(name)
    except (LookupError, TypeError):
        raise InputError(
            f"the encoding '{named}' that the plan names is not known; use utf-8, utf-16, latin-1 or cp1252",
            file=path,
        ) from None
    return "utf-8-sig" if name == "utf-8" and start.startswith(codecs.BOM_UTF8) else name


def _unmarked_utf16(start: bytes) -> str | None:
    """UTF-16 of mostly Latin text has a NUL in every other byte, always on the same side."""
    sample = start[: len(start) // 2 * 2]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = max(len(sample) // 2, 1)
    if odd > 0.4 * half and even < 0.01 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.4 * half and odd < 0.01 * half else None


def _validated(path: Path, options: ReadOptions) -> str:
    """utf-8 where every byte fits it, else the one-byte encoding that the bytes point to."""
    decoder, lines = codecs.getincrementaldecoder("utf-8")(), 0
    for piece in chunks(path, options.compression, options.sizes):
        _refuse_binary(path, piece, lines)
        try:
            decoder.decode(piece)
        except UnicodeDecodeError as error:
            # error.object may begin with what the decoder held over, which has no line feed
            line = lines + error.object[: error.start].count(b"\n") + 1
            return _one_byte_encoding(path, options, line)
        lines += piece.count(b"\n")
    if decoder.getstate()[0]:  # the file ends in the middle of a character
        return _one_byte_encoding(path, options, lines + 1)
    return "utf-8"


def _one_byte_encoding(path: Path, options: ReadOptions, line: int) -> str:
    """Windows-1252 (a superset of Latin-1's letters) or its Turkish sister, unless it is UTF-8 with damage in it."""
    if options.encoding is not None or _is_mostly_utf8(path, options.compression):
        raise _misfit(path, "utf-8", line)
    encoding = _of_one_byte(head(path, options.compression))
    if not all(_fits(piece, encoding) for piece in chunks(path, options.compression)):
        raise _misfit(path, "utf-8", line)
    return encoding


def _of_one_byte(text: bytes) -> str:
    """Turkish where its i without and with a dot are more frequent than all letters that it does not have."""
    high = text.translate(None, ASCII)
    dotless = len(high) - len(high.translate(None, DOTLESS))
    return "cp1254" if dotless > len(high.translate(None, TURKISH)) else "cp1252"


def _fits(text: bytes, encoding: str) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(text)
    except UnicodeDecodeError:
        return False
    return True


def _has_separator_line(path: Path, options: ReadOptions) -> bool:
    return head(path, options.compression)[:8].lower().lstrip(b'"').startswith(b"sep=")


def _is_mostly_utf8(path: Path, compression: str | None) -> bool:
    decoder, high, fitting = codecs.getincrementaldecoder("utf-8")("ignore"), 0, 0
    for piece in chunks(path, compression):
        high += len(piece.translate(None, ASCII))
        fitting += len(decoder.decode(piece).encode().translate(None, ASCII))
    return fitting > high / 2


def _refuse_binary(path: Path, piece: bytes, lines: int) -> None:
    """A NUL is never text; other controls may well be cells of a typing log."""
    where = piece.find(0)
    if where < 0:
        return
    if len(piece) - len(piece.translate(None, CONTROLS)) > max(8, len(piece) / 20):
        raise InputError("is not a text file; export the table as CSV in UTF-8", file=path)
    line = lines + piece[:where].count(b"\n") + 1
    raise InputError(f"line {line} holds a NUL byte, which is no text; export the file again", file=path)


def _misfit(path: Path, encoding: str, line: int) -> InputError:
    return InputError(
        f"line {line} holds bytes that do not fit {encoding}; save the file as UTF-8, or name its 'encoding'",
        file=path,
    )


def _transcoded(path: Path, options: ReadOptions, encoding: str) -> Path:
    decoder = codecs.getincrementaldecoder(encoding)()
    lines = 0
    with tempfile.NamedTemporaryFile(dir=scratch(), suffix=path.suffix, delete=False) as out:
        for piece in chunks(path, options.compression, options.sizes):
            try:
                text = decoder.decode(piece)
            except UnicodeDecodeError as error:
                raise _misfit(path, encoding, lines + error.object[: error.start].count(b"\n") + 1) from None
            text = text if lines else SEPARATOR_LINE.sub("", text)
            encoded = text.encode("utf-8", errors="surrogatepass")
            _refuse_binary(path, encoded, lines)
            out.write(encoded)
            lines += encoded.count(b"\n")
        if decoder.getstate()[0]:
            raise _misfit(path, encoding, lines + 1)
    return Path(out.name)
