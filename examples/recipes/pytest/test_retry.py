import json
import os
import urllib.request
import uuid

import pytest
from mailing_client import send_mailing

MOCK = os.environ.get("MAILING_SERVICE_URL", "http://localhost:4025")
NEWSLETTER = "22222222-0000-4000-8000-000000000001"


class Space:
    """A private copy of space demo, for one test."""

    def __init__(self):
        self.user = f"demo+{uuid.uuid4()}"

    def control(self, method, path, body=None):
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(f"{MOCK}/_mock/spaces/{self.user}{path}", data, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.loads(answer.read() or b"{}")

    def begin(self, scenario):
        self.control("PUT", "", {"scenario": scenario})

    def send(self):
        # Waiting moves the space's clock on: nobody sleeps.
        wait = lambda seconds: self.control("POST", "/clock", {"advance": f"{seconds}s"})  # noqa: E731
        return send_mailing(MOCK, self.user, "demo", wait, NEWSLETTER)

    def sent(self):
        return self.control("GET", "/platform")["summary"]["sent"]

    def attempts(self):
        return self.control("GET", "/requests?operation=createSending")["count"]


@pytest.fixture
def space():
    space = Space()
    yield space
    space.control("DELETE", "")


def test_asks_again_while_the_sending_is_pending(space):
    space.begin("pending-until-4m50")
    assert space.send() == "CREATED"
    assert space.control("GET", "/scenario")["scenario"]["struck"]
    assert space.sent() == 1
    assert space.control("GET", "/verdict?believes=sent")["outcome"] == "innocent"


def test_repeats_when_the_answer_is_lost_after_the_send(space):
    space.begin("reset-after")
    assert space.send() == "CREATED"
    assert space.attempts() == 2
    assert space.sent() == 1


@pytest.mark.parametrize("scenario, sent", [("indeterminate-sent", 1), ("indeterminate-not-sent", 0)])
def test_leaves_an_uncertain_sending_alone(space, scenario, sent):
    space.begin(scenario)
    assert space.send() == "INDETERMINATE_FAILURE"
    assert space.attempts() == 1
    assert space.sent() == sent
