"""Every promise of metier, as data. A test marks the rows it proves; see test_requirements.py.

Rows come from five published designs of skill systems (S0 to S4) and from the open standard with its clients and its
MCP extension (P parsing, D discovery, K catalogue, A activation, X session, R packaging and remote).
"""

from __future__ import annotations

from tests.conformance import rows_s0_s1, rows_s2_s3, rows_s4, rows_standard
from tests.conformance.row import Row

ROWS: tuple[Row, ...] = (*rows_s0_s1.ROWS, *rows_s2_s3.ROWS, *rows_s4.ROWS, *rows_standard.ROWS)

DEFERRED_CAPABILITIES = {
    "store": "adding, importing, locking and trusting skills is not built yet",
    "search": "search and detection are not built yet",
    "web": "the web interface is not built yet",
    "mcp": "the MCP server and client are not built yet",
    "agent": "the agent is not built yet",
    "plan": "plans are not built yet",
    "process": "it says how the origin's work was organised; there is nothing to test",
}
"""Capabilities whose rows need no test yet, with the reason."""

DEFERRED_ROWS: dict[str, str] = {
    "S4-023": "decided otherwise: what is built goes into the cache, because nothing writes into a skill's folder",
    "R09": "a report on what a skill declares to need is not built yet",
}
"""Single rows of a capability that is built, each with the reason why it is not proved yet."""
