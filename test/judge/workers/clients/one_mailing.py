"""Sends one mailing as a warm client: with "lock" one worker at a time, with "no-lock" whoever comes."""

import base64
import http.client
import json
import os
import sys
import urllib.parse
import uuid

sys.dont_write_bytecode = True  # beside the example
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../../examples/clients/python"))
import warm  # noqa: E402

PATIENCE = 30  # seconds


def variable(name):
    return os.environ[f"MAILING_SYNC_{name}"]


def ask(transaction_id):
    """The state that an answer tells; None for no answer that tells one."""
    url = urllib.parse.urlsplit(variable("URL"))
    connection = http.client.HTTPConnection(url.netloc, timeout=PATIENCE / float(variable("SPEED")))
    credentials = base64.b64encode(f"{variable('USER')}:{variable('PASSWORD')}".encode()).decode()
    headers = {"Authorization": f"Basic {credentials}", "Content-Type": "application/hal+json"}
    path = f"/integrations/mailing-platform/mailing-synchronizations/{variable('SYNCHRONIZATION_ID')}/sendings"
    try:
        connection.request("POST", path, json.dumps({"transactionId": transaction_id}), headers)
        return json.loads(connection.getresponse().read()).get("state")
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def send():
    transaction_id = str(uuid.uuid4())
    for nth in range(4):
        state = ask(transaction_id)
        if state is not None:
            return "sent" if state == "CREATED" else "unknown"
        warm.wait(2 * 2**nth)
    return "unknown"


def main(with_lock):
    store = variable("STATE")
    outcome = os.path.join(store, "outcome")
    if with_lock:
        try:
            os.close(os.open(os.path.join(store, "lock"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            for _ in range(30):
                if os.path.exists(outcome):
                    break
                warm.wait(10)
            else:
                return "unknown"
    if os.path.exists(outcome):
        with open(outcome, encoding="utf-8") as file:
            return file.read()
    belief = send()
    with open(outcome, "w", encoding="utf-8") as file:
        file.write(belief)
    return belief


for _ in warm.cases():
    print(json.dumps({"believes": main(sys.argv[1] == "lock")}), flush=True)
