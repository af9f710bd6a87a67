"""A page for people without a terminal: files in, reports out, and nothing leaves the machine.

The page hands requests to the product layer and shows its reports; it scores nothing itself.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
