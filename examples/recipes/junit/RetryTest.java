import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RetryTest {
    static final String MOCK =
        System.getenv().getOrDefault("MAILING_SERVICE_URL", "http://localhost:4025");
    static final String NEWSLETTER = "22222222-0000-4000-8000-000000000001";
    static final HttpClient http = HttpClient.newHttpClient();

    /** JUnit makes an object for each test, so each test has a private copy of space demo. */
    final String user = "demo+" + UUID.randomUUID();

    @Test
    void asksAgainWhileTheSendingIsPending() throws Exception {
        begin("pending-until-4m50");
        assertEquals("CREATED", send());
        assertEquals("true", member("struck", control("GET", "/scenario", "")));
        assertEquals("1", sent());
        assertEquals("innocent", member("outcome", control("GET", "/verdict?believes=sent", "")));
    }

    @Test
    void repeatsWhenTheAnswerIsLostAfterTheSend() throws Exception {
        begin("reset-after");
        assertEquals("CREATED", send());
        assertEquals("2", attempts());
        assertEquals("1", sent());
    }

    @Test
    void leavesAnUncertainSendingAloneThatWentOut() throws Exception {
        begin("indeterminate-sent");
        assertEquals("INDETERMINATE_FAILURE", send());
        assertEquals("1", attempts());
        assertEquals("1", sent());
    }

    @Test
    void leavesAnUncertainSendingAloneThatDidNotGoOut() throws Exception {
        begin("indeterminate-not-sent");
        assertEquals("INDETERMINATE_FAILURE", send());
        assertEquals("1", attempts());
        assertEquals("0", sent());
    }

    @AfterEach
    void remove() throws Exception {
        control("DELETE", "", "");
    }

    void begin(String scenario) throws Exception {
        control("PUT", "", "{\"scenario\":\"" + scenario + "\"}");
    }

    /** Waiting moves the space's clock on: nobody sleeps. */
    String send() throws Exception {
        return new MailingClient(MOCK, user, "demo", this::advance).send(NEWSLETTER);
    }

    void advance(long seconds) {
        try {
            control("POST", "/clock", "{\"advance\":\"" + seconds + "s\"}");
        } catch (Exception error) {
            throw new AssertionError(error);
        }
    }

    String sent() throws Exception {
        return member("sent", control("GET", "/platform", ""));
    }

    String attempts() throws Exception {
        return member("count", control("GET", "/requests?operation=createSending", ""));
    }

    String control(String method, String path, String body) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(MOCK + "/_mock/spaces/" + user + path))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build();
        var answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() >= 400) throw new AssertionError(answer.body());
        return answer.body();
    }

    /** The first member of that name. Your JSON library does this better. */
    static String member(String name, String json) {
        var found = Pattern.compile("\"" + name + "\":\"?(\\w+)").matcher(json);
        if (!found.find()) throw new AssertionError("no member " + name + " in " + json);
        return found.group(1);
    }
}
