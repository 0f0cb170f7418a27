"""urllib3's Retry with POST among its methods: it repeats lost connections and the statuses that it is given. Needs `pip install urllib3`."""

import json
import os
import sys
import uuid

import urllib3

retry = urllib3.Retry(total=4, backoff_factor=1, status_forcelist=[429, 500, 502, 503, 504], allowed_methods=None)
pool = urllib3.PoolManager(retries=retry, timeout=30.0)
synchronization = os.environ["MAILING_SYNC_SYNCHRONIZATION_ID"]
path = f"/integrations/mailing-platform/mailing-synchronizations/{synchronization}/sendings"
credentials = f"{os.environ['MAILING_SYNC_USER']}:{os.environ['MAILING_SYNC_PASSWORD']}"
headers = {**urllib3.make_headers(basic_auth=credentials), "Content-Type": "application/hal+json"}
try:
    body = json.dumps({"transactionId": str(uuid.uuid4())})
    response = pool.request("POST", os.environ["MAILING_SYNC_URL"] + path, body=body, headers=headers)
    sys.exit(0 if response.status < 300 else 1)
except urllib3.exceptions.HTTPError:
    sys.exit(1)
