"""A device in Python on the classes that quicktype makes of openapi.yaml; its spec is generated-python.spec.ts.

Prints, as JSON, what it understood of the answers. Fails where a class writes an answer otherwise than it came.
"""

import json
import sys
import urllib.error
import urllib.request

from reading_list import (
    Article, ArticlePatch, Batch, BatchRequest, BatchResponses, Error, Listing, Method, NewArticle, Service, Tombstone,
)

SERVICE, TOKEN = sys.argv[1:]


def send(method, path, body=None):
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body.to_dict()).encode()
    request = urllib.request.Request(f"{SERVICE}/v2{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        return json.load(refusal)


def read(kind, answer):
    """The object of the answer, after a round trip that neither lost nor changed anything."""
    known = kind.from_dict(answer)
    assert known.to_dict() == answer, f"{known.to_dict()} is not {answer}"
    return known


def without_null(item):
    return {name: value for name, value in item.items() if value is not None}


service = read(Service, send("GET", ""))
tea = read(Article, send("POST", "/articles", NewArticle(url="https://example.com/tea", title=None, added_by="python")))
coffee = NewArticle(url="https://example.com/coffee", title="Coffee", added_by="python", word_count=231, favorite=True)
coffee = read(Article, send("POST", "/articles", coffee))
patch = ArticlePatch(unread=False, marked_read_by="python", marked_read_on=1760000000400, read_position=231)
patched = read(Article, send("PATCH", f"/articles/{coffee.id}", patch))
deleted = read(Tombstone, send("DELETE", f"/articles/{tea.id}"))

# The generator makes one class of "an article or a tombstone": it reads both, and leaves out what is null.
answer = send("GET", f"/articles?_since={tea.last_modified - 1}")
page = Listing.from_dict(answer)
assert page.to_dict() == {"items": [without_null(item) for item in answer["items"]]}
of_their_own = [read(Tombstone if item.get("deleted") else Article, item) for item in answer["items"]]

requests = [BatchRequest(method=Method.GET, path="/articles?unread=false"), BatchRequest(method=Method.GET, path="/nowhere")]
batch = read(BatchResponses, send("POST", "/batch", Batch(requests=requests)))
refused = read(Error, send("GET", f"/articles/{tea.id}"))

print(json.dumps({
    "capabilities": [capability.value for capability in service.capabilities],
    "created": [tea.title, tea.unread, tea.preview, tea.word_count, coffee.title, coffee.favorite, coffee.word_count],
    "patched": [patched.unread, patched.marked_read_by, patched.marked_read_on, patched.read_position],
    "deleted": deleted.id == tea.id and deleted.deleted,
    "page": [[item.id == of_its_own.id, item.deleted, item.title] for item, of_its_own in zip(page.items, of_their_own)],
    "batch": [response.status for response in batch.responses],
    "refused": [refused.code, refused.errno],
}))
