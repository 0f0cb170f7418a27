import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Sends one mailing and keeps to the retry contract of the service. Java 17 or newer, nothing but the JDK:
 * {@code java Client.java}. Settings come from the environment, as for the other example clients; the exit code says what
 * it believes: 0 sent, 1 not sent, 3 unknown, 2 a missing setting. All times are milliseconds.
 */
public class Client {
    static final double PATIENCE = 30_000; // for a whole answer, from the first byte of the request to the body's last
    static final double PENDING_LIMIT = 5 * 60_000; // sections 4.1/10 and 8
    static final int RECREATIONS = 3;
    static final double RECREATION_LIMIT = 15 * 60_000; // the same
    static final double SILENCE_LIMIT = 15 * 60_000; // ours: for silence and 5xx the document sets no limit
    static final double LOCK_LIMIT = 35 * 60_000; // as long as another worker may take: silence 15 minutes, then FAILED 15
    static final double MARGIN = 4_000; // a request that leaves just before a limit arrives after it
    static final double FIRST_PAUSE = 1_000, LONGEST_PAUSE = 30_000;
    static final Set<String> STATES = Set.of("PENDING", "CREATED", "FAILED", "INDETERMINATE_FAILURE");
    static final Set<Integer> NOT_NOW = Set.of(408, 425, 429); // client errors that say "not now" and not "not this"
    static final Map<String, Integer> EXIT_CODES = Map.of("sent", 0, "not-sent", 1, "unknown", 3);
    static final String HAL = "application/hal+json";

    public static void main(String[] arguments) throws IOException {
        if (System.getenv("MAILING_SYNC_WARM") == null) System.exit(codeOf(System.getenv()));
        // One case after another, each a line with what is otherwise in the environment.
        for (var line = Warm.LINES.readLine(); line != null; line = Warm.LINES.readLine()) {
            var env = new HashMap<String, String>();
            Json.object(line).forEach((name, value) -> env.put(name, String.valueOf(value)));
            var belief = Map.of(0, "sent", 1, "not-sent").getOrDefault(codeOf(env), "unknown");
            System.out.println("{\"believes\":\"" + belief + "\"}");
        }
        System.exit(0);
    }

    static int codeOf(Map<String, String> env) {
        try {
            return run(env);
        } catch (Exception error) { // an error of its own is "unknown" as well: something may have been sent
            System.err.println(error);
            return 3;
        }
    }

