"""Parse XML from untrusted files into a tree with line numbers."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from stablebn.errors import FormatError
from stablebn.networks.formats.parsing.scanner import number

_DEEPEST = 32


@dataclass
class Element:
    """Element of XML: its tag without a namespace prefix, its content, and its line."""

    tag: str
    attributes: Mapping[str, str]
    line: int
    file: str
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Text directly inside the element, stripped."""
        return "".join(self.pieces).strip()

    def all(self, *tags: str) -> Iterator[Element]:
        """Yield the children with one of these tags."""
        return (child for child in self.children if child.tag in tags)

    def one(self, tag: str) -> Element:
        """Return the only child with this tag; raise `FormatError` unless there is exactly one."""
        found = list(self.all(tag))
        if len(found) != 1:
            raise self.error(f"expected one <{tag}> in <{self.tag}>, got {len(found)}.")
        return found[0]

    def attribute(self, name: str) -> str:
        """Return an attribute; raise `FormatError` if it is absent."""
        if name not in self.attributes:
            raise self.error(f"expected an attribute {name!r} in <{self.tag}>.")
        return self.attributes[name]

    def numbers(self) -> list[float]:
        """Return the text as numbers, which are separated by spaces."""
        words = self.text.split()
        try:
            return list(map(number, words))
        except ValueError as error:
            raise self.error(f"expected only numbers in <{self.tag}>: {str(error)[:80]}.") from None

    def error(self, problem: str) -> FormatError:
        """Return an error with the line of this element."""
        return FormatError(self.file, self.line, problem)


def parse(text: str, file: str, root: str) -> Element:
    """Parse XML whose outermost tag is `root`.

    A document type may declare elements and attributes, but not entities, by which a small file could expand to a huge
    text or include other files.
    """
    parser = expat.ParserCreate()
    # Prevents that default attributes of a document type are copied into every element.
    parser.specified_attributes = True
    parser.buffer_text = True
    outside = Element("", {}, 1, file)
    open_elements = [outside]

    def start(tag: str, attributes: dict[str, str]) -> None:
        if len(open_elements) > _DEEPEST:
            raise FormatError(file, parser.CurrentLineNumber, f"expected elements at most {_DEEPEST} deep.")
        element = Element(tag.rpartition(":")[2], attributes, parser.CurrentLineNumber, file)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def refuse(*_: object) -> NoReturn:
        raise FormatError(file, parser.CurrentLineNumber, "expected no entities: this reader refuses them.")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: open_elements.pop()
    parser.CharacterDataHandler = lambda piece: open_elements[-1].pieces.append(piece)
    # A comment becomes a space, because it may be the only separator between two numbers.
    parser.CommentHandler = lambda _: open_elements[-1].pieces.append(" ")
    parser.EntityDeclHandler = refuse
    parser.SkippedEntityHandler = refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise FormatError(file, error.lineno, f"expected XML: {expat.ErrorString(error.code)}.") from None
    return outside.one(root)


def document(root: ET.Element) -> str:
    """Write a tree as an indented XML file."""
    ET.indent(root)
    # The declaration is written here because that of ElementTree may name the encoding of the machine's locale.
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
