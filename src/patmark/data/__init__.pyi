from .annotations import (
    DECISIONS as DECISIONS,
    NO_CATEGORY as NO_CATEGORY,
    SEVERITIES as SEVERITIES,
    SEVERITY_NAMES as SEVERITY_NAMES,
    SIDES as SIDES,
    AnnotatedSide as AnnotatedSide,
    AnnotatedTexts as AnnotatedTexts,
    Annotation as Annotation,
    Annotations as Annotations,
    Decision as Decision,
    Rating as Rating,
    RatingKey as RatingKey,
    RepeatedMarks as RepeatedMarks,
    read_annotations as read_annotations,
    same_text as same_text,
    severity_rank as severity_rank,
    write_annotations as write_annotations,
)
from .archives import (
    ARCHIVE_ENDINGS as ARCHIVE_ENDINGS,
    PACKED_ENDINGS as PACKED_ENDINGS,
    READ_ERRORS as READ_ERRORS,
    TEXT_ENDINGS as TEXT_ENDINGS,
    ArchiveMember as ArchiveMember,
    describe as describe,
    iter_parts as iter_parts,
    text_lines as text_lines,
)
from .claim_pairs import (
    CANDIDATES as CANDIDATES,
    ClaimPair as ClaimPair,
    ClaimPairs as ClaimPairs,
    drafts_of_pairs as drafts_of_pairs,
    read_all_claim_pairs as read_all_claim_pairs,
    read_claim_pairs as read_claim_pairs,
    reference_hash as reference_hash,
    write_claim_pairs as write_claim_pairs,
)
from .criterion_names import criterion_name as criterion_name
from .criterion_weights import (
    CRITERION_WEIGHTS as CRITERION_WEIGHTS,
    QUALITY as QUALITY,
    overall_quality as overall_quality,
)
from .csv_records import (
    CsvRecord as CsvRecord,
    csv_text as csv_text,
    header_problems as header_problems,
    named_rows as named_rows,
    read_csv_records as read_csv_records,
    write_csv as write_csv,
)
from .dictionaries import (
    Dictionary as Dictionary,
    Glossary as Glossary,
    SenseChoice as SenseChoice,
    jmdict_is_installed as jmdict_is_installed,
    joined_glossaries as joined_glossaries,
    plain_headword as plain_headword,
    read_cedict as read_cedict,
    read_dictionary as read_dictionary,
    read_glossary as read_glossary,
)
from .documents import (
    COLLECTION_FIELDS as COLLECTION_FIELDS,
    BrokenRecord as BrokenRecord,
    Citation as Citation,
    Claim as Claim,
    Document as Document,
    Paragraph as Paragraph,
    PatentDocument as PatentDocument,
    PatentText as PatentText,
    Priority as Priority,
    damaged_files as damaged_files,
    document_from_json as document_from_json,
    document_to_json as document_to_json,
    holds_documents as holds_documents,
    parse_date as parse_date,
    placeholder as placeholder,
    read_document_jsonl as read_document_jsonl,
    to_collection_row as to_collection_row,
    without_placeholders as without_placeholders,
    write_documents as write_documents,
)
from .endings import (
    FORMATS as FORMATS,
    JSON_FORMATS as JSON_FORMATS,
    PACKED_SUFFIXES as PACKED_SUFFIXES,
    TABLE_FORMATS as TABLE_FORMATS,
    ending as ending,
    endings_of as endings_of,
    file_format as file_format,
)
from .files import (
    CHUNK as CHUNK,
    STREAM as STREAM,
    FilePath as FilePath,
    NamedFile as NamedFile,
    atomic_writer as atomic_writer,
    check_stdin_once as check_stdin_once,
    decoded as decoded,
    first_bytes as first_bytes,
    iter_byte_lines as iter_byte_lines,
    iter_json_lines as iter_json_lines,
    parse_listed_records as parse_listed_records,
    parse_records as parse_records,
    read_bytes as read_bytes,
    read_lines as read_lines,
    read_text as read_text,
    shown as shown,
    split_name as split_name,
    system_name as system_name,
    write_atomically as write_atomically,
    write_json_lines as write_json_lines,
)
from .locks import (
    try_lock as try_lock,
)
from .manifest import (
    RESOURCES as RESOURCES,
    Submission as Submission,
    TaskManifest as TaskManifest,
    TaskNote as TaskNote,
    find_manifest as find_manifest,
    read_manifest as read_manifest,
    read_run_folder as read_run_folder,
)
from .model import (
    PrescribedTerm as PrescribedTerm,
    Run as Run,
    Segment as Segment,
    TestSet as TestSet,
    differing_parts as differing_parts,
    fingerprint as fingerprint,
)
from .notice import (
    NO_RESULT as NO_RESULT,
    Message as Message,
    Notice as Notice,
    country_warnings as country_warnings,
    is_warning as is_warning,
)
from .patenteval import (
    read_patenteval as read_patenteval,
)
from .records import (
    SHOWN as SHOWN,
    Record as Record,
    counted as counted,
    first_of as first_of,
    folded as folded,
    json_object as json_object,
    json_text as json_text,
    json_type as json_type,
    raise_if_any as raise_if_any,
)
from .score_tables import (
    NO_SCORE as NO_SCORE,
    OF_SEGMENTS as OF_SEGMENTS,
    ScoreTable as ScoreTable,
    is_score_table as is_score_table,
    read_score_table as read_score_table,
)
from .scores import (
    COUNTED_AS_WRONG as COUNTED_AS_WRONG,
    LEFT_OUT as LEFT_OUT,
    SIDE_NAMES as SIDE_NAMES,
    Aggregation as Aggregation,
    Estimate as Estimate,
    Evidence as Evidence,
    FloatArray as FloatArray,
    IntArray as IntArray,
    Mean as Mean,
    ScoreFacts as ScoreFacts,
    ScoreFunction as ScoreFunction,
    Scores as Scores,
    ScoreScale as ScoreScale,
    Side as Side,
    answer_notes as answer_notes,
    mean_score as mean_score,
    mean_statistics as mean_statistics,
    ratio as ratio,
    segment_csv as segment_csv,
    where_counted as where_counted,
)
from .settings_file import (
    WHOLE_OBJECT as WHOLE_OBJECT,
    SettingsFile as SettingsFile,
    parse_model as parse_model,
    read_settings_file as read_settings_file,
)
from .sqlite import (
    enable_wal as enable_wal,
)
from .tables import (
    columns_of as columns_of,
    read_table as read_table,
    read_table_file as read_table_file,
    read_table_run as read_table_run,
    read_tsv as read_tsv,
    table_test_set as table_test_set,
)
from .test_sets import (
    has_ids as has_ids,
    is_jsonl as is_jsonl,
    read_jsonl_run as read_jsonl_run,
    read_jsonl_test_set as read_jsonl_test_set,
    read_line_run as read_line_run,
    read_line_test_set as read_line_test_set,
    read_run as read_run,
    read_test_set as read_test_set,
    row_format as row_format,
    write_jsonl_run as write_jsonl_run,
    write_jsonl_test_set as write_jsonl_test_set,
)
from .typology import (
    Category as Category,
    Severity as Severity,
    Typology as Typology,
    typology as typology,
    typology_names as typology_names,
)
