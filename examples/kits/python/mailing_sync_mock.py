"""mailing-sync-mock in tests of Python: one file to copy, without dependencies, for Python 3.9 or newer.

pytest: `pytest_plugins = ["mailing_sync_mock"]` in conftest.py gives each test that asks for `space` one of its own:

    def test_repeats_when_the_response_is_lost(space):
        space.arm("reset-after")
        send_mailing(space.url, space.user, space.password, wait=space.advance)  # the client under test
        space.assert_sent_exactly_once()

unittest: `space = MailingSyncMock.shared().space()` in setUp, `space.finish()` at the end of a test.

The mock is the one at MAILING_SYNC_URL. Without this variable one is started for the whole run, which the workers of
pytest-xdist share: by MAILING_SYNC_MOCK_COMMAND, or `npx --no --offline --silent -- mailing-sync-mock`, which downloads no package.
MAILING_SYNC_MOCK_TOKEN is its token, if it has one. It has MAILING_SYNC_MOCK_START_TIMEOUT seconds to become ready, 60 by default.
A test of pytest that fails leaves a capsule in test-results, or in the folder MAILING_SYNC_MOCK_CAPSULES; `off` there keeps none.
"""

import atexit, http.client, itertools, json, os, queue, re, shlex, socket, subprocess, threading, time, urllib.request, uuid
from datetime import datetime
from urllib.parse import quote, urlencode, urlsplit

try:
    import pytest
except ImportError:  # unittest alone
    pytest = None

__tracebackhide__ = True  # pytest shows the line of the test, and none of this file
URL, COMMAND, TOKEN = "MAILING_SYNC_URL", "MAILING_SYNC_MOCK_COMMAND", "MAILING_SYNC_MOCK_TOKEN"
LIMIT, CAPSULES = "MAILING_SYNC_MOCK_START_TIMEOUT", "MAILING_SYNC_MOCK_CAPSULES"
ONE_WORKER = {"workers": 1}  # of a test, which has no other unless it says so
WRONG = f"Correct {URL}, or unset it: then the kit starts a mock"


class MailingSyncMock:
    """A mock that listens at `url`."""
    _failure = None  # of the start, which is tried once

    def __init__(self, url):
        self.url = re.sub(r"(/_mock|/integrations.*)?/*$", "", url)
        if not re.fullmatch(r"https?://[^\s/?#][^\s?#]*", self.url):
            raise AssertionError(f"{URL}={url} is no address such as http://localhost:4025")

    @classmethod
    def shared(cls):
        """The mock at MAILING_SYNC_URL, or one that is started now and stops with this process."""
        if not os.environ.get(URL):
            if cls._failure:
                raise AssertionError(cls._failure)
            os.environ[URL] = os.environ.get("MAILING_SERVICE_URL") or start()  # its older name
        return cls(os.environ[URL])

    def space(self, **beginning):
        """A private space, a copy of space demo, for one test. `beginning` is the body of PUT /_mock/spaces/{space}."""
        return Space(self.url, beginning)

    def space_of(self, test):
        """The same, named after a test, so that it is found again on the pages."""
        return Space(self.url, {}, test)


