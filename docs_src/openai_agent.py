"""An agent in plain Python over the chat completions of OpenAI and of the many servers that speak the same."""

import json
import os
import sys
import urllib.request
from typing import Any

from metier import Catalog, Toolset

URL = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
skills = Toolset(Catalog.open("."))


def ask(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """One request: the messages so far, and the tools of metier beside your own."""
    tools = [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
        for t in skills.tools
    ]
    body: dict[str, Any] = {"model": os.environ.get("MODEL", "gpt-5"), "messages": messages}
    if tools:
        body["tools"] = tools
    headers = {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "")}
    request = urllib.request.Request(URL, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["choices"][0]["message"]


text = sys.argv[1]
messages: list[dict[str, Any]] = [
    {"role": "system", "content": "You help with code.\n\n" + skills.system_prompt()},
    {"role": "user", "content": text},
]
for wish in skills.catalog.triggers(text).found:  # "$code-review": the user asked for it, so it is loaded at once
    loaded = skills.activate(wish.name, wish.args)
    messages.append({"role": "user", "content": skills.render(loaded)})
while True:
    message = ask(messages)
    messages.append(message)
    if not message.get("tool_calls"):
        break
    for call in message["tool_calls"]:
        result = skills.call(call["function"]["name"], json.loads(call["function"]["arguments"] or "{}"))
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": skills.render(result)})
    if news := skills.news():
        messages.append({"role": "user", "content": news})
print(message["content"])