    static int run(Map<String, String> env) throws Exception {
        var missing = Stream.of("URL", "USER", "PASSWORD", "SYNCHRONIZATION_ID", "STATE")
            .map(name -> "MAILING_SYNC_" + name).filter(name -> env.getOrDefault(name, "").isEmpty()).toList();
        if (!missing.isEmpty()) {
            System.err.println(String.join(", ", missing) + " must be set");
            return 2;
        }
        var time = new Warm(env);
        var service = new Service(env.get("MAILING_SYNC_URL"), env.get("MAILING_SYNC_USER"),
            env.get("MAILING_SYNC_PASSWORD"), time);
        var synchronization = env.get("MAILING_SYNC_SYNCHRONIZATION_ID");
        var memory = new Memory(Path.of(env.get("MAILING_SYNC_STATE")), synchronization);
        var outcome = "unknown";
        try (var lock = FileChannel.open(memory.lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            if (isLocked(lock, time)) outcome = send(service, memory, synchronization, env.get("MAILING_SYNC_SCHEDULE_DATE"));
        }
        System.out.println(outcome);
        return EXIT_CODES.get(outcome);
    }

    /** Waits until no other worker works on the intention. The system takes the lock from a process that dies. */
    static boolean isLocked(FileChannel file, Warm time) throws InterruptedException, IOException {
        double end = time.await(0) + LOCK_LIMIT;
        for (int nth = 0; file.tryLock() == null; nth++) if (time.await(pause(nth, 0)) > end) return false;
        return true;
    }

    static String send(Service service, Memory memory, String synchronization, String date) throws Exception {
        var path = "/integrations/mailing-platform/mailing-synchronizations/" + encoded(synchronization);
        var intent = memory.recall();
        if (intent == null) {
            if (Boolean.FALSE.equals(isReady(service, path))) return "not-sent";
            // Transaction ID and payload are safe before anything is sent: after a crash the same can be repeated.
            intent = Intent.beginning(synchronization, date);
        }
        while (intent.outcome == null) {
            if (++intent.attempts == 1) intent.since = service.time.await(0);
            memory.keep(intent);
            var answer = service.ask("POST", path + "/sendings", intent.body());
            if (answer != null) intent.answered++;
            var heard = hear(answer, intent);
            var wait = decide(heard, intent, service.time.await(0));
            if ("look".equals(intent.outcome)) intent.outcome = look(service, path, intent);
            memory.keep(intent);
            if (intent.outcome == null) service.time.await(wait);
        }
        return intent.outcome;
    }

    /** What an answer says, and for how long to wait. */
    record Heard(String what, double told) {}

    /** Only a whole sending that is ours is believed. */
    static Heard hear(Answer answer, Intent intent) {
        if (answer == null) return new Heard("nothing", 0);
        int status = answer.status;
        double wait = retryAfter(answer.headers);
        if (status >= 400 && status < 500 && !NOT_NOW.contains(status)) return new Heard("refused", wait);
        var sending = status == 200 || status == 201 ? answer.document() : null;
        if (sending == null || !intent.transactionId.equals(sending.get("transactionId"))
            || !intent.synchronizationId.equals(sending.get("mailingSynchronizationId"))
            || !(sending.get("state") instanceof String state) || !STATES.contains(state)
            || (status == 201 && !state.equals("CREATED"))) return new Heard("nothing", wait);
        return new Heard(state, wait);
    }

    /** Sets what is believed in the end, if this is the end. @return how long to wait before the next attempt */
    static double decide(Heard heard, Intent intent, double now) {
        switch (heard.what) {
            case "CREATED": intent.outcome = "sent"; return 0;
            case "INDETERMINATE_FAILURE": intent.outcome = "unknown"; return 0;
            // On a repeat it is about the repeat: an earlier attempt may have been processed.
            case "refused": intent.outcome = intent.attempts > 1 ? "look" : "not-sent"; return 0;
            case "FAILED": return recreate(heard, intent, now);
            case "PENDING": if (intent.pendingSince == 0) intent.pendingSince = now; break;
            default: break;
        }
        double end = intent.since + SILENCE_LIMIT;
        if (intent.pendingSince > 0) {
            end = intent.pendingSince + PENDING_LIMIT - MARGIN;
            if (intent.failedSince > 0) end = Math.min(end, intent.failedSince + RECREATION_LIMIT - MARGIN);
        }
        double left = end - now;
        if (left < 1_000 || heard.told > left) intent.outcome = "unknown";
        return Math.min(pause(intent.attempts - 1, heard.told), left); // the last look is at the end of the time there is
    }

    static double recreate(Heard heard, Intent intent, double now) {
        if (intent.failedSince == 0) intent.failedSince = now;
        double wait = pause(intent.recreated, heard.told);
        if (intent.recreated >= RECREATIONS || now + wait > intent.failedSince + RECREATION_LIMIT - MARGIN) {
            intent.outcome = "not-sent";
            return 0;
        }
        intent.recreated++;
        intent.transactionId = intent.id + ":" + intent.recreated;
        intent.attempts = intent.answered = 0;
        intent.pendingSince = 0;
        return wait;
    }

    /** Exponential, half of it drawn, never less than was asked for. @param nth from 0 */
    static double pause(int nth, double told) {
        double whole = Math.min(LONGEST_PAUSE, FIRST_PAUSE * Math.pow(2, nth));
        return Math.max(told, whole / 2 + ThreadLocalRandom.current().nextDouble() * whole / 2);
    }

    /** How long the service wants to be left alone; 0 for none, for junk and for a date that has passed. */
    static double retryAfter(HttpHeaders headers) {
        var told = headers.firstValue("Retry-After").orElse("").trim();
        if (told.matches("[0-9]{1,12}")) return Long.parseLong(told) * 1_000.0;
        try { // both dates are the service's, so that a clock that is wrong here does no harm
            var from = ZonedDateTime.parse(headers.firstValue("Date").orElse(""), DateTimeFormatter.RFC_1123_DATE_TIME);
            var until = ZonedDateTime.parse(told, DateTimeFormatter.RFC_1123_DATE_TIME);
            return Math.max(0, Duration.between(from, until).toMillis());
        } catch (DateTimeException junk) {
            return 0;
        }
    }

    /** Section 3/3; null where nobody says. */
    static Boolean isReady(Service service, String path) throws InterruptedException, IOException {
        var answer = service.read(path);
        if (answer == null) return null;
        if (answer.status != 200) return false;
        var synchronization = answer.document();
        return synchronization != null && synchronization.get("readyForSending") instanceof Boolean ready ? ready : null;
    }

    /** After a refused repeat: whether there is a sending after all. Section 3/2: in all states. */
    static String look(Service service, String path, Intent intent) throws InterruptedException, IOException {
        var target = path + "/sendings?includeAllStates=true";
        while (target != null) {
            var answer = service.read(target);
            var collection = answer != null && answer.status == 200 ? answer.document() : null;
            if (collection == null) return "unknown";
            for (var relation : members(collection.get("_embedded")).entrySet())
                if (relation.getKey().endsWith("sendings") && relation.getValue() instanceof List<?> sendings)
                    for (var sending : sendings)
                        if (intent.transactionId.equals(members(sending).get("transactionId")))
                            return Map.of("CREATED", "sent", "FAILED", "not-sent")
                                .getOrDefault(String.valueOf(members(sending).get("state")), "unknown");
            var next = members(members(collection.get("_links")).get("next")).get("href");
            var uri = next instanceof String href ? URI.create(href) : null; // its path only: credentials stay here
            target = uri == null ? null : uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
        }
        // An attempt without an answer may still be on its way, and be processed after this look.
        return intent.answered < intent.attempts ? "unknown" : "not-sent";
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> members(Object value) {
        return value instanceof Map ? (Map<String, Object>) value : Map.of();
    }

    /** A whole answer. */
    record Answer(int status, HttpHeaders headers, String body) {
        /** The JSON object of a HAL answer; null for anything else. */
        Map<String, Object> document() {
            var type = headers.firstValue("Content-Type").orElse("").split(";")[0].trim();
            return type.equalsIgnoreCase(HAL) ? Json.object(body) : null;
        }
    }

    /** One exchange at a time; whatever goes wrong on the wire is silence, which is null. */
    static class Service {
        // One for the process: it holds threads and connections. The name of a host may stand for several addresses; HTTP/2 is
        // not spoken. Redirects are not followed.
        static final HttpClient http = trusting(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)).build();
        final String url, credentials;
        final Warm time;

        Service(String url, String user, String password, Warm time) {
            this.url = url.replaceAll("/+$", "");
            this.time = time;
            var both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
            credentials = "Basic " + Base64.getEncoder().encodeToString(both);
        }

        /** Over HTTPS an exam names the file of the certificate authority to trust. */
        static HttpClient.Builder trusting(HttpClient.Builder client) {
            var file = System.getenv("MAILING_SYNC_CA_FILE");
            if (file == null) return client;
            try (var bytes = Files.newInputStream(Path.of(file))) {
                var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
                trusted.load(null, null);
                trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(bytes));
                var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
                managers.init(trusted);
                var context = SSLContext.getInstance("TLS");
                context.init(null, managers.getTrustManagers(), null);
                return client.sslContext(context);
            } catch (GeneralSecurityException | IOException error) {
                throw new IllegalStateException("MAILING_SYNC_CA_FILE cannot be used", error);
            }
        }

        Answer ask(String method, String path, String body) throws InterruptedException {
            var request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Authorization", credentials).header("Accept", HAL)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
            if (body != null) request.header("Content-Type", HAL);
            // The time limit of a request ends with the headers. This one is for the body as well; giving up closes.
            var exchange = http.sendAsync(request.build(), BodyHandlers.ofString());
            try {
                var answer = exchange.get((long) (PATIENCE / time.speed), TimeUnit.MILLISECONDS);
                return new Answer(answer.statusCode(), answer.headers(), answer.body());
            } catch (TimeoutException tooLate) {
                exchange.cancel(true);
                return null;
            } catch (ExecutionException broken) {
                return null;
            }
        }

        /** Reading changes nothing, so it may be repeated. */
        Answer read(String path) throws InterruptedException, IOException {
            for (int nth = 0; nth < 4; nth++) {
                if (nth > 0) time.await(pause(nth - 1, 0));
                var answer = ask("GET", path, null);
                int status = answer == null ? 0 : answer.status;
                if (status == 200 || (status >= 400 && status < 500 && !NOT_NOW.contains(status))) return answer;
            }
            return null;
        }
    }

