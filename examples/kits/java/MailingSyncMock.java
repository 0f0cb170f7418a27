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
 * The mock is the one at MAILING_SYNC_URL. Without it one is started for the whole run, by MAILING_SYNC_MOCK_COMMAND or
 * {@code npx --no --offline --silent -- mailing-sync-mock}, which downloads no package; it has MAILING_SYNC_MOCK_START_TIMEOUT seconds (60) to become ready.
 * MAILING_SYNC_MOCK_TOKEN is its token, if it has one. HttpURLConnection repeats a POST by itself: see the README of the kits. A test
 * that fails leaves a capsule in test-results, or in the folder MAILING_SYNC_MOCK_CAPSULES; {@code off} there keeps none. */
@SuppressWarnings("unchecked") // JSON objects have values of any type
public final class MailingSyncMock implements ParameterResolver, AfterEachCallback {
    private static final ExtensionContext.Namespace SPACES = ExtensionContext.Namespace.create(MailingSyncMock.class);
    private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String TOKEN = setting("MAILING_SYNC_MOCK_TOKEN", "");
    private static String shared = given();
    private static AssertionError failure; // of the start, which is tried once
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        if (parameter.getParameter().getType() != Space.class) return false;
        if (test.getTestMethod().isPresent()) return true; // else all tests of the class would share it
        throw new ParameterResolutionException("A Space belongs to one test: take it as a parameter of the test or of @BeforeEach");
    }
    public Object resolveParameter(ParameterContext parameter, ExtensionContext test) {
        var store = test.getStore(SPACES);
        try { if (store.get(Space.class) == null) store.put(Space.class, new Space(url(), test.getDisplayName())); }
        catch (AssertionError failed) { throw new ParameterResolutionException(failed.getMessage()); } // JUnit repeats no message of this kind
        return store.get(Space.class);
    }
    /** The space of a failed test stays while the mock runs: one of MAILING_SYNC_URL runs on. */
    public void afterEach(ExtensionContext test) {
        var failed = test.getExecutionException().orElse(null);
        var space = test.getStore(SPACES).get(Space.class, Space.class);
        if (space == null) return;
        if (failed == null) try { space.finish(); return; } catch (AssertionError judged) { failed = judged; }
        var isTold = String.valueOf(failed).contains("Verdict on space");
        if (!failed.toString().startsWith("org.opentest4j.TestAborted") && !space.refusal.equals(failed.getMessage())) { // after this a verdict would lead astray
            var name = test.getTestClass().map(Class::getSimpleName).orElse("") + " " + test.getDisplayName();
            var more = new AssertionError(((isTold ? "" : space.verdictText(space.stated())) + space.keepCapsule(name)).strip());
            more.setStackTrace(new StackTraceElement[0]);
            if (!more.getMessage().isEmpty()) failed.addSuppressed(more);
        }
        if (test.getExecutionException().isEmpty()) throw (AssertionError) failed;
    }
    /** The address of the mock of this run, which is started if need be and stops with this process. */
    public static synchronized String url() {
        if (failure != null) throw failure;
        if (shared == null) shared = start();
        return shared;
    }
    /** One isolated copy of the service: data, clock, scenario, record of requests and ledger of its own. */
    public static final class Space {
        public final String url, user, password = "demo";
        private Map<String, ?> end = Map.of();
        private String refusal = ""; // how the last control call failed
        private boolean isOver; // by the test itself: there is nothing more to end
        /** A private space, a copy of space demo in the mock at this address, for one test. */
        public Space(String url) { this(url, ""); }
        /** The same, named after a test, so that it is found again on the pages. */
        public Space(String url, String test) {
            this.url = url.replaceAll("(/_mock|/integrations.*)?/*$", "");
            if (!this.url.matches("https?://[^\\s/?#][^\\s?#]*")) throw new AssertionError("MAILING_SYNC_URL=" + url + " is no address such as http://localhost:4025");
            var name = test.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
            user = "demo+" + name.substring(0, Math.min(60, name.length())) + (name.isEmpty() ? "" : ".") + UUID.randomUUID();
            var space = control("PUT", "", Map.of());
            if (space == null || !user.equals(space.get("name"))) throw new AssertionError(this.url + " is not a mailing-sync-mock: it answered PUT /_mock/spaces/" + user + " with no space. Correct MAILING_SYNC_URL, or unset it: then the kit starts a mock");
        }
        /** A control call of this space; the path follows /_mock/spaces/{space}. docs/control.md lists them. */
        public Map<String, Object> control(String method, String path, Object body) {
            var answer = map(call(method, path, body, "application/json"));
            if (path.isEmpty()) isOver = method.equals("DELETE");
            return answer;
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
        public void advance(Number seconds) { advance(Math.round(seconds.doubleValue() * 1000) + "ms"); }
        public void advance(java.time.Duration by) { advance(by.toMillis() + "ms"); }
        public void advance(String by) {
            control("POST", "/clock", Map.of("advance", by));
            // The judge knows that a response was read if the next request comes 20 ms of real time later.
            new CompletableFuture<Void>().completeOnTimeout(null, 25, TimeUnit.MILLISECONDS).join();
        }
        /** The same for a client, as Warm in examples/clients/java: returns the time, in ms since 1970. await(0) is now. */
        public double await(double milliseconds) {
            if (milliseconds > 0) advance(Math.round(milliseconds) + "ms");
            return java.time.Instant.parse(now()).toEpochMilli();
        }
        /** What clients asked for and were told, the oldest first: requests(Map.of("operation", "createSending")). */
        public List<Map<String, Object>> requests() { return requests(Map.of()); }
        public List<Map<String, Object>> requests(Map<String, ?> filters) {
            var path = "/requests" + query(filters) + (filters.containsKey("limit") ? "" : "&limit=1000");
            return list(map(control("GET", path, null).get("_embedded")).get("requests"));
        }
        /** The ledger: what the platform really has, whatever clients were told. */
        public Map<String, Object> platform() { return platform(Map.of()); }
        public Map<String, Object> platform(Map<String, ?> filters) { return control("GET", "/platform" + query(filters), null); }
        /** The sendings that were sent to lists; of one synchronization, if one is named. */
        public List<Map<String, Object>> sent(String... synchronizationId) {
            Map<String, ?> filters = synchronizationId.length == 0 ? Map.of("limit", 10000) : Map.of("limit", 10000, "synchronizationId", synchronizationId[0]);
            return list(platform(filters).get("sendings")).stream().filter(it -> "list".equals(it.get("kind")) && "sent".equals(it.get("status"))).toList();
        }
        /** The judge's reading of the client. What only the test knows of its end: believes, expected, workers (1 unless given). */
        public Map<String, Object> verdict() { return verdict(Map.of()); }
        public Map<String, Object> verdict(Map<String, ?> end) { return control("GET", "/verdict" + query(ofOneWorker(end)), null); }
        public void assertSentExactlyOnce(String... synchronizationId) { assertSent(1, synchronizationId); }
        /** So many sendings sent. */
        public void assertSent(int count, String... synchronizationId) {
            var sent = sent(synchronizationId);
            if (sent.size() == count) return;
            var lines = sent.stream().limit(20).map(it -> "\n  %s  \"%s\" to %s recipients, transactionId %s, request %s".formatted(
                it.get("startsAt"), it.get("subject"), it.get("recipients"), write(it.get("transactionId")), it.get("cause")));
            var more = sent.size() > 20 ? "\n  and " + (sent.size() - 20) + " more" : "";
            var of = (count == 1 ? " sending" : " sendings") + (synchronizationId.length == 0 ? "" : " of synchronization " + synchronizationId[0]);
            fail("expected " + count + of + " to be sent; sent: " + sent.size() + lines.collect(Collectors.joining("", "", more)), stated());
        }
        /** The client broke no rule. assertNoFindings(Map.of("believes", "sent")) says how it ended, which proves more. */
        public void assertNoFindings() { assertNoFindings(stated()); }
        public void assertNoFindings(Map<String, ?> end) {
            var verdict = verdict(end);
            var doubt = !"innocent".equals(verdict.get("outcome")) ? "the verdict is open" : verdict.containsKey("hint") ? "nothing is proved" : null;
            var reason = verdict.get("failure") == null ? doubt : verdict.get("failure");
            if (reason != null) fail("expected no findings; " + reason, end);
        }
        /** Every scenario and fault that is armed has fired. A test that disturbed nothing proves nothing. */
        public void assertFired() {
            var idle = list(verdict().get("unstruck")).stream().map(it -> it.get("what") + " " + it.get("name")).toList();
            if (!idle.isEmpty()) fail("expected to fire: " + String.join(", ", idle), stated());
        }
        /** How the test ends: Map.of("expected", 2) if two mailings are meant; "believes", "sent" if the client says so. */
        public void endWith(Map<String, ?> end) { verdict(end); this.end = end; } // a wrong name or value is told here
        /** The end of the test asks for no verdict. */
        public void ignoreVerdict() { end = null; }
        /** Ends a test that passed: fails if the client broke a rule or may have sent twice; else removes the space. */
        public void finish() {
            var failure = isOver || end == null ? null : verdict(end).get("failure");
            if (failure != null) fail((String) failure, end);
            if (!isOver) control("DELETE", "", Map.of());
        }
        private static Map<String, ?> ofOneWorker(Map<String, ?> end) {
            var told = new HashMap<String, Object>(Map.of("workers", 1)); // a test has one, unless it says how many
            told.putAll(end);
            return told;
        }
        private Map<String, ?> stated() { return end == null ? Map.of() : end; }
        private void fail(String message, Map<String, ?> end) { throw new AssertionError(message + "\n\n" + verdictText(end)); }
        private String verdictText(Map<String, ?> end) {
            var pattern = "(Tell the judge how the client ended: )append .*\n(.*\n)([\\s\\S]*)"; // it comes last: what to do in the client is above
            return ((String) call("GET", "/verdict" + query(ofOneWorker(end)), null, "text/plain"))
                .replaceFirst(pattern, "$3\n$1space.endWith(Map.of(\"believes\", \"sent\", \"expected\", 1))\n$2");
        }
        /** All that happened in the space, as the text of a file that {@code mailing-sync-mock open} shows on another machine. */
        public String capsule() { return (String) call("GET", "/capsule", null, "text/plain"); }
        /** Writes the capsule of a failed test. Returns a sentence that says where it is; none with MAILING_SYNC_MOCK_CAPSULES=off. */
        public String keepCapsule(String test) {
            var folder = setting("MAILING_SYNC_MOCK_CAPSULES", "test-results");
            if (folder.equals("off")) return "";
            var name = test.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
            var file = java.nio.file.Path.of(folder, name.substring(0, Math.min(120, name.length())) + ".capsule.json");
            try {
                var text = capsule();
                java.nio.file.Files.createDirectories(file.getParent());
                java.nio.file.Files.writeString(file, text);
                var command = setting("MAILING_SYNC_MOCK_COMMAND", given() == null ? "npx mailing-sync-mock" : "").replace(" --no --offline --silent --", "").split(" --")[0];
                var program = command.startsWith("npx ") ? command : "in a clone of mailing-sync-mock, npm start --";
                // Of this machine nothing will be left.
                if (setting("CI", "").equals("true")) return "\n\nTo see it on any machine, take the file in " + folder + " there: " + program + " open \"/path/to/" + file.getFileName() + "\"";
                var look = !command.isEmpty() ? " here: " + command + " open \"" + file + "\"" : ": " + url + "/_mock/spaces/" + user + "/sendings";
                return "\n\nTo see it" + look + "\nOn any machine, in a clone of mailing-sync-mock: npm start -- open \"" + file.toAbsolutePath() + "\"";
            } catch (IOException | AssertionError error) { return "\n\nNo capsule was kept: " + error.getMessage(); }
        }
        private Object call(String method, String path, Object body, String accept) {
            var target = "/_mock/spaces/" + user + path.replace(" ", "%20");
            var foreign = "%s is not a mailing-sync-mock: it answered %s %s with ".formatted(url, method, target);
            try {
                var request = HttpRequest.newBuilder(URI.create(url + target)).timeout(java.time.Duration.ofSeconds(30))
                    .headers("Accept", accept, "Content-Type", "application/json", "X-Mock-Token", TOKEN)
                    .method(method, HttpRequest.BodyPublishers.ofString(body == null ? "" : write(body)));
                var response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
                var status = response.statusCode();
                var text = response.body();
                if (status / 100 == 2 && accept.startsWith("text")) return text;
                if (status / 100 == 2 && (text.isEmpty() || text.startsWith("{"))) return parse(text);
                refusal = !text.contains("/_mock/problems/") ? foreign + status : "%s (%s %s was refused with %d%s)".formatted(
                    describeProblem(text), method, target, status, status == 401 ? "; set MAILING_SYNC_MOCK_TOKEN" : "");
            } catch (ProtocolException error) { refusal = foreign + "something that is not HTTP"; }
            catch (InterruptedException error) {
                Thread.currentThread().interrupt();
                refusal = "The test was interrupted while it waited for the answer to " + method + " " + target;
            } catch (IOException | IllegalArgumentException error) { refusal = describeSilence(error); }
            throw new AssertionError(refusal.startsWith(foreign) ? refusal + ". Correct MAILING_SYNC_URL, or unset it: then the kit starts a mock" : refusal);
        }
        private String describeSilence(Throwable error) {
            var all = Stream.iterate(error, Objects::nonNull, Throwable::getCause);
            var cause = all.anyMatch(it -> it instanceof java.nio.channels.UnresolvedAddressException) ? "there is no host of this name"
                : error instanceof ConnectException ? "the connection was refused" : error.getMessage();
            return error instanceof javax.net.ssl.SSLException ? "Java does not trust the certificate of the mock at " + url + ": see \"Kits\" in docs/https.md. If it speaks HTTP, write http://"
                : given() == null ? "The mock that the kit started at " + url + " has ended: " + cause
                : "No mock answers at " + url + " (MAILING_SYNC_URL): " + cause
                + ". Start mailing-sync-mock there, or unset MAILING_SYNC_URL: then the kit starts one";
        }
    }
    private static String start() {
        var command = setting("MAILING_SYNC_MOCK_COMMAND", "npx --no --offline --silent -- mailing-sync-mock");
        var limit = setting("MAILING_SYNC_MOCK_START_TIMEOUT", "60");
        if (!limit.matches("\\d+(\\.\\d+)?")) throw failure = new AssertionError("MAILING_SYNC_MOCK_START_TIMEOUT=" + limit + " is not a number of seconds");
        var words = Pattern.compile("\"([^\"]*)\"|\\S+").matcher(command + " --in-memory --port 0 --stop-with-input").results()
            .map(it -> it.group(1) == null ? it.group() : it.group(1)).toList();
        var printed = new ConcurrentLinkedDeque<>(List.of("nothing"));
        var reason = "a quote in it is not closed";
        Process mock = null;
        if (command.replaceAll("[^\"]", "").length() % 2 == 0) try {
            mock = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            var lines = mock.inputReader().lines().filter(it -> !it.isBlank()).peek(it -> printed.add("last \"" + it.strip() + "\""));
            var ready = CompletableFuture.supplyAsync(() -> lines.filter(it -> it.contains(" ready on ")).findFirst());
            var time = (long) (Double.parseDouble(limit) * 1000);
            if (ready.get(time, TimeUnit.MILLISECONDS).isPresent()) return ready.join().get().split(" ready on ")[1];
            reason = "it ended with code " + mock.onExit().get(time, TimeUnit.MILLISECONDS).exitValue();
        } catch (TimeoutException late) {
            mock.destroyForcibly();
            reason = "it did not become ready within " + limit + " s, and printed " + printed.getLast();
        } catch (IOException error) { reason = "the program \"" + words.get(0) + "\" does not exist or may not be executed"; }
        catch (InterruptedException | ExecutionException error) { reason = error.toString(); }
        throw failure = new AssertionError("Could not start \"" + command + "\": " + reason + ". Set MAILING_SYNC_URL to a running mock; or build a clone "
            + "(npm ci && npm run build) and set MAILING_SYNC_MOCK_COMMAND=\"node /path/to/mailing-sync-mock/dist/main.js\"");
    }
    private static String given() { return setting("MAILING_SYNC_URL", setting("MAILING_SERVICE_URL", null)); } // the second is its older name
    private static String setting(String name, String otherwise) { return Optional.ofNullable(System.getenv(name)).filter(it -> !it.isEmpty()).orElse(otherwise); }
    /** What is wrong, as "field: problem". */
    private static String describeProblem(String text) throws IOException {
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
                while (json.nextToken() != '}') if (json.ttype == '"') map.put(json.sval, read(json));
                return map;
            case '[':
                var list = new ArrayList<Object>();
                for (; json.nextToken() != ']'; list.add(read(json))) if (json.ttype != ',') json.pushBack();
                return list;
            case StreamTokenizer.TT_NUMBER: return json.nval % 1 == 0 ? (Object) (long) json.nval : (Object) json.nval;
            default: return json.ttype == StreamTokenizer.TT_EOF || json.sval.equals("null") ? null : Boolean.valueOf(json.sval);
        }
    }
    private static String write(Object value) {
        if (value instanceof Map<?, ?> map)
            return map.entrySet().stream().map(it -> write(it.getKey()) + ":" + write(it.getValue())).collect(Collectors.joining(",", "{", "}"));
        if (value instanceof Collection<?> all) return all.stream().map(it -> write(it)).collect(Collectors.joining(",", "[", "]"));
        if (value == null || value instanceof Number || value instanceof Boolean) return String.valueOf(value);
        return value.toString().chars().mapToObj(it -> it < ' ' || it == '"' || it == '\\' ? "\\u%04x".formatted(it) : "" + (char) it).collect(Collectors.joining("", "\"", "\""));
    }
}
