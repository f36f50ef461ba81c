"""How a model or the rules reflect: what is asked of them, and how deep they look."""
