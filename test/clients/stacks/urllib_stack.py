"""Reads calls, one a line: method, address, Authorization, milliseconds of patience, body. Writes a line for each."""
import sys
import urllib.error
import urllib.request


def told(response):
    # A line for each; damaged bodies are no text.
    print(response.status, response.read().decode(errors="replace").replace("\n", " ").replace("\r", " "), flush=True)


for line in sys.stdin:
    method, url, authorization, patience, body = line.rstrip("\n").split("\t")
    headers = {"Authorization": authorization, "Content-Type": "application/json"}
    request = urllib.request.Request(url, body.encode() or None, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=int(patience) / 1000) as answer:
            told(answer)
    except urllib.error.HTTPError as error:
        told(error)
    except Exception as error:
        print("error", type(error).__name__, flush=True)
