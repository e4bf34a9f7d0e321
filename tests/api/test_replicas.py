"""Students whose server fails: another one, behind the proxy, goes on with the work of each."""

from __future__ import annotations

import pytest

from mha_core import built_in, from_token
from tests.api.asgi import run
from tools.drive import proxy
from tools.drive.visitor import PINNED, all_come_back

STUDENTS = 12


@pytest.fixture(scope="module")
def after_a_failure():
    if proxy.executable() is None:
        pytest.skip(proxy.REASON)
    with proxy.running() as replicas:
        return run(all_come_back(replicas, STUDENTS))


def test_each_has_his_numbers_his_language_and_his_place(after_a_failure):
    for student, restored, _ in after_a_failure:
        assert restored["session"] != student.now["session"]
        assert restored["address"] == student.now["address"]
        assert (restored["lang"], restored["pinned"]) == ("zh", PINNED)


def test_each_undoes_his_own_last_edit(after_a_failure):
    for student, _, undone in after_a_failure:
        assert undone["address"]["s"] == student.before["address"]["s"]
        x = from_token(undone["address"]["s"]).x
        assert (x[0][0], x[1][0]) == (student.number, built_in("water").x[1][0])
