import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(MailingSyncMock.class)
class RetryTest {
    static final String NEWSLETTER = "22222222-0000-4000-8000-000000000001";

    @Test
    void asksAgainWhileTheSendingIsPending(MailingSyncMock.Space space) throws Exception {
        space.arm("pending-until-4m50");
        assertEquals("CREATED", send(space));
        space.assertFired();
        space.assertSentExactlyOnce(NEWSLETTER);
        space.assertNoFindings(Map.of("believes", "sent"));
    }

    @Test
    void repeatsWhenTheResponseIsLostAfterTheSend(MailingSyncMock.Space space) throws Exception {
        space.arm("reset-after");
        var state = send(space);
        space.assertSentExactlyOnce(NEWSLETTER);
        assertEquals("CREATED", state);
        assertEquals(2, space.requests(Map.of("operation", "createSending")).size());
    }

    @Test
    void repeatsWithTheSameIdWhenItTimesOut(MailingSyncMock.Space space) throws Exception {
        space.arm("hang-after");
        var client = client(space);
        client.timeout = Duration.ofMillis(300); // passes in real time
        assertEquals("CREATED", client.send(NEWSLETTER));
        var requests = space.requests(Map.of("operation", "createSending"));
        assertEquals(requests.get(0).get("body"), requests.get(1).get("body"));
        space.assertSentExactlyOnce(NEWSLETTER);
    }

    @ParameterizedTest
    @CsvSource({"indeterminate-sent, 1", "indeterminate-not-sent, 0"})
    void leavesAnUncertainSendingAlone(String scenario, int sent, MailingSyncMock.Space space) throws Exception {
        space.arm(scenario);
        assertEquals("INDETERMINATE_FAILURE", send(space));
        assertEquals(1, space.requests(Map.of("operation", "createSending")).size());
        space.assertSent(sent, NEWSLETTER);
    }

    /** Waiting moves the space's clock, so nothing sleeps. */
    MailingClient client(MailingSyncMock.Space space) {
        return new MailingClient(space.url, space.user, space.password, space::advance);
    }

    String send(MailingSyncMock.Space space) throws Exception {
        return client(space).send(NEWSLETTER);
    }
}
