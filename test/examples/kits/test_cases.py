"""Holds the kit for Python against the cases that all kits share."""

import base64
import http.client
import json
import os
import urllib.error
import urllib.request
from datetime import datetime

import pytest
from mailing_sync_mock import MailingSyncMock

NEWSLETTER = "22222222-0000-4000-8000-000000000001"
with open(os.environ["CASES"], encoding="utf-8") as file:
    CASES = json.load(file)

DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # whatever proxy the environment has


def send(space, transaction_id, password=None):
    """One attempt: the state that it was told, or `nothing`."""
    credentials = base64.b64encode(f"{space.user}:{password or space.password}".encode()).decode()
    request = urllib.request.Request(
        f"{space.url}/integrations/mailing-platform/mailing-synchronizations/{NEWSLETTER}/sendings",
        json.dumps({"transactionId": transaction_id}).encode(),
        {"Authorization": f"Basic {credentials}", "Content-Type": "application/hal+json"},
    )
    try:
        with DIRECT.open(request, timeout=30) as response:
            return json.load(response)["state"]
    except (OSError, http.client.HTTPException):
        return "nothing"


DO = {
    "send": lambda space, it: send(space, it["transactionId"], it.get("password")),
    "arm": lambda space, it: space.arm(it["scenario"]),
    "disarm": lambda space, it: space.control("DELETE", "/scenario"),
    "fault": lambda space, it: space.fault(it["rule"]),
    "freeze": lambda space, it: space.freeze(it["at"]),
    "advance": lambda space, it: space.advance(it["by"]),
    "wait": lambda space, it: -datetime.fromisoformat(space.now().replace("Z", "+00:00")).timestamp() + space.wait(it["by"]),
    "now": lambda space, it: space.now(),
    "requests": lambda space, it: len(space.requests(operation="createSending", **({"limit": it["limit"]} if "limit" in it else {}))),
    "mailings": lambda space, it: space.control("GET", f"/mailings?name={it['name']}")["count"],
    "ownSent": lambda space, it: space.platform(seeded=False)["summary"]["sent"],
    "sent": lambda space, it: len(space.sent()),
    "verdict": lambda space, it: space.verdict(believes=it["believes"])["outcome"],
    "assertSentExactlyOnce": lambda space, it: space.assert_sent_exactly_once(it.get("synchronizationId")),
    "assertSent": lambda space, it: space.assert_sent(it["count"], it.get("synchronizationId")),
    "assertNoFindings": lambda space, it: space.assert_no_findings(believes=it["believes"]),
    "assertFired": lambda space, it: space.assert_fired(),
    "endWith": lambda space, it: space.end_with(**{name: it[name] for name in ("believes", "expected") if name in it}),
    "ignoreVerdict": lambda space, it: space.ignore_verdict(),
    "end": lambda space, it: space.control("DELETE"),
    "finish": lambda space, it: space.finish(),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_case(case):
    space = MailingSyncMock.shared().space()
    for step in case["steps"]:
        if "fails" in step:
            with pytest.raises(AssertionError) as failure:
                DO[step["do"]](space, step)
            for part in step["fails"]:
                assert part in str(failure.value)
        else:
            given = DO[step["do"]](space, step)
            assert "gives" not in step or given == step["gives"], step


def test_a_test_gets_a_space_that_is_removed_at_its_end(space):
    if "SCENARIO" in os.environ:
        space.arm(os.environ["SCENARIO"])
    if "IDLE" in os.environ:
        return
    assert send(space, "one") == os.environ.get("STATE", "CREATED")
    if "BELIEVES" in os.environ:
        space.end_with(believes=os.environ["BELIEVES"], expected=1)
        return
    space.assert_sent_exactly_once(NEWSLETTER)
