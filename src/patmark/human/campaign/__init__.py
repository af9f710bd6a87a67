"""Campaigns: the form, the plan of all pages, and the answers.

`read_campaign` reads the campaign file, `plan_campaign` plans every page. Answers are checked by
`answer_problem` before they are stored, and `campaign_results` converts them to judgements.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
