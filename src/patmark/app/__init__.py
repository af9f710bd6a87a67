"""The application: commands, the command line that parses them, and the page that serves them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
