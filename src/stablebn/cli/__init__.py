"""The command line: options, terminal, help, and one module per command in `commands`."""
