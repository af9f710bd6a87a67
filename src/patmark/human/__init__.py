"""Human evaluation: judgements, the campaigns that collect them, and shared tasks."""
