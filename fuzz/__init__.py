"""The fuzzer: random tables in random layouts, and whether anything but the data decides. See docs/fuzzing.md."""
