"""The same over the messages of Anthropic, with the system prompt and the tools marked for the prompt cache."""

import json
import os
import sys
import urllib.request
from typing import Any

from metier import Catalog, Toolset

URL = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
CACHED = {"cache_control": {"type": "ephemeral"}}
skills = Toolset(Catalog.open("."))


def ask(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """One request. What comes before the messages is the same bytes every time, so the cache keeps hitting."""
    tools = [{"name": t.name, "description": t.description, "input_schema": t.parameters} for t in skills.tools]
    system = [{"type": "text", "text": "You help with code.\n\n" + skills.system_prompt(), **CACHED}]
    body = {"model": os.environ.get("MODEL", "claude-sonnet-5"), "max_tokens": 4096, "system": system}
    headers = {
        "Content-Type": "application/json",
        "x-api-key": os.environ.get("ANTHROPIC_API_KEY", ""),
        "anthropic-version": "2023-06-01",
    }
    data = json.dumps(body | {"tools": tools, "messages": messages}).encode()
    with urllib.request.urlopen(urllib.request.Request(URL, data, headers)) as answer:
        return json.load(answer)


messages: list[dict[str, Any]] = [{"role": "user", "content": sys.argv[1]}]
while True:
    reply = ask(messages)
    messages.append({"role": "assistant", "content": reply["content"]})
    calls = [block for block in reply["content"] if block["type"] == "tool_use"]
    if not calls:
        break
    results: list[dict[str, Any]] = []
    for call in calls:
        result = skills.call(call["name"], call["input"])
        results.append({"type": "tool_result", "tool_use_id": call["id"], "content": skills.render(result)})
        results[-1]["is_error"] = not result.ok
    if news := skills.news():
        results.append({"type": "text", "text": news})
    messages.append({"role": "user", "content": results})
print("".join(block["text"] for block in reply["content"] if block["type"] == "text"))
