from .families import (
    FAMILY_KINDS as FAMILY_KINDS,
    KEY_SCHEMA as KEY_SCHEMA,
    Families as Families,
    Family as Family,
    FamilyKind as FamilyKind,
    build_families as build_families,
    family_kind as family_kind,
    family_step as family_step,
    link_keys as link_keys,
    links_of as links_of,
    links_to_json as links_to_json,
    read_links as read_links,
    simple_family as simple_family,
)
from .formats.bibliography import (
    UNDETERMINED as UNDETERMINED,
)
from .formats.xml_reading import (
    lowered as lowered,
    raised as raised,
    tidy as tidy,
)
from .merging import (
    PartialDocuments as PartialDocuments,
)
from .numbers import (
    number_key as number_key,
)
from .parse import (
    ParseResult as ParseResult,
    parse_files as parse_files,
)
from .publications import (
    Publication as Publication,
    publication as publication,
    publication_key as publication_key,
    read_publication as read_publication,
)
from .read import (
    read_documents as read_documents,
)
from .sections import (
    SECTIONS as SECTIONS,
    classify_heading as classify_heading,
)
