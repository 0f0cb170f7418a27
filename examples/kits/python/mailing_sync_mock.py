"""mailing-sync-mock in tests of Python: one file to copy, without dependencies, for Python 3.9 or newer.

pytest: `pytest_plugins = ["mailing_sync_mock"]` in conftest.py gives each test that asks for `space` one of its own:

    def test_repeats_when_the_response_is_lost(space):
        space.arm("reset-after")
        send_mailing(space.url, space.user, space.password, wait=space.advance)  # the client under test
        space.assert_sent_exactly_once()

unittest: `space = MailingSyncMock.shared().space()` in setUp, `space.finish()` at the end of a test.

The mock is the one at MAILING_SERVICE_URL. Without this variable one is started for the whole run, which the workers of
pytest-xdist share: by MAILING_SYNC_MOCK_COMMAND, or `npx --no -- mailing-sync-mock`, which downloads no package.
MAILING_SYNC_MOCK_TOKEN is its token, if it has one.
"""

import atexit
import json
import os
import shlex
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

try:
    import pytest
except ImportError:  # unittest alone
    pytest = None

__tracebackhide__ = True  # pytest shows the line of the test, and none of this file
URL, COMMAND, TOKEN = "MAILING_SERVICE_URL", "MAILING_SYNC_MOCK_COMMAND", "MAILING_SYNC_MOCK_TOKEN"


