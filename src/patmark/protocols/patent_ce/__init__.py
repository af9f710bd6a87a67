"""Patent-CE: the published agreement of measures with experts who compared claims."""
