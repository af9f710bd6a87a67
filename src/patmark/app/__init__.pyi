from . import commands as commands
from .cli import main as main