class Space:
    """One isolated copy of the service: data, clock, scenario, record of requests and ledger of its own."""
    def __init__(self, url, beginning, test=""):
        name = re.sub("[^a-z0-9]+", "-", test.lower()).strip("-")[:60]
        self.url, self.user, self.password = url, f"demo+{name}{name and '.'}{uuid.uuid4()}", "demo"
        self._end, self._is_over, self.refusal = {}, False, None  # how the last control call failed
        space = self.control("PUT", body=beginning)
        if not isinstance(space, dict) or space.get("name") != self.user:
            raise AssertionError(f"{url} is not a mailing-sync-mock: it answered PUT /_mock/spaces/{self.user} with no space. {WRONG}")

    def control(self, method, path="", body=None, accept="application/json"):
        """A control call of this space; `path` follows /_mock/spaces/{space}. docs/control.md lists them."""
        headers = {"Accept": accept, "Content-Type": "application/json", "X-Mock-Token": os.environ.get(TOKEN, "")}
        data = None if method == "GET" else json.dumps(body or {}).encode()
        path = f"/_mock/spaces/{self.user}{quote(path, safe='/?=&%:+,;.~-')}"
        try:
            request = urllib.request.Request(self.url + path, data, headers, method=method)
            with urllib.request.build_opener(urllib.request.ProxyHandler(proxies_for(self.url))).open(request, timeout=30) as response:
                status, text = response.status, response.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode(errors="replace")
        except (OSError, OverflowError, ValueError) as error:
            status, text = None, describe_silence(self.url, getattr(error, "reason", error))
        except http.client.HTTPException:
            status, text = "something that is not HTTP", ""
        if status in range(200, 300) and (accept == "text/plain" or text[:1] in ("", "{")):
            if path.endswith(self.user):
                self._is_over = method == "DELETE"  # by the test itself: there is nothing more to end
            return text if accept == "text/plain" else json.loads(text or "{}")
        if "/_mock/problems/" in text:
            problem = json.loads(text)
            fields = [f'{it["field"]}: {it["problem"]}' for it in problem.get("invalidFields", [])]
            text = problem.get("detail") or "; ".join(fields + problem["generalErrors"])
            text += f" ({method} {path} was refused with {status}{f'; set {TOKEN}' if status == 401 else ''})"
        elif status:
            text = f"{self.url} is not a mailing-sync-mock: it answered {method} {path} with {status}. {WRONG}{describe_proxy(self.url)}"
        self.refusal = text
        raise AssertionError(text)

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

    def wait(self, seconds):
        """The same for a client, as in examples/clients/python/warm.py: returns the time, in seconds since 1970. wait(0) is now."""
        if seconds > 0:
            self.advance(seconds)
        return datetime.fromisoformat(self.now().replace("Z", "+00:00")).timestamp()

    def requests(self, **filters):
        """What clients asked for and were told, the oldest first: requests(operation="createSending")."""
        return self._get("/requests", **{"limit": 1000, **filters})["_embedded"]["requests"]
    def platform(self, **filters):
        """The ledger: what the platform really has, whatever clients were told."""
        return self._get("/platform", **filters)
    def sent(self, synchronization_id=None):
        """The sendings that were sent to lists."""
        sendings = self.platform(synchronizationId=synchronization_id, limit=10000)["sendings"]
        return [it for it in sendings if it["kind"] == "list" and it["status"] == "sent"]
    def verdict(self, **end):
        """The judge's reading of the client. `end`, what only the test knows: believes, expected, workers (1 unless given)."""
        return self._get("/verdict", **{**ONE_WORKER, **end})
    def assert_sent_exactly_once(self, synchronization_id=None):
        self.assert_sent(1, synchronization_id)
    def assert_sent(self, count, synchronization_id=None):
        """So many sendings sent."""
        sent = self.sent(synchronization_id)
        if len(sent) != count:
            lines = [f"expected {count} {'sending' if count == 1 else 'sendings'}"]
            lines[0] += f"{f' of synchronization {synchronization_id}' if synchronization_id else ''} to be sent; sent: {len(sent)}"
            for it in sent[:20]:
                transaction = f'transactionId {json.dumps(it["transactionId"])}, request {it["cause"]}'
                lines.append(f'  {it["startsAt"]}  "{it["subject"]}" to {it["recipients"]} recipients, {transaction}')
            self._fail("\n".join(lines + ([f"  and {len(sent) - 20} more"] if len(sent) > 20 else [])))

    def assert_no_findings(self, **end):
        """The client broke no rule. assert_no_findings(believes="sent") says how it ended, which proves more."""
        end = end or self._end or {}
        verdict = self.verdict(**end)
        doubt = "the verdict is open" if verdict["outcome"] != "innocent" else "nothing is proved" if "hint" in verdict else None
        if reason := verdict["failure"] or doubt:
            self._fail(f"expected no findings; {reason}", end)

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
        if self._is_over:
            return
        if self._end is not None and (failure := self.verdict(**self._end)["failure"]):
            self._fail(failure, self._end)
        self.control("DELETE")

    def _get(self, path, **query):
        query = {name: {True: "true", False: "false"}[it] if isinstance(it, bool) else it for name, it in query.items() if it is not None}
        return self.control("GET", f"{path}?{urlencode(query)}")

    def verdict_text(self, end=None):
        text = self.control("GET", f"/verdict?{urlencode({**ONE_WORKER, **(end or self._end or {})})}", accept="text/plain")
        pattern = r"(Tell the judge how the client ended: )append .*\n(.*\n)([\s\S]*)"  # it comes last: what to do in the client is above
        return re.sub(pattern, r'\3\n\1space.end_with(believes="sent", expected=1)\n\2', text)
    def capsule(self):
        """All that happened in the space, as the text of a file that `mailing-sync-mock open` shows on another machine."""
        return self.control("GET", "/capsule", accept="text/plain")
    def keep_capsule(self, test):
        """Writes the capsule of a failed test, and gives a sentence that says where it is; none with MAILING_SYNC_MOCK_CAPSULES=off."""
        folder = os.environ.get(CAPSULES) or "test-results"
        if folder == "off":
            return ""
        file = os.path.join(folder, re.sub("[^a-z0-9]+", "-", test.lower()).strip("-")[:120] + ".capsule.json")
        try:
            text = self.capsule()
            os.makedirs(folder, exist_ok=True)
            with open(file, "w", encoding="utf-8") as out:
                out.write(text)
        except (AssertionError, OSError) as error:
            return f"\n\nNo capsule was kept: {error}"
        command = os.environ.get(COMMAND, "").replace(" --no --offline --silent --", "").split(" --")[0]
        if os.environ.get("CI") == "true":  # of this machine nothing will be left
            program = command if command.startswith("npx ") else "in a clone of mailing-sync-mock, npm start --"
            there = shlex.quote(f"/path/to/{os.path.basename(file)}")
            return f"\n\nTo see it on any machine, take the file in {folder} there: {program} open {there}"
        here = shlex.quote(os.path.abspath(file))
        look = f" here: {command} open {shlex.quote(file)}" if command else f": {self.url}/_mock/spaces/{self.user}/sendings"
        return f"\n\nTo see it{look}\nOn any machine, in a clone of mailing-sync-mock: npm start -- open {here}"
    def _fail(self, message, end=None):
        raise AssertionError(f"{message}\n\n{self.verdict_text(end)}")


