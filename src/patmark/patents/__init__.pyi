from .families import (
    FAMILY_KINDS as FAMILY_KINDS,
)
from .families import (
    Families as Families,
)
from .families import (
    Family as Family,
)
from .families import (
    FamilyKind as FamilyKind,
)
from .families import (
    Links as Links,
)
from .families import (
    Unlinked as Unlinked,
)
from .families import (
    build_families as build_families,
)
from .families import (
    family_kind as family_kind,
)
from .families import (
    links_of as links_of,
)
from .families import (
    one_per_office as one_per_office,
)
from .families import (
    read_links as read_links,
)
from .numbers import (
    NumberKey as NumberKey,
)
from .numbers import (
    UnknownNumber as UnknownNumber,
)
from .numbers import (
    number_key as number_key,
)
from .parse import (
    ParseResult as ParseResult,
)
from .parse import (
    parse_files as parse_files,
)
from .read import (
    FORMATS as FORMATS,
)
from .read import (
    detect_format as detect_format,
)
from .read import (
    read_documents as read_documents,
)
from .read import (
    read_record as read_record,
)
from .sections import (
    SECTIONS as SECTIONS,
)
from .sections import (
    classify_heading as classify_heading,
)
