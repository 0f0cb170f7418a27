import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;

/** Holds the kit for Java against the cases that all kits share. */
@ExtendWith(MailingSyncMock.class)
class CasesTest {
    static final String NEWSLETTER = "22222222-0000-4000-8000-000000000001";

    @TestFactory
    Stream<DynamicTest> cases() throws Exception {
        var cases = MailingSyncMock.list(MailingSyncMock.parse(Files.readString(Path.of(System.getenv("CASES")))));
        return cases.stream().map(it -> DynamicTest.dynamicTest((String) it.get("name"), () -> {
            var space = new MailingSyncMock.Space(MailingSyncMock.url());
            for (var step : MailingSyncMock.list(it.get("steps"))) play(space, step);
        }));
    }

    @Test
    void aTestGetsASpaceThatIsRemovedAtItsEnd(MailingSyncMock.Space space) {
        if (System.getenv("SCENARIO") != null) space.arm(System.getenv("SCENARIO"));
        if (System.getenv("IDLE") != null) return;
        assertEquals(System.getenv().getOrDefault("STATE", "CREATED"), send(space, "one", space.password));
        if (System.getenv("BELIEVES") != null) space.endWith(Map.of("believes", System.getenv("BELIEVES"), "expected", 1));
        else space.assertSentExactlyOnce(NEWSLETTER);
    }

    void play(MailingSyncMock.Space space, Map<String, Object> step) {
        if (step.get("fails") instanceof List<?> parts) {
            var message = assertThrows(AssertionError.class, () -> run(space, step)).getMessage();
            for (var part : parts) assertTrue(message.contains((String) part), part + " in " + message);
        } else {
            var given = run(space, step);
            if (step.containsKey("gives")) assertEquals(String.valueOf(step.get("gives")), given, step.toString());
        }
    }

    String run(MailingSyncMock.Space space, Map<String, Object> step) {
        var whose = step.get("synchronizationId") instanceof String id ? new String[] {id} : new String[0];
        var end = new HashMap<>(step);
        end.keySet().retainAll(List.of("believes", "expected"));
        switch ((String) step.get("do")) {
            case "send": return send(space, (String) step.get("transactionId"), (String) step.getOrDefault("password", space.password));
            case "requests": return "" + space.requests(Map.of("operation", "createSending", "limit", step.getOrDefault("limit", 1000))).size();
            case "mailings": return "" + space.control("GET", "/mailings?name=" + step.get("name"), null).get("count");
            case "ownSent": return "" + MailingSyncMock.map(space.platform(Map.of("seeded", false)).get("summary")).get("sent");
            case "sent": return "" + space.sent().size();
            case "now": return space.now();
            case "wait": return "" + (-Instant.parse(space.now()).toEpochMilli() + space.await(((Number) step.get("by")).doubleValue() * 1_000)) / 1_000;
            case "verdict": return (String) space.verdict(end).get("outcome");
            case "arm": space.arm(step.get("scenario")); break;
            case "disarm": space.control("DELETE", "/scenario", Map.of()); break;
            case "fault": space.fault(MailingSyncMock.map(step.get("rule"))); break;
            case "freeze": space.freeze((String) step.get("at")); break;
            case "advance": if (step.get("by") instanceof Number by) space.advance(by); else space.advance((String) step.get("by")); break;
            case "assertSentExactlyOnce": space.assertSentExactlyOnce(whose); break;
            case "assertSent": space.assertSent(((Long) step.get("count")).intValue(), whose); break;
            case "assertNoFindings": space.assertNoFindings(end); break;
            case "assertFired": space.assertFired(); break;
            case "endWith": space.endWith(end); break;
            case "ignoreVerdict": space.ignoreVerdict(); break;
            case "end": space.control("DELETE", "", Map.of()); break;
            case "finish": space.finish(); break;
            default: throw new IllegalArgumentException(step.toString());
        }
        return "";
    }

    /** One attempt: the state that it was told, or `nothing`. */
    String send(MailingSyncMock.Space space, String transactionId, String password) {
        var credentials = Base64.getEncoder().encodeToString((space.user + ":" + password).getBytes());
        var path = "/integrations/mailing-platform/mailing-synchronizations/" + NEWSLETTER + "/sendings";
        var request = HttpRequest.newBuilder(URI.create(space.url + path))
            .headers("Authorization", "Basic " + credentials, "Content-Type", "application/hal+json")
            .POST(BodyPublishers.ofString("{\"transactionId\":\"" + transactionId + "\"}"));
        try {
            var body = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString()).body();
            var state = Pattern.compile("\"state\":\"(\\w+)\"").matcher(body);
            return state.find() ? state.group(1) : "nothing";
        } catch (IOException | InterruptedException lost) {
            return "nothing";
        }
    }
}