    /** The waits of a client that mailing-sync-mock keeps running (--warm). A class to copy. */
    static class Warm {
        static final BufferedReader LINES = new BufferedReader(new InputStreamReader(System.in));
        final boolean isAsking;
        final double speed;

        Warm(Map<String, String> env) {
            isAsking = env.containsKey("MAILING_SYNC_WAIT");
            speed = Double.parseDouble(env.getOrDefault("MAILING_SYNC_SPEED", "1"));
        }

        /** Waits. Returns the time on the clock of the service, in milliseconds since 1970; that of await(0) is now. */
        double await(double milliseconds) throws InterruptedException, IOException {
            if (!isAsking) {
                Thread.sleep((long) Math.ceil(milliseconds / speed));
                return System.currentTimeMillis() * speed;
            }
            System.out.println("{\"wait\":" + milliseconds + "}");
            return Instant.parse(LINES.readLine().split("\"")[3]).toEpochMilli();
        }
    }

    /** One mailing that is to be sent, and how far that has come. 0 stands for a time that has not come. */
    static class Intent {
        String id, synchronizationId, scheduleDate, transactionId, outcome;
        int recreated, attempts, answered;
        double since, pendingSince, failedSince;

        static Intent beginning(String synchronizationId, String scheduleDate) {
            var intent = new Intent();
            intent.id = UUID.randomUUID().toString();
            intent.synchronizationId = synchronizationId;
            intent.scheduleDate = scheduleDate;
            intent.transactionId = intent.id + ":0";
            return intent;
        }

