"""Translation systems to compare with: a dictionary, and copies that are worse on purpose."""

from patmark.systems.degraded import drop_words
from patmark.systems.dictionary import DictionaryTranslator, Translation

__all__ = ["DictionaryTranslator", "Translation", "drop_words"]
