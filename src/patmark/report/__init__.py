"""Show a report: on the terminal, as Markdown, LaTeX, CSV, or as one self-contained HTML file."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
