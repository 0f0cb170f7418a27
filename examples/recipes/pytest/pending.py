import json
import os
import unittest
from urllib.request import Request, urlopen

from mailing_client import send_mailing

MOCK = os.environ.get("MAILING_SERVICE_URL", "http://localhost:4025")


def control(method, path, **body):
    data = json.dumps(body).encode() if body else None
    request = Request(f"{MOCK}/_mock/spaces/demo+pending{path}", data, {"Content-Type": "application/json"}, method=method)
    return json.load(urlopen(request, timeout=30))


class Pending(unittest.TestCase):
    def test_asks_again_while_the_sending_is_pending(self):
        control("PUT", "", scenario="pending-until-4m50")
        wait = lambda seconds: control("POST", "/clock", advance=f"{seconds}s")  # noqa: E731
        state = send_mailing(MOCK, "demo+pending", "demo", wait, "22222222-0000-4000-8000-000000000001")
        self.assertEqual(state, "CREATED")
        self.assertEqual(control("GET", "/platform")["summary"]["sent"], 1)
