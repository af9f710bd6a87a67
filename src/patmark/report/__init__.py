"""Reports on the terminal and as HTML, XLSX, CSV, Markdown, LaTeX, JSON, JUnit and SARIF."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
