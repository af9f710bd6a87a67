"""A client of OpenAI-compatible chat endpoints: retries, budget, cache.

Every request ends with an answer or with the reason of its failure. Answers are stored on disk by
the content of their request, so that a stopped run can continue.
"""

from patmark.llm.cache import AnswerCache, DiskCache, MemoryCache, default_cache_folder
from patmark.llm.chat import ChatAnswer, ChatRequest, Endpoint, Message
from patmark.llm.client import Batch, ChatClient, ClientSettings, Outcome, RetryPolicy
from patmark.llm.usage import Budget, Prices, Usage, estimate_tokens

__all__ = [
    "AnswerCache",
    "Batch",
    "Budget",
    "ChatAnswer",
    "ChatClient",
    "ChatRequest",
    "ClientSettings",
    "DiskCache",
    "Endpoint",
    "MemoryCache",
    "Message",
    "Outcome",
    "Prices",
    "RetryPolicy",
    "Usage",
    "default_cache_folder",
    "estimate_tokens",
]
