"""Every promise of metier, as data. A test marks the rows it proves; see test_requirements.py.

Rows come from five published designs of skill systems (S0 to S4) and from the open standard with its clients and its
MCP extension (P parsing, D discovery, K catalogue, A activation, X session, R packaging and remote).
"""

from __future__ import annotations

from tests.conformance import rows_s0_s1, rows_s2_s3, rows_s4, rows_standard
from tests.conformance.row import Row

ROWS: tuple[Row, ...] = (*rows_s0_s1.ROWS, *rows_s2_s3.ROWS, *rows_s4.ROWS, *rows_standard.ROWS)

DEFERRED_CAPABILITIES = {
    "execution": "running tools is built in part: workers and hot reload are not",
    "store": "adding, importing, locking and trusting skills is not built yet",
    "authoring": "templates come with running tools",
    "search": "search and detection are not built yet",
    "web": "the web interface is not built yet",
    "mcp": "the MCP server and client are not built yet",
    "agent": "the agent is not built yet",
    "plan": "plans are not built yet",
    "process": "it says how the origin's work was organised; there is nothing to test",
}
"""Capabilities whose rows need no test yet, with the reason."""

DEFERRED_ROWS: dict[str, str] = {
    "S4-021": "dependencies of tools come with running tools",
    "S4-022": "dependencies of tools come with running tools",
    "R09": "declared requirements come with running tools",
}
"""Single rows of a capability that is built, each with the reason why it is not proved yet."""
