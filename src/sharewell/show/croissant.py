"""croissant.json: the datasheet for machines, as Croissant 1.0 (JSON-LD of schema.org and MLCommons).

Why Croissant and not DataCite: DataCite describes a resource as a whole, for citing it. Its mandatory fields
(a DOI, creators, a year of publication) are given by the repository that takes the release, which writes them itself.
Croissant describes what a recipient has in hand: each file with its hash, each table with its columns and types; and
its vocabulary for responsible AI has words for how personal data was treated and what that limits. There is no date
of publication in it: the same plan, data and key give the same bytes.
"""

from collections.abc import Sequence
from typing import Any

from sharewell import kinds
from sharewell.plan.document import Header
from sharewell.show.contents import Column, Content

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
TYPES = {
    "yes or no": "sc:Boolean",
    "whole number": "sc:Integer",
    "number": "sc:Float",
    "date and time": "sc:DateTime",
    "date": "sc:Date",
}
MEDIA = {
    "csv": "text/csv",
    "tsv": "text/tab-separated-values",
    "json": "application/json",
    "jsonl": "application/jsonlines",
    "parquet": "application/x-parquet",
    "progsnap2": "text/csv",
    "gz": "application/gzip",
    "zst": "application/zstd",
}


def describe(header: Header, contents: Sequence[Content], *, description: str, identifier: str) -> dict[str, Any]:
    """The whole document; what the plan does not say is left out."""
    given = {"license": header.license, "citeAs": header.citation}
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": header.name,
        "description": description,
        "identifier": identifier,
        "isLiveDataset": False,
        **{key: value for key, value in given.items() if value},
        "distribution": [_file(content) for content in contents],
        "recordSet": [_records(content) for content in contents],
        "rai:personalSensitiveInformation": [_persons(content) for content in contents],
        "rai:dataManipulationProtocol": [
            f"{content.path}, {', '.join(change.columns)}: {change.what} ({change.reason})"
            for content in contents
            for change in content.file.changes
        ],
        "rai:dataLimitations": [
            f"{content.path}: {caveat}" for content in contents for caveat in kinds.load(content.file.kind).caveats
        ],
    }


def _file(content: Content) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": content.path,
        "name": content.file.file,
        "contentUrl": content.path,
        "contentSize": f"{content.size} B",
        "encodingFormat": MEDIA.get(content.file.format.split(".")[-1], "application/octet-stream"),
        "sha256": content.digest,
    }


def _records(content: Content) -> dict[str, Any]:
    kind = kinds.load(content.file.kind)
    return {
        "@type": "cr:RecordSet",
        "@id": content.file.label,
        "name": content.file.label,
        "description": f"{kind.title}, {kind.rows}",
        "field": [_field(content, column) for column in content.columns],
    }


def _field(content: Content, column: Column) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{content.file.label}/{column.name}",
        "name": column.name,
        "description": f"{column.holds}; {column.done}" if column.done else column.holds,
        "dataType": TYPES.get(column.type, "sc:Text"),
        "source": {"fileObject": {"@id": content.path}, "extract": {"column": column.name}},
    }


def _persons(content: Content) -> str:
    if content.file.synthetic:
        return f"{content.path}: rows of invented students, learned from real ones"
    return f"{content.path}: rows of real students under pseudonyms; risks were measured and are not zero"
