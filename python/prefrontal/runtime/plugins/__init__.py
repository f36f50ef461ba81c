"""The plugins that come with the runtime, one a module, each with `create_plugin()`."""
