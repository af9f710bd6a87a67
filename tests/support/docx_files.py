"""Word files for tests: made with python-docx, or part by part."""

from __future__ import annotations

import zipfile
from pathlib import Path

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_SPACES = (
    f'{W} xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def paragraph(*runs: str, properties: str = "") -> str:
    """Make a paragraph of runs; a run without markup is text."""
    inside = "".join(run if run.startswith("<") else text_run(run) for run in runs)
    return f"<w:p>{f'<w:pPr>{properties}</w:pPr>' if properties else ''}{inside}</w:p>"


def text_run(text: str, properties: str = "") -> str:
    """Make a run."""
    own = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f'<w:r>{own}<w:t xml:space="preserve">{text}</w:t></w:r>'


def inserted(inside: str) -> str:
    """Wrap runs as a tracked insertion."""
    return f'<w:ins w:id="1" w:author="a">{inside}</w:ins>'


def deleted(text: str) -> str:
    """Make a tracked deletion of a text."""
    run = f'<w:r><w:delText xml:space="preserve">{text}</w:delText></w:r>'
    return f'<w:del w:id="2" w:author="a">{run}</w:del>'


def write_docx_parts(path: Path, body: str, **parts: str) -> Path:
    """Write a file of a body and further parts by name: numbering, styles, footnotes, endnotes."""
    names = {"document": f"<w:body>{body}</w:body>"} | parts
    overrides = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{_WORD_TYPE}.'
        f'{"document.main" if name == "document" else name}+xml"/>'
        for name in names
    )
    relations = "".join(
        f'<Relationship Id="r{at}" Type="{_OFFICE}/{name}" Target="{name}.xml"/>'
        for at, name in enumerate(parts)
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_TYPES}"><Default Extension="rels" ContentType='
            f'"application/vnd.openxmlformats-package.relationships+xml"/>{overrides}</Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_RELATIONS}"><Relationship Id="r" '
            f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        )
        archive.writestr(
            "word/_rels/document.xml.rels",
            f'<Relationships xmlns="{_RELATIONS}">{relations}</Relationships>',
        )
        for name, content in names.items():
            archive.writestr(
                f"word/{name}.xml",
                f'<?xml version="1.0" encoding="UTF-8"?><w:{name} {_SPACES}>{content}</w:{name}>',
            )
    return path


def numbered(list_id: int, level: int = 0) -> str:
    """Make the properties of a paragraph in a list."""
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'


def level(at: int, text: str, number_format: str = "decimal", more: str = "") -> str:
    """Make a level of a list."""
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{number_format}"/>'
        f'<w:lvlText w:val="{text}"/>{more}</w:lvl>'
    )


def lists(*definitions: str, more: str = "") -> str:
    """Make numbering.xml: definition n is used by list n, from 1."""
    abstract = "".join(
        f'<w:abstractNum w:abstractNumId="{at}">{levels}</w:abstractNum>'
        for at, levels in enumerate(definitions, 1)
    )
    used = "".join(
        f'<w:num w:numId="{at}"><w:abstractNumId w:val="{at}"/></w:num>'
        for at in range(1, len(definitions) + 1)
    )
    return abstract + used + more
