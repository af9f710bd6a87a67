from .archives import (
    PACKED_ENDINGS as PACKED_ENDINGS,
)
from .archives import (
    READ_ERRORS as READ_ERRORS,
)
from .archives import (
    TEXT_ENDINGS as TEXT_ENDINGS,
)
from .archives import (
    Part as Part,
)
from .archives import (
    describe as describe,
)
from .archives import (
    iter_parts as iter_parts,
)
from .archives import (
    text_lines as text_lines,
)
from .claim_pairs import (
    CANDIDATES as CANDIDATES,
)
from .claim_pairs import (
    CRITERION_WEIGHTS as CRITERION_WEIGHTS,
)
from .claim_pairs import (
    QUALITY as QUALITY,
)
from .claim_pairs import (
    ClaimPair as ClaimPair,
)
from .claim_pairs import (
    ClaimPairs as ClaimPairs,
)
from .claim_pairs import (
    drafts_of_pairs as drafts_of_pairs,
)
from .claim_pairs import (
    overall_quality as overall_quality,
)
from .claim_pairs import (
    read_claim_pairs as read_claim_pairs,
)
from .claim_pairs import (
    read_drafts as read_drafts,
)
from .claim_pairs import (
    reference_hash as reference_hash,
)
from .claim_pairs import (
    write_claim_pairs as write_claim_pairs,
)
from .csv_records import (
    CsvRecord as CsvRecord,
)
from .csv_records import (
    header_problems as header_problems,
)
from .csv_records import (
    named_rows as named_rows,
)
from .csv_records import (
    read_csv_records as read_csv_records,
)
from .csv_records import (
    write_csv as write_csv,
)
from .documents import (
    BrokenRecord as BrokenRecord,
)
from .documents import (
    Claim as Claim,
)
from .documents import (
    Document as Document,
)
from .documents import (
    Paragraph as Paragraph,
)
from .documents import (
    Priority as Priority,
)
from .documents import (
    Text as Text,
)
from .documents import (
    document_from_json as document_from_json,
)
from .documents import (
    document_to_json as document_to_json,
)
from .documents import (
    placeholder as placeholder,
)
from .documents import (
    read_document_jsonl as read_document_jsonl,
)
from .documents import (
    to_collection_row as to_collection_row,
)
from .documents import (
    without_placeholders as without_placeholders,
)
from .documents import (
    write_documents as write_documents,
)
from .files import (
    STREAM as STREAM,
)
from .files import (
    FilePath as FilePath,
)
from .files import (
    atomic_writer as atomic_writer,
)
from .files import (
    check_stdin_once as check_stdin_once,
)
from .files import (
    iter_json_lines as iter_json_lines,
)
from .files import (
    parse_records as parse_records,
)
from .files import (
    read_bytes as read_bytes,
)
from .files import (
    read_lines as read_lines,
)
from .files import (
    shown as shown,
)
from .files import (
    system_name as system_name,
)
from .files import (
    write_atomically as write_atomically,
)
from .languages import (
    language_code as language_code,
)
from .languages import (
    language_pair as language_pair,
)
from .languages import (
    language_warnings as language_warnings,
)
from .manifest import (
    RESOURCES as RESOURCES,
)
from .manifest import (
    Submission as Submission,
)
from .manifest import (
    TaskManifest as TaskManifest,
)
from .manifest import (
    TaskNote as TaskNote,
)
from .manifest import (
    find_manifest as find_manifest,
)
from .manifest import (
    read_manifest as read_manifest,
)
from .manifest import (
    read_run_folder as read_run_folder,
)
from .model import (
    Run as Run,
)
from .model import (
    Segment as Segment,
)
from .model import (
    TestSet as TestSet,
)
from .model import (
    differing_parts as differing_parts,
)
from .model import (
    fingerprint as fingerprint,
)
from .packing import (
    CHUNK as CHUNK,
)
from .packing import (
    ending as ending,
)
from .patenteval import (
    read_patenteval as read_patenteval,
)
from .patsnap import (
    TRANSLATION_FIELDS as TRANSLATION_FIELDS,
)
from .patsnap import (
    Direction as Direction,
)
from .patsnap import (
    check_same_rows as check_same_rows,
)
from .patsnap import (
    parse_list as parse_list,
)
from .patsnap import (
    read_patsnap as read_patsnap,
)
from .patsnap import (
    read_patsnap_bench as read_patsnap_bench,
)
from .records import (
    SHOWN as SHOWN,
)
from .records import (
    Record as Record,
)
from .records import (
    counted as counted,
)
from .records import (
    first_of as first_of,
)
from .records import (
    folded as folded,
)
from .records import (
    json_object as json_object,
)
from .records import (
    json_type as json_type,
)
from .records import (
    raise_if_any as raise_if_any,
)
from .scores import (
    Estimate as Estimate,
)
from .scores import (
    Evidence as Evidence,
)
from .scores import (
    FloatArray as FloatArray,
)
from .scores import (
    IntArray as IntArray,
)
from .scores import (
    ScoreFunction as ScoreFunction,
)
from .scores import (
    Scores as Scores,
)
from .scores import (
    ScoreTable as ScoreTable,
)
from .scores import (
    Side as Side,
)
from .scores import (
    mean_score as mean_score,
)
from .scores import (
    mean_statistics as mean_statistics,
)
from .scores import (
    ratio as ratio,
)
from .scores import (
    read_score_table as read_score_table,
)
from .scores import (
    segment_csv as segment_csv,
)
from .scores import (
    segment_rows as segment_rows,
)
from .scores import (
    write_segment_csv as write_segment_csv,
)
from .settings_file import (
    WHOLE_OBJECT as WHOLE_OBJECT,
)
from .settings_file import (
    Entry as Entry,
)
from .settings_file import (
    SettingsFile as SettingsFile,
)
from .settings_file import (
    parse_model as parse_model,
)
from .settings_file import (
    read_settings_file as read_settings_file,
)
from .streaming import (
    decoded as decoded,
)
from .streaming import (
    first_bytes as first_bytes,
)
from .streaming import (
    iter_byte_lines as iter_byte_lines,
)
from .test_sets import (
    has_ids as has_ids,
)
from .test_sets import (
    read_jsonl_run as read_jsonl_run,
)
from .test_sets import (
    read_jsonl_test_set as read_jsonl_test_set,
)
from .test_sets import (
    read_line_run as read_line_run,
)
from .test_sets import (
    read_line_test_set as read_line_test_set,
)
from .test_sets import (
    read_run as read_run,
)
from .test_sets import (
    read_test_set as read_test_set,
)
from .test_sets import (
    read_tsv as read_tsv,
)
from .test_sets import (
    split_name as split_name,
)
from .test_sets import (
    write_jsonl_run as write_jsonl_run,
)
from .test_sets import (
    write_jsonl_test_set as write_jsonl_test_set,
)
