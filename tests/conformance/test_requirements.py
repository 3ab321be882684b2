from __future__ import annotations

from tests.conformance.coverage import proofs
from tests.conformance.requirements import DEFERRED_CAPABILITIES, DEFERRED_ROWS, ROWS

CAPABILITIES = {"catalog", "disclosure", "execution", "authoring", *DEFERRED_CAPABILITIES}


def test_every_row_has_an_id_of_its_own_and_a_known_capability() -> None:
    ids = [row.id for row in ROWS]
    assert len(ids) == len(set(ids)) == 411
    assert {row.capability for row in ROWS} <= CAPABILITIES


def test_every_mark_names_a_row() -> None:
    assert set(proofs()) - {row.id for row in ROWS} == set()


def test_every_row_is_proved_or_deferred_with_a_reason() -> None:
    proved = proofs()
    open_rows = [
        row.id
        for row in ROWS
        if row.id not in proved and row.capability not in DEFERRED_CAPABILITIES and row.id not in DEFERRED_ROWS
    ]
    assert open_rows == []


def test_no_row_is_both_proved_and_deferred_by_itself() -> None:
    assert set(DEFERRED_ROWS) & set(proofs()) == set()
    assert set(DEFERRED_ROWS) <= {row.id for row in ROWS}
