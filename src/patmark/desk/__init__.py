"""A page for people without a terminal: files in, reports out, and nothing leaves the machine.

The page runs the commands of the command line and shows their reports; it scores nothing itself.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
