"""Patent documents of several offices: read, put into families, made into collections.

``read_documents`` turns files of any known format into ``Document`` objects, one at a time;
``number_key`` gives application numbers one form, and ``build_families`` links documents by them.
``patmark.corpus.build`` makes whole collections, ``patmark.corpus.alignment`` aligns sentences.
"""

import lazy_loader

from patmark._deprecated import with_moved_names

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = with_moved_names(__name__, __getattr__)
