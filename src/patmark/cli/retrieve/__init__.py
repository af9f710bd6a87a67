"""patmark retrieve: does the translation find the prior art?"""
