"""Language models behind any OpenAI-compatible chat endpoint: ask many questions, lose no answer.

Every request ends answered or listed with the reason of its failure. Answers are kept on disk by
the content of their request, so that a run that was stopped goes on where it was.
"""

from patmark.llm.cache import AnswerCache, DiskCache, MemoryCache, default_cache_folder
from patmark.llm.chat import ChatAnswer, ChatRequest, Message
from patmark.llm.client import Batch, ChatClient, ClientSettings, Outcome
from patmark.llm.endpoint import Endpoint
from patmark.llm.retries import RetryPolicy
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
