"""Tools of installed packages: functions that are called in this process, because they are code of this process."""

from __future__ import annotations

import json
import time
import traceback
from typing import TYPE_CHECKING, Any

from metier.errors import ToolFailed
from metier.result.answer import Code, Result, failed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metier.messages import Lang
    from metier.tool import Tool

TIER = "in process"
"""What stands for the tier of a sandbox where there is none."""


def call_function(tool: Tool, arguments: Mapping[str, Any], workspace: str, lang: Lang) -> Result:
    """Call a tool that has a function. Whatever it raises is in the result; its traceback is in the log alone."""
    start = time.perf_counter()
    log = ""
    try:
        output = tool.function(arguments, workspace, lang) if tool.function else None
        text = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
        values = {"name": tool.name, "chars": len(text)}
        result = Result(tool=tool.name, key="tool-done", values=values, data={"content": text})
    except ToolFailed as error:
        result = failed(tool.name, Code.EXECUTION_ERROR, "tool-said", text=str(error))
    except (Exception, SystemExit):  # noqa: BLE001 - whatever its author did not think of must not end the host
        log = traceback.format_exc()
        result = failed(tool.name, Code.EXECUTION_ERROR, "tool-raised", name=tool.name)
    data: dict[str, Any] = {"tool": tool.name, "tier": TIER, **({"log": log} if log else {})}
    return result.but(data={**result.data, **data}, time_ms=round((time.perf_counter() - start) * 1000))
