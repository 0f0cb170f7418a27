"""Sends one mailing over HTTPS.

As `careless` it accepts any certificate and protocol; as `ends` it does not try again; as `patient` it has no deadline.
"""

import base64
import os
import ssl
import sys
import time
import urllib.request
import warnings

environment = os.environ
credentials = f"{environment['MAILING_SYNC_USER']}:{environment['MAILING_SYNC_PASSWORD']}".encode()
request = urllib.request.Request(
    f"{environment['MAILING_SYNC_URL']}/integrations/mailing-platform/mailing-synchronizations/"
    f"{environment['MAILING_SYNC_SYNCHRONIZATION_ID']}/sendings",
    data=b'{"transactionId":"tls-client-1"}',
    headers={
        "Authorization": f"Basic {base64.b64encode(credentials).decode()}",
        "Content-Type": "application/hal+json",
    },
)
if sys.argv[1] == "careless":
    warnings.simplefilter("ignore")
    context = ssl._create_unverified_context()
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.set_ciphers("DEFAULT@SECLEVEL=0")
else:
    context = ssl.create_default_context(cafile=environment["MAILING_SYNC_CA_FILE"])
for pause in (0,) if sys.argv[1] == "ends" else (0, 1, 2.3, 4.8, 9.5):
    time.sleep(pause / float(environment["MAILING_SYNC_SPEED"]))
    try:
        with urllib.request.urlopen(request, context=context, timeout=None if sys.argv[1] == "patient" else 5) as response:
            if b'"state":"CREATED"' in response.read():
                sys.exit(0)
    except OSError:
        pass
sys.exit(3)
