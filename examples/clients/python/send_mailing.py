#!/usr/bin/env python3
"""Sends one mailing and keeps to the retry contract of the service. Python 3.9 or newer, standard library only, on Linux or macOS.

Settings come from the environment, as for the other example clients; the exit code says what it believes:
0 sent, 1 not sent, 3 unknown, 2 a missing setting.
"""

import base64
import contextlib
import email.utils
import fcntl
import http.client
import json
import os
import random
import socket
import sys
import threading
import urllib.parse
import uuid

import warm

PATIENCE = 30  # seconds for a whole answer, from the first byte of the request to the last one of the body
PENDING_LIMIT = 5 * 60  # sections 4.1/10 and 8
RECREATIONS, RECREATION_LIMIT = 3, 15 * 60  # the same
SILENCE_LIMIT = 15 * 60  # ours: for silence and 5xx the document sets no limit
LOCK_LIMIT = 35 * 60  # as long as another worker may take: silence for 15 minutes, then FAILED for 15
MARGIN = 4  # a request that leaves just before a limit arrives after it
FIRST_PAUSE, LONGEST_PAUSE = 1, 30
STATES = ("PENDING", "CREATED", "FAILED", "INDETERMINATE_FAILURE")
NOT_NOW = (408, 425, 429)  # client errors that say "not now" and not "not this"
EXIT_CODES = {"sent": 0, "not-sent": 1, "unknown": 3}


class Service:
    """One exchange at a time over one connection; whatever goes wrong on the wire is silence, which is None."""

    def __init__(self, url, user, password, speed):
        self.url = urllib.parse.urlsplit(url)
        self.speed = speed
        credentials = base64.b64encode(f"{user}:{password}".encode()).decode()
        kind = http.client.HTTPSConnection if self.url.scheme == "https" else http.client.HTTPConnection
        self.connection = kind(self.url.netloc, timeout=PATIENCE / speed)
        self.headers = {"Authorization": f"Basic {credentials}", "Accept": "application/hal+json"}

    def ask(self, method, path, body=None):
        deadline = None
        try:
            if self.connection.sock is None:
                self.connection.connect()
            # The socket's own time limit starts anew with each byte. This one is for all of them. The socket is kept
            # by name, since the connection forgets it where the answer is its last.
            deadline = threading.Timer(PATIENCE / self.speed, shut, [self.connection.sock])
            deadline.daemon = True
            deadline.start()
            headers = dict(self.headers, **({"Content-Type": "application/hal+json"} if body is not None else {}))
            self.connection.request(method, self.url.path.rstrip("/") + path, body, headers)
            response = self.connection.getresponse()  # redirects are not followed
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return None
        finally:
            if deadline:
                deadline.cancel()

    def read(self, path):
        """Reading changes nothing, so it may be repeated."""
        for nth in range(4):
            answer = self.ask("GET", path)
            if answer and (answer[0] == 200 or (400 <= answer[0] < 500 and answer[0] not in NOT_NOW)):
                return answer
            if nth < 3:
                warm.wait(pause(nth, 0))
        return None


def shut(sock):
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it has ended already


def document(answer):
    """The JSON object of a HAL answer; None for anything else."""
    _, headers, body = answer
    if headers.get("Content-Type", "").split(";")[0].strip().lower() != "application/hal+json":
        return None
    try:
        value = json.loads(body.decode("utf-8"))
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def retry_after(headers):
    """Seconds that the service wants to be left alone; 0 for none, for junk and for a date that has passed."""
    told = headers.get("Retry-After", "").strip()
    if told.isascii() and told.isdigit():
        return int(told)
    try:
        # Both dates are the service's, so that a clock that is wrong here does no harm.
        until = email.utils.parsedate_to_datetime(told)
        return max(0, (until - email.utils.parsedate_to_datetime(headers.get("Date", ""))).total_seconds())
    except (TypeError, ValueError):
        return 0