        /** The same on every repeat (section 4.1/9). */
        String body() {
            var date = scheduleDate == null ? "" : ",\"scheduleDate\":" + Json.quoted(scheduleDate);
            return "{\"transactionId\":" + Json.quoted(transactionId) + date + "}";
        }

        static Intent from(Properties kept) {
            var intent = new Intent();
            intent.id = kept.getProperty("id");
            intent.synchronizationId = kept.getProperty("synchronizationId");
            intent.scheduleDate = kept.getProperty("scheduleDate");
            intent.transactionId = kept.getProperty("transactionId");
            intent.outcome = kept.getProperty("outcome");
            intent.recreated = Integer.parseInt(kept.getProperty("recreated"));
            intent.attempts = Integer.parseInt(kept.getProperty("attempts"));
            intent.answered = Integer.parseInt(kept.getProperty("answered"));
            intent.since = Double.parseDouble(kept.getProperty("since"));
            intent.pendingSince = Double.parseDouble(kept.getProperty("pendingSince"));
            intent.failedSince = Double.parseDouble(kept.getProperty("failedSince"));
            return intent;
        }

        Properties kept() {
            var kept = new Properties();
            kept.putAll(Map.of("id", id, "synchronizationId", synchronizationId, "transactionId", transactionId,
                "recreated", "" + recreated, "attempts", "" + attempts, "answered", "" + answered, "since", "" + since,
                "pendingSince", "" + pendingSince, "failedSince", "" + failedSince));
            if (scheduleDate != null) kept.put("scheduleDate", scheduleDate);
            if (outcome != null) kept.put("outcome", outcome);
            return kept;
        }
    }

