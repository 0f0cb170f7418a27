"""tenacity around urllib.request: it repeats whatever raises, refusals too, and takes any 2xx for "sent". Needs `pip install tenacity`."""

import base64
import json
import os
import sys
import urllib.request
import uuid

from tenacity import retry, stop_after_attempt, wait_exponential

synchronization = os.environ["MAILING_SYNC_SYNCHRONIZATION_ID"]
path = f"/integrations/mailing-platform/mailing-synchronizations/{synchronization}/sendings"
credentials = f"{os.environ['MAILING_SYNC_USER']}:{os.environ['MAILING_SYNC_PASSWORD']}"
headers = {
    "Authorization": "Basic " + base64.b64encode(credentials.encode()).decode(),
    "Content-Type": "application/hal+json",
}


@retry(stop=stop_after_attempt(5), wait=wait_exponential(multiplier=1, max=30))
def send(body):
    request = urllib.request.Request(os.environ["MAILING_SYNC_URL"] + path, body, headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        response.read()


try:
    send(json.dumps({"transactionId": str(uuid.uuid4())}).encode())
    sys.exit(0)
except Exception:
    sys.exit(1)
