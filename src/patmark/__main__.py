"""``python -m patmark`` is the command line."""

from patmark.cli import main

main()