def hear(answer, intent):
    """What an answer says, and for how long to wait. Only a whole sending that is ours is believed."""
    if answer is None:
        return "nothing", 0
    status, headers, _ = answer
    wait = retry_after(headers)
    if 400 <= status < 500 and status not in NOT_NOW:
        return "refused", wait
    sending = document(answer) if status in (200, 201) else None
    if sending is None or sending.get("transactionId") != intent["transactionId"]:
        return "nothing", wait
    state = sending.get("state")
    is_ours = sending.get("mailingSynchronizationId") == intent["synchronizationId"]
    if not is_ours or state not in STATES or (status == 201 and state != "CREATED"):
        return "nothing", wait
    return state, wait


def pause(nth, told):
    """Exponential, half of it drawn, never less than was asked for. `nth` counts from 0."""
    whole = min(LONGEST_PAUSE, FIRST_PAUSE * 2**nth)
    return max(told, whole / 2 + random.random() * whole / 2)


class Memory:
    """One directory is one intention to send. When a call returns, it is on the disk."""

    def __init__(self, directory, synchronization_id):
        os.makedirs(directory, exist_ok=True)
        self.directory = directory
        self.file = os.path.join(directory, f"sending-{urllib.parse.quote(synchronization_id, safe='')}.json")

    @contextlib.contextmanager
    def alone(self):
        """Whether no other worker works on the intention now. The system takes the lock from a process that dies."""
        with open(f"{self.file}.lock", "w", encoding="utf-8") as file:
            yield self._has_locked(file)

    def _has_locked(self, file):
        end = warm.wait(0) + LOCK_LIMIT
        nth = 0
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return True
            except BlockingIOError:
                if warm.wait(pause(nth, 0)) > end:
                    return False
                nth += 1

    def recall(self):
        try:
            with open(self.file, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def keep(self, intent):
        os.replace(self._draft(intent), self.file)
        self._flush()

    def _draft(self, intent):
        draft = f"{self.file}.{uuid.uuid4()}"
        with open(draft, "w", encoding="utf-8") as file:
            json.dump(intent, file)
            file.flush()
            os.fsync(file.fileno())
        return draft

    def _flush(self):
        descriptor = os.open(self.directory, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def send(service, memory, synchronization_id, schedule_date=None):
    path = f"/integrations/mailing-platform/mailing-synchronizations/{urllib.parse.quote(synchronization_id, safe='')}"
    intent = memory.recall()
    if intent is None:
        if is_ready(service, path) is False:
            return "not-sent"
        # Transaction ID and payload are safe before anything is sent: after a crash the same can be repeated.
        intent = beginning(synchronization_id, schedule_date)
    while intent["outcome"] is None:
        intent["attempts"] += 1
        intent["since"] = warm.wait(0) if intent["attempts"] == 1 else intent["since"]
        memory.keep(intent)
        body = json.dumps(dict(intent["payload"], transactionId=intent["transactionId"]))
        answer = service.ask("POST", f"{path}/sendings", body)
        intent["answered"] += answer is not None
        heard, told = hear(answer, intent)
        intent["outcome"], wait = decide(heard, told, intent, warm.wait(0))
        if intent["outcome"] == "look":
            intent["outcome"] = look(service, path, intent)
        memory.keep(intent)
        if intent["outcome"] is None:
            warm.wait(wait)
    return intent["outcome"]


def beginning(synchronization_id, schedule_date):
    identity = str(uuid.uuid4())
    return {
        "id": identity,
        "synchronizationId": synchronization_id,
        "payload": {"scheduleDate": schedule_date} if schedule_date else {},
        "transactionId": f"{identity}:0",
        "recreated": 0,
        "attempts": 0,
        "answered": 0,
        "since": None,
        "pendingSince": None,
        "failedSince": None,
        "outcome": None,
    }


def decide(heard, told, intent, now):
    """What is believed in the end, or None and for how long to wait before the next attempt."""
    if heard == "CREATED":
        return "sent", 0
    if heard == "INDETERMINATE_FAILURE":
        return "unknown", 0
    if heard == "refused":
        # On a repeat it is about the repeat: an earlier attempt may have been processed.
        return ("look" if intent["attempts"] > 1 else "not-sent"), 0
    if heard == "FAILED":
        intent["failedSince"] = intent["failedSince"] or now
        wait = pause(intent["recreated"], told)
        if intent["recreated"] >= RECREATIONS or now + wait > intent["failedSince"] + RECREATION_LIMIT - MARGIN:
            return "not-sent", 0
        intent.update(recreated=intent["recreated"] + 1, attempts=0, answered=0, pendingSince=None)
        intent["transactionId"] = f"{intent['id']}:{intent['recreated']}"
        return None, wait
    if heard == "PENDING":
        intent["pendingSince"] = intent["pendingSince"] or now
    end = intent["since"] + SILENCE_LIMIT
    if intent["pendingSince"]:
        end = intent["pendingSince"] + PENDING_LIMIT - MARGIN
        if intent["failedSince"]:
            end = min(end, intent["failedSince"] + RECREATION_LIMIT - MARGIN)
    left = end - now
    if left < 1 or told > left:
        return "unknown", 0
    return None, min(pause(intent["attempts"] - 1, told), left)  # the last look is at the end of the time there is


def is_ready(service, path):
    """Section 3/3; None where nobody says."""
    answer = service.read(path)
    if answer is None:
        return None
    if answer[0] != 200:
        return False
    return (document(answer) or {}).get("readyForSending")


def look(service, path, intent):
    """After a refused repeat: whether there is a sending after all. Section 3/2: in all states."""
    target = f"{path}/sendings?includeAllStates=true"
    while target:
        answer = service.read(target)
        collection = document(answer) if answer and answer[0] == 200 else None
        if collection is None:
            return "unknown"
        for relation, sendings in collection.get("_embedded", {}).items():
            for sending in sendings if relation.endswith("sendings") else []:
                if sending.get("transactionId") == intent["transactionId"]:
                    return {"CREATED": "sent", "FAILED": "not-sent"}.get(sending.get("state"), "unknown")
        following = urllib.parse.urlsplit(collection.get("_links", {}).get("next", {}).get("href", ""))
        target = following.path and urllib.parse.urlunsplit(("", "", following.path, following.query, ""))
    # An attempt without an answer may still be on its way, and be processed after this look.
    return "unknown" if intent["answered"] < intent["attempts"] else "not-sent"


def main():
    names = ("URL", "USER", "PASSWORD", "SYNCHRONIZATION_ID", "STATE")
    missing = [f"MAILING_SYNC_{name}" for name in names if not os.environ.get(f"MAILING_SYNC_{name}")]
    if missing:
        print(f"{', '.join(missing)} must be set", file=sys.stderr)
        return 2
    url, user, password, synchronization_id, state = (os.environ[f"MAILING_SYNC_{name}"] for name in names)
    service = Service(url, user, password, float(os.environ.get("MAILING_SYNC_SPEED") or 1))
    memory = Memory(state, synchronization_id)
    with memory.alone() as is_alone:
        schedule_date = os.environ.get("MAILING_SYNC_SCHEDULE_DATE")
        outcome = send(service, memory, synchronization_id, schedule_date) if is_alone else "unknown"
    print(outcome)
    return EXIT_CODES[outcome]


def code_of_main():
    # An error of its own is "unknown" as well: something may have been sent.
    try:
        return main()
    except Exception as error:  # noqa: BLE001
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    if "MAILING_SYNC_WARM" not in os.environ:
        sys.exit(code_of_main())
    for _ in warm.cases():
        belief = {0: "sent", 1: "not-sent"}.get(code_of_main(), "unknown")
        print(json.dumps({"believes": belief}), flush=True)
