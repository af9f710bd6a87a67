"""Campaigns: the form that is filled in, the plan of who judges what, and the answers.

`read_campaign` reads the campaign file, `plan_campaign` decides every page; answers are checked by
`answer_problem` before they are stored, and `campaign_results` turns them into judgements.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
