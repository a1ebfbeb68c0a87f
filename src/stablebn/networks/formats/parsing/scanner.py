"""Scan the text of a format that consists of words, quoted names and punctuation."""

from __future__ import annotations

import re

from stablebn.errors import FormatError

# Both patterns also end at the end of the text, so that an unclosed one is scanned once, not again from every quote.
QUOTED = r'"[^"]*(?:"|\Z)'
C_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"


def token_pattern(mark: str, word: str, quoted: str = QUOTED) -> re.Pattern[str]:
    """Return the pattern of a token, given the patterns of punctuation, of a word and of a quoted name."""
    return re.compile(rf"\s*(?:(?P<mark>{mark})|(?P<word>{word})|(?P<quoted>{quoted})|\Z)", re.DOTALL)


def without_comments(text: str, comment: str, quoted: str = QUOTED) -> str:
    """Remove comments, except in quotes; keep their line breaks, so that line numbers do not change."""

    def blank(match: re.Match[str]) -> str:
        text = match[0]
        return text if text.startswith('"') else " " + "\n" * text.count("\n")

    return re.sub(f"{quoted}|{comment}", blank, text, flags=re.DOTALL | re.MULTILINE)


class Scanner:
    """Cursor over the tokens of a text.

    Attributes
    ----------
    token : str
        The current token; empty at the end of the text.
    kind : {"quoted", "mark", "word"} or None
        Kind of the current token; None at the end of the text.
    """

    def __init__(self, text: str, file: str, tokens: re.Pattern[str]) -> None:
        self.file = file
        self._text = text
        self._tokens = tokens
        self._start = self._end = 0
        self._line = 1
        self._line_start = 0
        self.advance()

    def advance(self) -> None:
        """Move to the next token."""
        match = self._tokens.match(self._text, self._end)
        if match is None:
            self._start = self._end
            raise FormatError(self.file, self.line, f"unexpected {self._text[self._end :][:20].strip()!r}.")
        self.kind = match.lastgroup
        self.token = match[self.kind] if self.kind else ""
        self._end = match.end()
        self._start = self._end - len(self.token)

    @property
    def line(self) -> int:
        """Line of the current token, from 1."""
        # Counting continues from the last call, so that all calls together scan the text once.
        self._line += self._text.count("\n", self._line_start, self._start)
        self._line_start = self._start
        return self._line

    def error(self, expected: str) -> FormatError:
        """Return an error that says what was expected instead of the current token."""
        got = repr(self.token[:40]) if self.kind else "the end of the file"
        return FormatError(self.file, self.line, f"expected {expected}, got {got}.")

    def expect(self, token: str) -> None:
        """Move past this token; raise `FormatError` if the current token is another one."""
        if self.token != token:
            raise self.error(repr(token))
        self.advance()

    def accept(self, *tokens: str) -> bool:
        """Move past the current token if it is one of these; return whether it is."""
        matches = self.token in tokens
        if matches:
            self.advance()
        return matches

    def name(self, what: str) -> str:
        """Read a word or a quoted name; return it without quotes."""
        token = self.token
        if self.kind == "quoted":
            if len(token) < 2 or not token.endswith('"'):
                raise self.error(f"{what} with a closing quote")
            token = token[1:-1]
        elif self.kind != "word":
            raise self.error(what)
        self.advance()
        return token

    def names(self, what: str, close: str) -> list[str]:
        """Read names, with or without commas between them, up to and including the mark `close`."""
        found = []
        while not self.accept(close):
            found.append(self.name(f"{what} or {close!r}"))
            self.accept(",")
        return found

    def numbers(self, end: str = ";", *, ignore: str = ",") -> list[float]:
        """Read numbers, separated by spaces or the marks in `ignore`, up to and including the mark `end`."""
        stop = self._text.find(end, self._start)
        if stop < 0:
            raise FormatError(self.file, self.line, f"expected numbers and then {end!r}, got the end of the file.")
        block = self._text[self._start : stop]
        for mark in ignore:
            block = block.replace(mark, " ")
        try:
            found = list(map(number, block.split())) if "_" in block else list(map(float, block.split()))
        except ValueError:
            wrong = next(word for word in re.finditer(r"\S+", block) if not _is_number(word[0]))
            self._end = self._start + wrong.start()
            self.advance()
            raise self.error("a number") from None
        self._end = stop
        self.advance()
        self.expect(end)
        return found

    def skip(self, end: str = ";") -> None:
        """Skip everything up to and including the mark `end`."""
        while not self.accept(end):
            if not self.kind:
                raise self.error(repr(end))
            self.advance()


def number(word: str) -> float:
    """Parse a number; unlike Python, refuse underscores (1_000)."""
    if "_" in word:
        raise ValueError(word)
    return float(word)


def _is_number(word: str) -> bool:
    try:
        number(word)
    except ValueError:
        return False
    return True