class MailingSyncMock:
    """A mock that listens at `url`."""
    _failure = None  # of the start, which is tried once

    def __init__(self, url):
        self.url = url.rstrip("/")
        if "://" not in url:
            raise AssertionError(f"{URL}={url} has no scheme: http://{url}")

    @classmethod
    def shared(cls):
        """The mock at MAILING_SERVICE_URL, or one that is started now and stops with this process."""
        if not os.environ.get(URL):
            if cls._failure:
                raise AssertionError(cls._failure)
            os.environ[URL] = start()
        return cls(os.environ[URL])

    def space(self, **beginning):
        """A private copy of space demo, for one test. `beginning` is the body of PUT /_mock/spaces/{space}."""
        space = Space(self, f"demo+{uuid.uuid4()}")
        space.control("PUT", body=beginning)
        return space

    def control(self, method, path, body=None, accept="application/json"):
        """A control call; `path` follows /_mock. Gives the document, or the text if that was asked for."""
        headers = {"Accept": accept, "Content-Type": "application/json", "X-Mock-Token": os.environ.get(TOKEN, "")}
        data = None if method == "GET" else json.dumps(body or {}).encode()
        request = urllib.request.Request(f"{self.url}/_mock{path}", data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                text = response.read().decode()
        except urllib.error.HTTPError as error:
            problem = describe_problem(error.read().decode()) + (f" ({TOKEN})" if error.code == 401 else "")
            raise AssertionError(f"{method} {path} was refused with {error.code}: {problem}") from None
        except OSError as error:
            if "SSL" in str(error):
                raise AssertionError(f'Python does not trust the certificate of the mock at {self.url}: see "Kits" in docs/https.md') from None
            raise AssertionError(f"No mock answers at {self.url} ({URL}). Start it: npm start") from None
        return json.loads(text or "{}") if accept == "application/json" else text


class Space:
    """One isolated copy of the service: data, clock, scenario, record of requests and ledger of its own."""

    def __init__(self, mock, name):
        self.mock, self.url, self.name, self.user, self.password = mock, mock.url, name, name, "demo"
        self._end = {}

    def control(self, method, path="", body=None, accept="application/json"):
        """A control call of this space; `path` follows /_mock/spaces/{space}. docs/control.md lists them."""
        return self.mock.control(method, f"/spaces/{urllib.parse.quote(self.name)}{path}", body, accept)

    def arm(self, scenario):
        """Puts a scenario in force: its name, or a whole definition."""
        self.control("PUT", "/scenario", {"name": scenario} if isinstance(scenario, str) else scenario)

    def fault(self, rule):
        """Arms a one-shot fault: {"on": "createSending", "phase": "after", "answer": {"fault": "reset"}}."""
        return self.control("POST", "/faults", rule)

    def now(self):
        """The space's time."""
        return self.control("GET", "/clock")["now"]

    def freeze(self, at=None):
        """Stops the clock, at a date-time with a zone if one is given."""
        self.control("POST", "/clock", {"freeze": True, **({"set": at} if at else {})})

    def advance(self, by):
        """Moves the clock: seconds, or a duration such as "5m". What falls due on the way is done on return."""
        self.control("POST", "/clock", {"advance": by if isinstance(by, str) else f"{by:.3f}s"})
        time.sleep(0.025)  # the judge knows that a response was read if the next request comes 20 ms of real time later

    def requests(self, **filters):
        """What clients asked for and were told, the oldest first: requests(operation="createSending")."""
        return self._get("/requests", limit=1000, **filters)["_embedded"]["requests"]

    def platform(self, **filters):
        """The ledger: what the platform really has, whatever clients were told."""
        return self._get("/platform", **filters)

    def sent(self, synchronization_id=None):
        """The sendings that were sent to lists."""
        sendings = self.platform(synchronizationId=synchronization_id)["sendings"]
        return [it for it in sendings if it["kind"] == "list" and it["status"] == "sent"]

    def verdict(self, **end):
        """The judge's reading of the client. `end`, what only the test knows: believes, expected, workers."""
        return self._get("/verdict", **end)

    def assert_sent_exactly_once(self, synchronization_id=None):
        self.assert_sent(1, synchronization_id)

    def assert_sent(self, count, synchronization_id=None):
        """So many sendings sent."""
        sent = self.sent(synchronization_id)
        if len(sent) != count:
            lines = [
                f'  {it["startsAt"]}  "{it["subject"]}" to {it["recipients"]} recipients, '
                f'transactionId {json.dumps(it["transactionId"])}, request {it["cause"]}'
                for it in sent
            ]
            lines[20:] = [f"  and {len(sent) - 20} more"] if len(sent) > 20 else []
            what = f"{'sending' if count == 1 else 'sendings'}{f' of synchronization {synchronization_id}' if synchronization_id else ''}"
            self._fail("\n".join([f"expected {count} {what} to be sent; sent: {len(sent)}", *lines]))

    def assert_no_findings(self, **end):
        """The client broke no rule. assert_no_findings(believes="sent") says how it ended, which proves more."""
        outcome = self.verdict(**end)["outcome"]
        if outcome != "innocent":
            self._fail(f"expected no findings; the verdict is {outcome}", end)

    def assert_fired(self):
        """Every scenario and fault that is armed has fired. A test that disturbed nothing proves nothing."""
        if unstruck := self.verdict()["unstruck"]:
            self._fail("expected to fire: " + ", ".join(f'{it["what"]} {it["name"]}' for it in unstruck))

    def end_with(self, **end):
        """How the test ends: expected=2 if two mailings are meant; believes="sent" if that is what the client says."""
        self.verdict(**end)  # a wrong name or value is told here
        self._end = end

    def ignore_verdict(self):
        """The end of the test asks for no verdict."""
        self._end = None

    def finish(self):
        """Ends a test that passed: fails if the client broke a rule or may have sent twice; else removes the space."""
        if self._end is not None:
            verdict = self.verdict(**self._end)
            harm = "believes" in self._end and any(it["status"] == "certain" for it in verdict["harm"]["findings"])
            if verdict["outcome"] == "guilty" or harm:
                self._fail("the client broke rules of the service, or did harm", self._end)
            if suspicion := verdict["suspicion"]:
                twice = f'the client may send one mailing more than once (sent so far: {verdict["harm"]["sent"]})'
                self._fail(suspicion if "expected" in self._end else twice, self._end)
        self.control("DELETE")

    def _get(self, path, **query):
        query = {name: value for name, value in query.items() if value is not None}
        return self.control("GET", f"{path}?{urllib.parse.urlencode(query)}")

    def verdict_text(self, end=None):
        text = self.control("GET", f"/verdict?{urllib.parse.urlencode(end or {})}", accept="text/plain")
        return text.replace("in the address: ?believes=sent&expected=1", 'in the test: end_with(believes="sent", expected=1)')

    def _fail(self, message, end=None):
        raise AssertionError(f"{message}\n\n{self.verdict_text(end)}")


def describe_problem(text):
    """What is wrong, as `field: problem`; the whole text if it is no problem document."""
    if not text.startswith("{"):
        return text
    problem = json.loads(text)
    fields = [f'{it["field"]}: {it["problem"]}' for it in problem.get("invalidFields", [])]
    return problem.get("detail") or "; ".join(fields + problem["generalErrors"])


def start():
    """Starts a mock, and gives its address once it is ready."""
    command = os.environ.get(COMMAND) or "npx --no -- mailing-sync-mock"
    failure = f'Could not start "{command}". Set {URL} to a running mock; or build a clone (npm ci && npm run build) '
    failure += f'and set {COMMAND}="node /path/to/mailing-sync-mock/dist/main.js"'
    MailingSyncMock._failure = failure
    try:
        words = [*shlex.split(command), "--in-memory", "--port", "0", "--stop-with-input"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    except (OSError, ValueError):
        raise AssertionError(failure) from None
    atexit.register(stop, process)
    for line in process.stdout:
        if " ready on " in line:
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return line.split(" ready on ")[1].strip()
    raise AssertionError(failure)


def stop(process):
    process.stdin.close()
    process.wait(30)


if pytest:

    def pytest_configure(config):
        # Workers of xdist inherit the variable. Without xdist the first test that asks for a space starts the mock.
        if getattr(config.option, "numprocesses", None) and not config.option.collectonly:
            try:
                MailingSyncMock.shared()
            except AssertionError as error:
                raise pytest.UsageError(str(error)) from None

    @pytest.fixture
    def space(request):
        """A space for this test alone. That of a failed test stays while the mock runs: one of MAILING_SERVICE_URL runs on."""
        request.node.mailing_space = MailingSyncMock.shared().space()
        return request.node.mailing_space

    @pytest.hookimpl(trylast=True)  # after the test itself, and only if that passed: what fails here fails the test
    def pytest_runtest_call(item):
        if hasattr(item, "mailing_space"):
            item.mailing_space.finish()

    @pytest.hookimpl(hookwrapper=True)  # the verdict beside a failure of the test's own
    def pytest_runtest_makereport(item, call):
        report = (yield).get_result()
        if report.failed and hasattr(item, "mailing_space") and "Verdict on space" not in str(call.excinfo and call.excinfo.value):
            try:
                report.sections.append(("mailing-sync-mock", item.mailing_space.verdict_text()))
            except AssertionError as error:
                report.sections.append(("mailing-sync-mock", str(error)))
