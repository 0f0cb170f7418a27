import java.io.*;
import java.net.*;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import java.util.regex.Pattern;
import java.util.stream.*;
import org.junit.jupiter.api.extension.*;

/**
 * mailing-sync-mock in tests with JUnit 5: one file to copy, for Java 17 or newer, without dependencies. Each test that has a
 * parameter of type {@code MailingSyncMock.Space} gets a space of its own:
 * <pre>
 * {@literal @}ExtendWith(MailingSyncMock.class)
 * class RetryTest {
 *     {@literal @}Test void repeatsWhenTheResponseIsLost(MailingSyncMock.Space space) {
 *         space.arm("reset-after");
 *         new MailingClient(space.url, space.user, space.password, space::advance).send(); // the client under test
 *         space.assertSentExactlyOnce();
 *     }
 * }</pre>
 * The mock is the one at MAILING_SERVICE_URL. Without this variable one is started for the whole run, by
 * MAILING_SYNC_MOCK_COMMAND or {@code npx --no -- mailing-sync-mock}, which downloads no package.
 * MAILING_SYNC_MOCK_TOKEN is its token, if it has one. */
@SuppressWarnings("unchecked") // JSON objects have values of any type
public final class MailingSyncMock implements ParameterResolver, AfterEachCallback {
    private static final ExtensionContext.Namespace SPACES = ExtensionContext.Namespace.create(MailingSyncMock.class);
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String TOKEN = Objects.requireNonNullElse(System.getenv("MAILING_SYNC_MOCK_TOKEN"), "");
    private static String shared = System.getenv("MAILING_SERVICE_URL");
    private static AssertionError failure; // of the start, which is tried once

    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        if (parameter.getParameter().getType() != Space.class) return false;
        if (test.getTestMethod().isPresent()) return true; // else all tests of the class would share it
        throw new ParameterResolutionException("A Space belongs to one test: take it as a parameter of the test or of @BeforeEach");
    }

    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        return test.getStore(SPACES).getOrComputeIfAbsent(Space.class, key -> new Space(url()), Space.class);
    }

    /** The space of a failed test stays while the mock runs: one of MAILING_SERVICE_URL runs on. */
    public void afterEach(ExtensionContext test) {
        var space = test.getStore(SPACES).get(Space.class, Space.class);
        var failed = test.getExecutionException().map(String::valueOf).orElse(null);
        if (space != null && failed == null) space.finish();
        else if (space != null && !failed.contains("Verdict on space") && !failed.startsWith("org.opentest4j.TestAborted"))
            System.err.println(test.getRequiredTestClass().getSimpleName() + ", " + test.getDisplayName() + " failed. " + space.verdictText(Map.of()));
    }

    /** The address of the mock of this run, which is started if need be and stops with this process. */
    public static synchronized String url() {
        if (failure != null) throw failure;
        if (shared == null || shared.isEmpty()) shared = start();
        return shared;
    }

    /** One isolated copy of the service: data, clock, scenario, record of requests and ledger of its own. */
    public static final class Space {
        public final String url, user, password = "demo";
        private Map<String, ?> end = Map.of();

        /** A private copy of space demo in the mock at this address, for one test. */
        public Space(String url) {
            this.url = url.replaceAll("/+$", "");
            if (!url.contains("://")) throw new AssertionError("MAILING_SERVICE_URL=" + url + " has no scheme: http://" + url);
            user = "demo+" + UUID.randomUUID();
            control("PUT", "", Map.of());
        }

        /** A control call of this space; the path follows /_mock/spaces/{space}. docs/control.md lists them. */
        public Map<String, Object> control(String method, String path, Object body) {
            return map(call(method, path, body, "application/json"));
        }
        /** Puts a scenario in force: its name, or a Map with its whole definition. */
        public void arm(Object scenario) { control("PUT", "/scenario", scenario instanceof String ? Map.of("name", scenario) : scenario); }
        /** Arms a one-shot fault: Map.of("on", "createSending", "phase", "after", "answer", Map.of("fault", "reset")). */
        public Map<String, Object> fault(Map<String, ?> rule) { return control("POST", "/faults", rule); }
        /** The space's time. */
        public String now() { return (String) control("GET", "/clock", null).get("now"); }
        /** Stops the clock at a date-time with a zone. */
        public void freeze(String at) { control("POST", "/clock", Map.of("freeze", true, "set", at)); }

        /** Moves the clock: seconds, a Duration, or a text such as "5m". What falls due on the way is done on return. */
        public void advance(Object by) {
            var words = by instanceof java.time.Duration length ? length.toMillis() + "ms" : by instanceof Number ? by + "s" : by;
            control("POST", "/clock", Map.of("advance", words));
            // The judge knows that a response was read if the next request comes 20 ms of real time later.
            new CompletableFuture<Void>().completeOnTimeout(null, 25, TimeUnit.MILLISECONDS).join();
        }

        /** What clients asked for and were told, the oldest first: requests(Map.of("operation", "createSending")). */
        public List<Map<String, Object>> requests() { return requests(Map.of()); }
        public List<Map<String, Object>> requests(Map<String, ?> filters) {
            var all = query(filters) + (filters.containsKey("limit") ? "" : "&limit=1000");
            return list(map(control("GET", "/requests" + all, null).get("_embedded")).get("requests"));
        }
        /** The ledger: what the platform really has, whatever clients were told. */
        public Map<String, Object> platform(Map<String, ?> filters) { return control("GET", "/platform" + query(filters), null); }

        /** The sendings that were sent to lists; of one synchronization, if one is named. */
        public List<Map<String, Object>> sent(String... synchronizationId) {
            Map<String, ?> filters = synchronizationId.length == 0 ? Map.of() : Map.of("synchronizationId", synchronizationId[0]);
            var all = list(platform(filters).get("sendings"));
            return all.stream().filter(it -> "list".equals(it.get("kind")) && "sent".equals(it.get("status"))).toList();
        }

        /** The judge's reading of the client. What only the test knows of its end: believes, expected, workers. */
        public Map<String, Object> verdict() { return verdict(Map.of()); }
        public Map<String, Object> verdict(Map<String, ?> end) { return control("GET", "/verdict" + query(end), null); }

        public void assertSentExactlyOnce(String... synchronizationId) { assertSent(1, synchronizationId); }

        /** So many sendings sent. */
        public void assertSent(int count, String... synchronizationId) {
            var sent = sent(synchronizationId);
            if (sent.size() == count) return;
            var lines = sent.stream().limit(20).map(it -> "\n  %s  \"%s\" to %s recipients, transactionId %s, request %s".formatted(
                it.get("startsAt"), it.get("subject"), it.get("recipients"), write(it.get("transactionId")), it.get("cause")));
            var more = sent.size() > 20 ? "\n  and " + (sent.size() - 20) + " more" : "";
            var of = synchronizationId.length == 0 ? "" : " of synchronization " + synchronizationId[0];
            fail("expected " + count + (count == 1 ? " sending" : " sendings") + of + " to be sent; sent: " + sent.size()
                + lines.collect(Collectors.joining("", "", more)), Map.of());
        }

        /** The client broke no rule. assertNoFindings(Map.of("believes", "sent")) says how it ended, which proves more. */
        public void assertNoFindings() { assertNoFindings(Map.of()); }
        public void assertNoFindings(Map<String, ?> end) {
            if (!"innocent".equals(verdict(end).get("outcome")))
                fail("expected no findings; the verdict is " + verdict(end).get("outcome"), end);
        }

        /** Every scenario and fault that is armed has fired. A test that disturbed nothing proves nothing. */
        public void assertFired() {
            var idle = list(verdict().get("unstruck")).stream().map(it -> it.get("what") + " " + it.get("name")).toList();
            if (!idle.isEmpty()) fail("expected to fire: " + String.join(", ", idle), Map.of());
        }

        /** How the test ends: Map.of("expected", 2) if two mailings are meant; "believes", "sent" if the client says so. */
        public void endWith(Map<String, ?> end) {
            verdict(end); // a wrong name or value is told here
            this.end = end;
        }

        /** The end of the test asks for no verdict. */
        public void ignoreVerdict() { end = null; }

        /** Ends a test that passed: fails if the client broke a rule or may have sent twice; else removes the space. */
        public void finish() {
            if (end != null) {
                var verdict = verdict(end);
                var harm = list(map(verdict.get("harm")).get("findings")).stream().anyMatch(it -> "certain".equals(it.get("status")));
                if ("guilty".equals(verdict.get("outcome")) || (harm && end.containsKey("believes")))
                    fail("the client broke rules of the service, or did harm", end);
                var twice = "the client may send one mailing more than once (sent so far: %s)".formatted(map(verdict.get("harm")).get("sent"));
                if (verdict.get("suspicion") instanceof String suspicion) fail(end.containsKey("expected") ? suspicion : twice, end);
            }
            control("DELETE", "", Map.of());
        }

        private void fail(String message, Map<String, ?> end) {
            throw new AssertionError(message + "\n\n" + verdictText(end));
        }

        private String verdictText(Map<String, ?> end) {
            return ((String) call("GET", "/verdict" + query(end), null, "text/plain"))
                .replace("in the address: ?believes=sent&expected=1", "in the test: endWith(Map.of(\"believes\", \"sent\", \"expected\", 1))");
        }

        private Object call(String method, String path, Object body, String accept) {
            var request = HttpRequest.newBuilder(URI.create(url + "/_mock/spaces/" + user + path))
                .headers("Accept", accept, "Content-Type", "application/json", "X-Mock-Token", TOKEN)
                .method(method, HttpRequest.BodyPublishers.ofString(body == null ? "" : write(body)));
            try {
                var response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
                var status = response.statusCode();
                if (status < 400) return accept.startsWith("text") ? response.body() : parse(response.body());
                throw new AssertionError("%s /spaces/%s%s was refused with %d: %s".formatted(method, user, path, status,
                    describeProblem(response.body()) + (status == 401 ? " (MAILING_SYNC_MOCK_TOKEN)" : "")));
            } catch (IOException | InterruptedException error) {
                var untrusted = "Java does not trust the certificate of the mock at " + url + ": see \"Kits\" in docs/https.md";
                var absent = "No mock answers at " + url + " (MAILING_SERVICE_URL). Start it: npm start";
                throw new AssertionError(error instanceof javax.net.ssl.SSLException ? untrusted : absent, error);
            }
        }
    }

    private static String start() {
        var given = Optional.ofNullable(System.getenv("MAILING_SYNC_MOCK_COMMAND")).filter(it -> !it.isEmpty());
        var command = given.orElse("npx --no -- mailing-sync-mock");
        try {
            var words = Pattern.compile("\"([^\"]*)\"|\\S+").matcher(command + " --in-memory --port 0 --stop-with-input").results()
                .map(it -> it.group(1) == null ? it.group() : it.group(1)).toList();
            var mock = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            var ready = mock.inputReader().lines().filter(it -> it.contains(" ready on ")).findFirst();
            if (ready.isPresent()) return ready.get().split(" ready on ")[1];
        } catch (IOException notThere) {} // as one that ends at once
        throw failure = new AssertionError("Could not start \"" + command + "\". Set MAILING_SERVICE_URL to a running mock; or build a clone "
            + "(npm ci && npm run build) and set MAILING_SYNC_MOCK_COMMAND=\"node /path/to/mailing-sync-mock/dist/main.js\"");
    }

    /** What is wrong, as "field: problem"; the whole text if it is no problem document. */
    private static String describeProblem(String text) throws IOException {
        if (!text.startsWith("{")) return text;
        var problem = map(parse(text));
        if (problem.containsKey("detail")) return (String) problem.get("detail");
        var fields = list(problem.get("invalidFields")).stream().map(it -> it.get("field") + ": " + it.get("problem"));
        return Stream.concat(fields, ((List<String>) problem.get("generalErrors")).stream()).collect(Collectors.joining("; "));
    }

    private static String query(Map<String, ?> parameters) {
        return parameters.entrySet().stream().map(it -> it.getKey() + "=" + URLEncoder.encode(String.valueOf(it.getValue()), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&", "?", ""));
    }
    static Map<String, Object> map(Object json) { return (Map<String, Object>) json; }
    static List<Map<String, Object>> list(Object json) { return (List<Map<String, Object>>) json; }

    /** JSON as Map, List, String, Long, Double, Boolean and null. */
    static Object parse(String json) throws IOException { return read(new StreamTokenizer(new StringReader(json))); }
    static Object read(StreamTokenizer json) throws IOException {
        switch (json.nextToken()) {
            case '"': return json.sval;
            case ':': return read(json);
            case '{':
                var map = new LinkedHashMap<String, Object>();
                while (json.nextToken() != '}')
                    if (json.ttype == '"') map.put(json.sval, read(json));
                return map;
            case '[':
                var list = new ArrayList<Object>();
                while (json.nextToken() != ']') {
                    if (json.ttype != ',') json.pushBack();
                    list.add(read(json));
                }
                return list;
            case StreamTokenizer.TT_NUMBER: return json.nval % 1 == 0 ? (Object) (long) json.nval : (Object) json.nval;
            default: return json.ttype == StreamTokenizer.TT_EOF || json.sval.equals("null") ? null : Boolean.valueOf(json.sval);
        }
    }

    private static String write(Object value) {
        if (value instanceof Map<?, ?> map)
            return map.entrySet().stream().map(it -> write(it.getKey()) + ":" + write(it.getValue())).collect(Collectors.joining(",", "{", "}"));
        if (value instanceof Collection<?> all) return all.stream().map(it -> write(it)).collect(Collectors.joining(",", "[", "]"));
        if (!(value instanceof String string)) return String.valueOf(value);
        return string.chars().mapToObj(it -> it < ' ' || it == '"' || it == '\\' ? "\\u%04x".formatted(it) : "" + (char) it).collect(Collectors.joining("", "\"", "\""));
    }
}
