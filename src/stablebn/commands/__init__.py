"""The commands of the command line, a module each: imported when it is called."""
