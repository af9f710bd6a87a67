"""Campaigns in the browser: evaluators judge, organisers watch."""

from patmark.web.app import create_app
from patmark.web.server import serve
from patmark.web.settings import WebSettings

__all__ = ["WebSettings", "create_app", "serve"]
