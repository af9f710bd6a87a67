"""Shared parts of served pages: guards of requests, bundled files, the frame.

Campaigns and the desk are built on it. It needs the extra ``human``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
