"""What an HTML page consists of, as its parser sees it."""

from html.parser import HTMLParser


class Skeleton(HTMLParser):
    """Elements with the names of their attributes, in order, and what stands in them."""

    def __init__(self, text):
        super().__init__()
        self.found, self.tags, self.events, self.frames = [], set(), [], []
        self.ids, self.links, self.words = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(name for name, _ in attrs)))
        self.tags.add(tag)
        self.events += [name for name, _ in attrs if name.startswith("on")]
        for names, kept in (
            ({"srcdoc"}, self.frames),
            ({"id"}, self.ids),
            ({"href", "src", "xlink:href"}, self.links),
        ):
            kept += [value for name, value in attrs if name in names]

    def handle_endtag(self, tag):
        self.found.append(f"/{tag}")

    def handle_comment(self, data):
        self.found.append("comment")

    def handle_decl(self, decl):
        self.found.append(decl)

    def handle_data(self, data):
        if data.strip():
            self.words.append(data)
