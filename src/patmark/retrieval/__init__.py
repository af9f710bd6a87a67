"""Patent retrieval: collections, topics, judgements, rankings, and what rankings are worth."""

from patmark.retrieval.collection import CollectionFacts, read_collection
from patmark.retrieval.documents import PatentDocument
from patmark.retrieval.evaluation import (
    RankingScores,
    default_measures,
    score_rankings,
    topic_values,
)
from patmark.retrieval.families import (
    collapse_qrels,
    collapse_ranking,
    without_kind,
    without_own_family,
)
from patmark.retrieval.filters import Filters
from patmark.retrieval.index import build_index
from patmark.retrieval.index_terms import TermProcedure, default_procedure, term_procedure
from patmark.retrieval.measures import (
    RELAXED,
    RIGID,
    RankingMeasure,
    parse_ranking_measure,
    parse_ranking_measures,
)
from patmark.retrieval.qrels import Qrels, missing_documents, qrels_of, read_qrels
from patmark.retrieval.rankings import (
    Ranking,
    ranking_of,
    read_ranking,
    run_name,
    write_ranking,
)
from patmark.retrieval.recall_ceiling import RecallCeiling, recall_ceiling
from patmark.retrieval.search import OpenIndex, SearchResult, SearchSettings, search_topics
from patmark.retrieval.topics import Topic, read_topics

__all__ = [
    "RELAXED",
    "RIGID",
    "CollectionFacts",
    "Filters",
    "OpenIndex",
    "PatentDocument",
    "Qrels",
    "Ranking",
    "RankingMeasure",
    "RankingScores",
    "RecallCeiling",
    "SearchResult",
    "SearchSettings",
    "TermProcedure",
    "Topic",
    "build_index",
    "collapse_qrels",
    "collapse_ranking",
    "default_measures",
    "default_procedure",
    "missing_documents",
    "parse_ranking_measure",
    "parse_ranking_measures",
    "qrels_of",
    "ranking_of",
    "read_collection",
    "read_qrels",
    "read_ranking",
    "read_topics",
    "recall_ceiling",
    "run_name",
    "score_rankings",
    "search_topics",
    "term_procedure",
    "topic_values",
    "without_kind",
    "without_own_family",
    "write_ranking",
]
