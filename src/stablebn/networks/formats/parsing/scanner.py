"""A cursor over the text of a format made of words, quoted names and marks of punctuation."""

from __future__ import annotations

import re

from stablebn.errors import FormatError

# Both end at the end of the text too: one left open is passed over once, not tried again from every quote in it.
QUOTED = r'"[^"]*(?:"|\Z)'
C_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"


def token_pattern(mark: str, word: str, quoted: str = QUOTED) -> re.Pattern[str]:
    """Tokens of a format, from the patterns of a mark of punctuation, a word, and a quoted name."""
    return re.compile(rf"\s*(?:(?P<mark>{mark})|(?P<word>{word})|(?P<quoted>{quoted})|\Z)", re.DOTALL)


def without_comments(text: str, comment: str, quoted: str = QUOTED) -> str:
    """Text without its comments but with their line breaks; what looks like one inside quotes stays."""

    def blank(match: re.Match[str]) -> str:
        found = match[0]
        return found if found.startswith('"') else " " + "\n" * found.count("\n")

    return re.sub(f"{quoted}|{comment}", blank, text, flags=re.DOTALL | re.MULTILINE)


class Scanner:
    """A cursor on one token of a text.

    Attributes
    ----------
    token : str
        The token under the cursor; empty at the end of the text.
    kind : {"quoted", "mark", "word"} or None
        What it is; None at the end of the text.
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
        """Line of the token under the cursor, from 1."""
        # Counted on from the last time, so that asking often costs one pass over the text in all.
        self._line += self._text.count("\n", self._line_start, self._start)
        self._line_start = self._start
        return self._line

    def error(self, expected: str) -> FormatError:
        """Return the error that something else was expected here."""
        got = repr(self.token[:40]) if self.kind else "the end of the file"
        return FormatError(self.file, self.line, f"expected {expected}, got {got}.")

    def expect(self, token: str) -> None:
        """Pass this token, which must be here."""
        if self.token != token:
            raise self.error(repr(token))
        self.advance()

    def accept(self, *tokens: str) -> bool:
        """Pass one of these tokens, if one is here."""
        found = self.token in tokens
        if found:
            self.advance()
        return found

    def name(self, what: str) -> str:
        """Pass a word or a quoted name; return it without its quotes."""
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
        """Pass names, with or without commas between them, up to and with the mark `close`."""
        found = []
        while not self.accept(close):
            found.append(self.name(f"{what} or {close!r}"))
            self.accept(",")
        return found

    def numbers(self, end: str = ";", *, ignore: str = ",") -> list[float]:
        """Pass numbers with spaces, or marks to `ignore`, between them, up to and with the mark `end`."""
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
        """Pass everything up to and with the mark `end`."""
        while not self.accept(end):
            if not self.kind:
                raise self.error(repr(end))
            self.advance()


def number(word: str) -> float:
    """Return the number that a word writes; 1_000 is none, whatever Python says."""
    if "_" in word:
        raise ValueError(word)
    return float(word)


def _is_number(word: str) -> bool:
    try:
        number(word)
    except ValueError:
        return False
    return True
