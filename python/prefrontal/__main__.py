"""`python -m prefrontal` is the command `prefrontal`."""

from .cli import main

main(prog_name="prefrontal")
