from .check_result import (
    CheckResult as CheckResult,
    FailedDocument as FailedDocument,
    FindingKey as FindingKey,
    Verdict as Verdict,
    finding_key as finding_key,
    not_checked as not_checked,
    read_review as read_review,
)
from .checking import (
    CheckedDocument as CheckedDocument,
    DocumentChecker as DocumentChecker,
    TextCoverage as TextCoverage,
    of_first_languages as of_first_languages,
)
from .commented_copies import (
    COMMENTED_ENDINGS as COMMENTED_ENDINGS,
    commented_copies as commented_copies,
    write_commented_copy as write_commented_copy,
    write_comments as write_comments,
)
from .document_sentences import (
    DocumentSide as DocumentSide,
)
from .file_pairs import (
    FilePair as FilePair,
    MatchedFiles as MatchedFiles,
    match_files as match_files,
)
from .findings import (
    FINDING_SEVERITIES as FINDING_SEVERITIES,
    REVIEW_KINDS as REVIEW_KINDS,
    DocumentFinding as DocumentFinding,
    FindingSeverity as FindingSeverity,
    ReviewKind as ReviewKind,
)
from .formats.docx import Revisions as Revisions
from .formats.glossary import (
    GLOSSARY_ENDINGS as GLOSSARY_ENDINGS,
    GlossaryTerm as GlossaryTerm,
    read_glossary_terms as read_glossary_terms,
)
from .formats.read import (
    BILINGUAL_ENDINGS as BILINGUAL_ENDINGS,
    DOCUMENT_ENDINGS as DOCUMENT_ENDINGS,
    read_bilingual as read_bilingual,
    read_document as read_document,
)
from .model import (
    BilingualDocument as BilingualDocument,
    BlockKind as BlockKind,
    DocumentComment as DocumentComment,
    Place as Place,
    Span as Span,
    TextBlock as TextBlock,
    WholeDocument as WholeDocument,
)
from .reference_scores import (
    ALIGNED as ALIGNED,
    DEFAULT_CHECK_MEASURES as DEFAULT_CHECK_MEASURES,
    PartScores as PartScores,
    ReferenceScores as ReferenceScores,
    SegmentedOutput as SegmentedOutput,
    document_paragraphs as document_paragraphs,
    reference_segments as reference_segments,
    score_against as score_against,
    segment_like as segment_like,
)
from .review_alignment import (
    AlignedDocuments as AlignedDocuments,
    ReviewBead as ReviewBead,
)
