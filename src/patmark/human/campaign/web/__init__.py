"""Campaigns in the browser: evaluators judge, organisers watch."""

from patmark.human.campaign.web.app import create_app, serve
from patmark.human.campaign.web.sessions import WebSettings

__all__ = ["WebSettings", "create_app", "serve"]
