"""Office files: read into documents, and grouped into families.

``read_documents`` turns files of any known format into ``Document`` objects, one at a time;
``number_key`` normalises application numbers, and ``build_families`` links documents by them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
