from .bm25 import (
    Bm25 as Bm25,
)
from .collection import (
    CollectionFacts as CollectionFacts,
)
from .collection import (
    CollectionProblems as CollectionProblems,
)
from .collection import (
    read_collection as read_collection,
)
from .collection import (
    read_patents as read_patents,
)
from .comparison import (
    RetrievalComparison as RetrievalComparison,
)
from .comparison import (
    RunPair as RunPair,
)
from .comparison import (
    compare_retrieval as compare_retrieval,
)
from .comparison import (
    mark as mark,
)
from .demo_collection import (
    DOCUMENTS as DOCUMENTS,
)
from .demo_collection import (
    QRELS as QRELS,
)
from .demo_collection import (
    TOPICS as TOPICS,
)
from .demo_collection import (
    DemoCollection as DemoCollection,
)
from .demo_collection import (
    write_demo as write_demo,
)
from .documents import (
    PatentDocument as PatentDocument,
)
from .evaluation import (
    RankingScores as RankingScores,
)
from .evaluation import (
    RetrievalData as RetrievalData,
)
from .evaluation import (
    RetrievalSources as RetrievalSources,
)
from .evaluation import (
    Selection as Selection,
)
from .evaluation import (
    default_measures as default_measures,
)
from .evaluation import (
    evaluate_retrieval as evaluate_retrieval,
)
from .evaluation import (
    index_facts as index_facts,
)
from .evaluation import (
    read_retrieval as read_retrieval,
)
from .evaluation import (
    score_rankings as score_rankings,
)
from .evaluation import (
    topic_values as topic_values,
)
from .families import (
    collapse_qrels as collapse_qrels,
)
from .families import (
    collapse_ranking as collapse_ranking,
)
from .families import (
    without_kind as without_kind,
)
from .families import (
    without_own_family as without_own_family,
)
from .filters import (
    Filters as Filters,
)
from .gaps import (
    POOLED as POOLED,
)
from .gaps import (
    GapLimits as GapLimits,
)
from .gaps import (
    GapPair as GapPair,
)
from .gaps import (
    gap_charts as gap_charts,
)
from .gaps import (
    gap_limits as gap_limits,
)
from .gaps import (
    gap_pairs as gap_pairs,
)
from .gaps import (
    pair_table as pair_table,
)
from .gaps import (
    read_metrics as read_metrics,
)
from .index import (
    IndexManifest as IndexManifest,
)
from .index import (
    build_index as build_index,
)
from .index_terms import (
    TermProcedure as TermProcedure,
)
from .index_terms import (
    default_procedure as default_procedure,
)
from .index_terms import (
    term_procedure as term_procedure,
)
from .ipc import (
    ipc_level as ipc_level,
)
from .measures import (
    RELAXED as RELAXED,
)
from .measures import (
    RIGID as RIGID,
)
from .measures import (
    RankingMeasure as RankingMeasure,
)
from .qrels import (
    Qrels as Qrels,
)
from .qrels import (
    missing_documents as missing_documents,
)
from .qrels import (
    qrels_of as qrels_of,
)
from .qrels import (
    read_qrels as read_qrels,
)
from .rankings import (
    Ranking as Ranking,
)
from .rankings import (
    ranking_of as ranking_of,
)
from .rankings import (
    read_ranking as read_ranking,
)
from .rankings import (
    run_name as run_name,
)
from .rankings import (
    write_ranking as write_ranking,
)
from .recall_ceiling import (
    RecallCeiling as RecallCeiling,
)
from .recall_ceiling import (
    recall_ceiling as recall_ceiling,
)
from .search import (
    OpenIndex as OpenIndex,
)
from .search import (
    SearchResult as SearchResult,
)
from .search import (
    SearchSettings as SearchSettings,
)
from .search import (
    search_topics as search_topics,
)
from .topic_translation import (
    translate_topics as translate_topics,
)
from .topics import (
    Topic as Topic,
)
from .topics import (
    read_topics as read_topics,
)
from .topics import (
    write_topics as write_topics,
)
