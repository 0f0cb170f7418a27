"""A client for the recipe beside it; yours stands in its place."""

import base64
import http.client
import json
import urllib.error
import urllib.request
import uuid


def send_mailing(url, user, password, wait, synchronization_id, timeout=30):
    """Repeats with the same transaction ID while the response is lost or PENDING, for five minutes at most."""
    credentials = base64.b64encode(f"{user}:{password}".encode()).decode()
    request = urllib.request.Request(
        f"{url}/integrations/mailing-platform/mailing-synchronizations/{synchronization_id}/sendings",
        data=json.dumps({"transactionId": str(uuid.uuid4())}).encode(),
        headers={"Authorization": f"Basic {credentials}", "Content-Type": "application/hal+json"},
    )
    waited, pause = 0, 1
    while waited < 300:
        try:
            with urllib.request.urlopen(request, timeout=timeout) as response:
                state = json.load(response)["state"]
            if state != "PENDING":
                return state
        except urllib.error.HTTPError as error:
            if error.code < 500:
                return f"refused with {error.code}"
        except (OSError, http.client.HTTPException):
            pass  # lost: only a repeat tells
        wait(pause)
        waited, pause = waited + pause, min(2 * pause, 20)
    return "UNKNOWN"