def describe_silence(url, reason):
    if "SSL" in str(reason):
        return f'Python does not trust the certificate of the mock at {url}: see "Kits" in docs/https.md. If it speaks HTTP, write http://'
    known = {ConnectionRefusedError: "the connection was refused", socket.gaierror: "there is no host of this name"}
    reason = known.get(type(reason), reason)
    return f"No mock answers at {url} ({URL}): {reason}. Start mailing-sync-mock there, or unset {URL}: then the kit starts one{describe_proxy(url)}"


def proxies_for(url):
    """The proxies of the environment, and none for a mock on this machine, which a proxy does not reach."""
    host = urlsplit(url).hostname or ""
    is_here = re.fullmatch(r"(.+\.)?localhost\.?|127(\.\d+){3}|::1", host)
    return {} if is_here or urllib.request.proxy_bypass(host) else urllib.request.getproxies()


def describe_proxy(url):
    proxy = proxies_for(url).get(urlsplit(url).scheme)
    known = re.sub("//[^/]*@", "//", proxy or "")  # without its password
    return f". The proxy {known} of the environment was asked: NO_PROXY={urlsplit(url).hostname} goes without it" if proxy else ""


def start():
    """Starts a mock, and gives its address once it is ready."""
    command, limit = os.environ.get(COMMAND) or "npx --no --offline --silent -- mailing-sync-mock", os.environ.get(LIMIT) or "60"
    os.environ[COMMAND] = command  # by which a capsule is opened, too; workers of xdist inherit it
    if not re.fullmatch(r"\d+(\.\d+)?", limit):
        MailingSyncMock._failure = f"{LIMIT}={limit} is not a number of seconds"
        raise AssertionError(MailingSyncMock._failure)
    lines, last, deadline = queue.Queue(), "nothing", time.monotonic() + float(limit)
    try:
        words = [*shlex.split(command), "--in-memory", "--port", "0", "--stop-with-input"]
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # The thread reads on after the start, so that the mock never waits for a reader. "" is the end.
        threading.Thread(target=lambda: [lines.put(it) for it in itertools.chain(process.stdout, [""])], daemon=True).start()
        while line := lines.get(timeout=max(0, deadline - time.monotonic())):
            if " ready on " in line:
                atexit.register(lambda: (process.stdin.close(), process.wait(30)))
                return line.split(" ready on ")[1].strip()
            last = f'last "{line.strip()}"' if line.strip() else last
        reason = f"it ended with code {process.wait(max(0, deadline - time.monotonic()))}"
    except ValueError:
        reason = "a quote in it is not closed"
    except OSError:
        reason = f'the program "{words[0]}" does not exist or may not be executed'
    except (queue.Empty, subprocess.TimeoutExpired):
        process.stdin.close()
        process.kill()
        reason = f"it did not become ready within {limit} s, and printed {last}"
    MailingSyncMock._failure = (
        f'Could not start "{command}": {reason}. Set {URL} to a running mock; or build a clone (npm ci && npm run build) '
        f'and set {COMMAND}="node /path/to/mailing-sync-mock/dist/main.js"'
    )
    raise AssertionError(MailingSyncMock._failure)


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
        """A space for this test alone. That of a failed test stays while the mock runs: one of MAILING_SYNC_URL runs on."""
        request.node.mailing_space = tell(lambda: MailingSyncMock.shared().space_of(request.node.name))
        return request.node.mailing_space
    def tell(call):
        """Calls it. Of its failure pytest shows the message alone, and no line of this file."""
        __tracebackhide__ = False  # with all lines hidden, pytest would say so below the message
        try:
            return call()
        except AssertionError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
    @pytest.hookimpl(trylast=True)  # after the test itself, and only if that passed: what fails here fails the test
    def pytest_runtest_call(item):
        if hasattr(item, "mailing_space"):
            tell(item.mailing_space.finish)
    @pytest.hookimpl(hookwrapper=True)  # the verdict beside a failure of the test's own
    def pytest_runtest_makereport(item, call):
        report, space = (yield).get_result(), getattr(item, "mailing_space", None)
        message = str(call.excinfo and call.excinfo.value)
        # In CI pytest repeats the whole message in its short summary.
        if "Verdict on space" in message and (crash := getattr(report.longrepr, "reprcrash", None)):
            crash.message = crash.message.partition("\n")[0]
        # After a control call that failed, a verdict would lead astray.
        if report.failed and space and message != space.refusal:
            try:
                text = "" if "Verdict on space" in message else space.verdict_text()
            except AssertionError as error:
                text = str(error)
            if text := (text + space.keep_capsule(item.nodeid)).strip():
                report.sections.append(("mailing-sync-mock", text))
