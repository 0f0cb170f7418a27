"""Cases and waits of a client that mailing-sync-mock keeps running (--warm). One file to copy, Python 3.9 or newer."""

import json
import os
import sys
import time
from datetime import datetime


def cases():
    """Puts the variables of one case after another into the environment. After each, print {"believes": "sent"}."""
    for line in iter(sys.stdin.readline, ""):
        os.environ.pop("MAILING_SYNC_SCHEDULE_DATE", None)
        os.environ.pop("MAILING_SYNC_WAIT", None)
        os.environ.update(json.loads(line))
        yield


def wait(seconds):
    """Waits, and returns the time on the clock of the service, in seconds since 1970. `wait(0)` is the time now."""
    if "MAILING_SYNC_WAIT" not in os.environ:
        speed = float(os.environ.get("MAILING_SYNC_SPEED") or 1)
        time.sleep(seconds / speed)
        return time.time() * speed
    print(json.dumps({"wait": seconds * 1000}), flush=True)
    answer = json.loads(sys.stdin.readline())
    return datetime.fromisoformat(answer["now"].replace("Z", "+00:00")).timestamp()
