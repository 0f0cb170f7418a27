"""Reads calls, one a line: method, address, Authorization, milliseconds of patience, body. Writes a line for each."""
import sys
import urllib.error
import urllib.request

for line in sys.stdin:
    method, url, authorization, patience, body = line.rstrip("\n").split("\t")
    headers = {"Authorization": authorization, "Content-Type": "application/json"}
    request = urllib.request.Request(url, body.encode() or None, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=int(patience) / 1000) as answer:
            print(answer.status, answer.read().decode(), flush=True)
    except urllib.error.HTTPError as error:
        print(error.code, error.read().decode(), flush=True)
    except Exception as error:
        print("error", type(error).__name__, flush=True)
