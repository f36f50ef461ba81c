"""A reflector's reply: its schema, how it is read, and how parts become one."""