    /** One directory is one intention to send. When a call returns, it is on the disk. */
    static class Memory {
        final Path directory, file, lock;

        Memory(Path directory, String synchronization) throws IOException {
            this.directory = Files.createDirectories(directory);
            file = directory.resolve("sending-" + encoded(synchronization) + ".properties");
            lock = directory.resolve(file.getFileName() + ".lock");
        }

        Intent recall() throws IOException {
            if (!Files.exists(file)) return null;
            var kept = new Properties();
            try (var reader = Files.newBufferedReader(file)) {
                kept.load(reader);
            }
            return Intent.from(kept);
        }

        void keep(Intent intent) throws IOException {
            Files.move(draft(intent), file, StandardCopyOption.ATOMIC_MOVE);
            flush();
        }

        Path draft(Intent intent) throws IOException {
            var draft = directory.resolve(file.getFileName() + "." + UUID.randomUUID());
            var text = new StringWriter();
            intent.kept().store(text, null);
            try (var channel = FileChannel.open(draft, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                channel.write(ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8)));
                channel.force(true);
            }
            return draft;
        }

        /** A new name in a directory is safe only when the directory is. */
        void flush() throws IOException {
            try (var channel = FileChannel.open(directory)) {
                channel.force(true);
            }
        }
    }

    /** Tells a whole JSON document from a broken one; the JDK has nothing for that. */
    static class Json {
        final String text;
        int at = 0;

        Json(String text) {
            this.text = text;
        }

        /** Null for anything but one whole object. */
        static Map<String, Object> object(String text) {
            try {
                var json = new Json(text);
                var value = json.value(0);
                json.space();
                return json.at == text.length() && value instanceof Map ? members(value) : null;
            } catch (IllegalArgumentException | IndexOutOfBoundsException broken) {
                return null;
            }
        }

        static String quoted(String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }

        Object value(int depth) {
            if (depth > 64) throw new IllegalArgumentException("nested too deeply");
            space();
            switch (text.charAt(at)) {
                case '{':
                    var members = new HashMap<String, Object>();
                    for (boolean more = begins('}'); more; more = goesOn('}')) {
                        space();
                        var name = string();
                        space();
                        expect(":");
                        members.put(name, value(depth + 1));
                    }
                    return members;
                case '[':
                    var items = new ArrayList<Object>();
                    for (boolean more = begins(']'); more; more = goesOn(']')) items.add(value(depth + 1));
                    return items;
                case '"': return string();
                case 't': expect("true"); return true;
                case 'f': expect("false"); return false;
                case 'n': expect("null"); return null;
                default:
                    int start = at;
                    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) at++;
                    return Double.valueOf(text.substring(start, at));
            }
        }

        /** @return whether there is anything between the brackets */
        boolean begins(char end) {
            at++;
            space();
            if (text.charAt(at) != end) return true;
            at++;
            return false;
        }

        boolean goesOn(char end) {
            space();
            char found = text.charAt(at++);
            if (found != end && found != ',') throw new IllegalArgumentException("expected , or " + end);
            return found == ',';
        }

        String string() {
            expect("\"");
            var found = new StringBuilder();
            for (char next = text.charAt(at++); next != '"'; next = text.charAt(at++)) {
                if (next == '\\') {
                    next = text.charAt(at++);
                    if (next == 'u') next = (char) Integer.parseInt(text.substring(at, at += 4), 16);
                    else next = "\"\\/\b\f\n\r\t".charAt("\"\\/bfnrt".indexOf(next));
                }
                found.append(next);
            }
            return found.toString();
        }

        void expect(String wanted) {
            if (!text.startsWith(wanted, at)) throw new IllegalArgumentException("expected " + wanted);
            at += wanted.length();
        }

        void space() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        }
    }
}
