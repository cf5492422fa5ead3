# SPDX-License-Identifier: MIT
"""A report as Markdown and as one HTML page that needs no other file: text, tables, pictures."""

import base64
import html
from collections.abc import Sequence
from pathlib import Path

from measure.text import lines_of, markdown, write

HEAD = '<!DOCTYPE html>\n<html lang="en">\n<meta charset="utf-8">\n'
STYLE = """<style>
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #222; }
table { border-collapse: collapse; margin: 1em 0; font-size: 14px; }
th, td { border-bottom: 1px solid #ccc; padding: 0.15em 0.7em; text-align: right; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; }
pre { background: #f4f4f4; padding: 0.7em; overflow-x: auto; font-size: 13px; }
.warning { color: #b00; font-weight: bold; }
</style>
"""


def as_html(text: str) -> str:
    return html.escape(text, quote=False)


class Report:
    """Its name is that of the files, in the folder."""

    def __init__(self, folder: Path, name: str, title: str) -> None:
        self.folder, self.name, self.pictures_in = folder, name, ""
        shown = as_html(title)
        self.md, self.html = f"# {title}\n", f"{HEAD}<title>{shown}</title>\n{STYLE}<h1>{shown}</h1>\n"

    def heading(self, text: str) -> None:
        self.md += f"\n## {text}\n"
        self.html += f"<h2>{as_html(text)}</h2>\n"

    def text(self, *texts: str) -> None:
        """A paragraph of each, none where it is empty."""
        for text in filter(None, texts):
            self.md += f"\n{text}\n"
            self.html += f"<p>{as_html(text)}</p>\n"

    def warning(self, text: str) -> None:
        self.md += f"\n**{text}**\n"
        self.html += f'<p class="warning">{as_html(text)}</p>\n'

    def lines(self, path: Path) -> None:
        """Of a file, as they are, if there are some."""
        if said := "\n".join(lines_of(path)):
            self.md += f"\n```\n{said}\n```\n"
            self.html += f"<pre>{as_html(said)}</pre>\n"

    def table(self, table: Sequence[Sequence[str]]) -> None:
        lines = markdown([[cell.replace("|", "\\|") for cell in row] for row in table])
        self.md += "\n" + "".join(f"{line}\n" for line in lines)
        self.html += html_table(table)

    def image(self, file: str, what: str, style: str = "") -> str:
        data = base64.b64encode((self.folder / file).read_bytes()).decode()
        return f'<img{style} alt="{as_html(what)}" src="data:image/svg+xml;base64,{data}">'

    def picture(self, file: str, what: str) -> None:
        self.md += f"\n![{what}]({self.pictures_in}{file})\n"
        self.html += f"<p>{self.image(file, what)}</p>\n"

    def row(self, what: str, files: Sequence[str]) -> None:
        """Pictures beside each other."""
        style = f' style="max-width: {99 // max(1, len(files))}%"'
        self.md += "\n" + "".join(f"![{what}]({file}) " for file in files) + "\n"
        self.html += "<p>" + "".join(self.image(file, what, style) for file in files) + "</p>\n"

    def write(self) -> None:
        write(self.folder / f"{self.name}.md", self.md)
        write(self.folder / f"{self.name}.html", f"{self.html}</html>\n")


def html_table(table: Sequence[Sequence[str]]) -> str:
    head, *rows = ("".join(f"<td>{as_html(cell)}" for cell in row) for row in table)
    lines = [head.replace("<td>", "<th>"), *rows]
    return "<table>\n" + "".join(f"<tr>{line}\n" for line in lines) + "</table>\n"
