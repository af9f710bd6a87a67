from .cited_topics import (
    CitationGrades as CitationGrades,
    CitedTopics as CitedTopics,
    TopicChoice as TopicChoice,
    cited_topics as cited_topics,
)
from .collection import (
    CollectionFacts as CollectionFacts,
    CollectionProblems as CollectionProblems,
    read_citations as read_citations,
    read_collection as read_collection,
    read_patents as read_patents,
)
from .comparison import (
    RetrievalComparison as RetrievalComparison,
    compare_retrieval as compare_retrieval,
    mark as mark,
)
from .demo_collection import (
    DOCUMENTS as DOCUMENTS,
    QRELS as QRELS,
    TOPICS as TOPICS,
    DemoCollection as DemoCollection,
    write_demo as write_demo,
)
from .evaluation import (
    RetrievalData as RetrievalData,
    RetrievalEvaluation as RetrievalEvaluation,
    RetrievalSources as RetrievalSources,
    Selection as Selection,
    default_measures as default_measures,
    evaluate_retrieval as evaluate_retrieval,
    index_facts as index_facts,
    named_documents as named_documents,
    read_retrieval as read_retrieval,
    score_rankings as score_rankings,
)
from .families import (
    collapse_qrels as collapse_qrels,
    collapse_ranking as collapse_ranking,
    read_families as read_families,
    without_kind as without_kind,
    without_own_family as without_own_family,
)
from .gaps import (
    POOLED as POOLED,
    GapLimits as GapLimits,
    GapPair as GapPair,
    gap_charts as gap_charts,
    gap_limits as gap_limits,
    gap_pairs as gap_pairs,
    pair_table as pair_table,
    read_metrics as read_metrics,
)
from .index import (
    build_index as build_index,
)
from .index_manifest import (
    IndexManifest as IndexManifest,
)
from .index_terms import (
    TermProcedure as TermProcedure,
    default_procedure as default_procedure,
    term_procedure as term_procedure,
)
from .ipc import (
    ipc_level as ipc_level,
)
from .qrels import (
    Qrels as Qrels,
    missing_documents as missing_documents,
    read_qrels as read_qrels,
)
from .rankings import (
    Ranking as Ranking,
    ranking_of as ranking_of,
    read_ranking as read_ranking,
    run_name as run_name,
    write_ranking as write_ranking,
)
from .recall_ceiling import (
    RecallCeiling as RecallCeiling,
    recall_ceiling as recall_ceiling,
)
from .search import (
    OpenIndex as OpenIndex,
    SearchResult as SearchResult,
    search_topics as search_topics,
)
from .search_settings import (
    Bm25 as Bm25,
    Filters as Filters,
    SearchSettings as SearchSettings,
)
from .topic_translation import (
    TranslatedTopics as TranslatedTopics,
    translate_by_ipc as translate_by_ipc,
    translate_topics as translate_topics,
)
from .topics import (
    Topic as Topic,
    read_topics as read_topics,
    write_topics as write_topics,
)
