"""Metadata of a collection for catalogues: Croissant, and the card of a Hugging Face dataset.

Both describe the splits, with the licences and terms of the sources. They are independent of date
and machine, so that the same build has the same metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from patmark.collections.corpus.build.settings import PipelineSettings
from patmark.collections.corpus.splits import SPLITS
from patmark.engine import shown_url

CROISSANT_FILE = "croissant.json"
DATASET_CARD = "README.md"
_CONFORMS = "http://mlcommons.org/croissant/1.0"
_HUB_SPLITS = {"train": "train", "dev": "validation", "test": "test"}
_FIELDS = {
    "id": ("sc:Text", "Identifier of the pair"),
    "document": ("sc:Text", "Publication of the source side"),
    "source": ("sc:Text", "Source sentence"),
    "references": ("sc:Text", "Target sentence"),
}
_CONTEXT: dict[str, Any] = {
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


def source_facts(settings: PipelineSettings) -> list[dict[str, str]]:
    """Return every input with its name, licence and terms; empty if not stated."""
    stated = {source.input: source for source in settings.sources}
    return [
        {
            "input": shown_url(name),
            "name": stated[name].name if name in stated else "",
            "licence": stated[name].licence if name in stated else "",
            "terms": stated[name].terms if name in stated else "",
        }
        for name in settings.inputs
    ]


def licences(sources: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the distinct licences and terms of sources, in their order."""
    stated = (source["licence"] or source["terms"] for source in sources)
    return list(dict.fromkeys(filter(None, stated)))


def croissant(facts: Mapping[str, Any], files: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the Croissant description (JSON-LD) of the splits that have pairs.

    ``files`` are the rows of the manifest.
    """
    splits = _splits(facts)
    distribution: list[dict[str, Any]] = []
    for split in splits:
        own = [file for file in files if file["path"].startswith((f"{split}.", f"{split}/"))]
        distribution += [_file_object(file) for file in own]
        if _is_divided(split, files):
            distribution.append(_file_set(split))
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _CONFORMS,
        "name": facts["name"],
        "description": _description(facts),
        "inLanguage": list(facts["languages"]),
        "license": licences(facts.get("sources", ())) or "unknown",
        "version": "1.0.0",
        "isBasedOn": [source["name"] or source["input"] for source in facts.get("sources", ())],
        "distribution": distribution,
        "recordSet": [_record_set(split, _is_divided(split, files)) for split in splits],
    }


def _is_divided(split: str, files: Sequence[Mapping[str, Any]]) -> bool:
    return any(file["path"].startswith(f"{split}/") for file in files)


def _splits(facts: Mapping[str, Any]) -> list[str]:
    found = facts["pairs"]["splits"]
    return [split for split in SPLITS if found.get(split, {}).get("pairs")]


def _description(facts: Mapping[str, Any]) -> str:
    source, target = facts["languages"]
    sizes = ", ".join(
        f"{split} {facts['pairs']['splits'][split]['pairs']:,}" for split in _splits(facts)
    )
    return (
        f"Sentence pairs of patent families, {source} to {target} ({sizes}), with families, "
        f"publications, IPC and alignment scores. Built by {facts['signature']}."
    )


def _file_object(file: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file["path"],
        "name": file["path"],
        "contentUrl": file["path"],
        "contentSize": f"{file['bytes']} B",
        "encodingFormat": "application/jsonlines",
        "sha256": file["sha256"],
    }


def _file_set(split: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{split}-files",
        "name": f"{split}-files",
        "encodingFormat": "application/jsonlines",
        "includes": f"{split}/*.jsonl",
    }


def _record_set(split: str, divided: bool) -> dict[str, Any]:
    source = (
        {"fileSet": {"@id": f"{split}-files"}}
        if divided
        else {"fileObject": {"@id": f"{split}.jsonl"}}
    )
    return {
        "@type": "cr:RecordSet",
        "@id": split,
        "name": split,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{split}/{name}",
                "name": name,
                "description": description,
                "dataType": kind,
                **({"repeated": True} if name == "references" else {}),
                "source": {**source, "extract": {"column": name}},
            }
            for name, (kind, description) in _FIELDS.items()
        ],
    }


def dataset_card(facts: Mapping[str, Any], card: str) -> str:
    """Return the data card with the Hugging Face header: languages, licence, files."""
    known = licences(facts.get("sources", ()))
    rows = facts["settings"].get("export", {}).get("rows", 0)
    divided = ("train",) if 0 < rows < facts["pairs"]["total"] else ()
    head: dict[str, Any] = {
        "pretty_name": facts["name"],
        "language": list(facts["languages"]),
        "license": "other",
        "license_name": "; ".join(known) or "unknown",
        "task_categories": ["translation"],
        "tags": ["patents", "croissant"],
        "configs": [
            {
                "config_name": "default",
                "data_files": [
                    {
                        "split": _HUB_SPLITS[split],
                        "path": f"{split}/*.jsonl" if split in divided else f"{split}.jsonl",
                    }
                    for split in _splits(facts)
                ],
            }
        ],
    }
    # JSON is YAML, and quotes whatever a licence may contain
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
    return "---\n" + "\n".join(lines) + f"\n---\n\n{card}"
