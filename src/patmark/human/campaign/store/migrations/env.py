"""Runs migrations on the connection that the store hands over."""

from alembic import context

options = context.config.attributes
context.configure(
    connection=options["connection"],
    version_table=options["version_table"],
    transactional_ddl=True,
)
context.run_migrations()
