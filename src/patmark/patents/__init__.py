"""Files of the patent offices: read into documents, and put into families.

``read_documents`` turns files of any known format into ``Document`` objects, one at a time;
``number_key`` gives application numbers one form, and ``build_families`` links documents by them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
