"""patmark human: campaigns, rankings by human judgements, validation of evaluators, files."""
