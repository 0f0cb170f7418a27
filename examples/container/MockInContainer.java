import java.util.Map;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

public class MockInContainer {
  public static void main(String[] args) {
    try (GenericContainer<?> mock =
        new GenericContainer<>(DockerImageName.parse("registry.example.com/mailing-sync-mock:0.1.0"))
            .withExposedPorts(4025)
            .withEnv("MAILING_SYNC_MOCK_IN_MEMORY", "true")
            .waitingFor(Wait.forHttp("/_mock/health").forPort(4025))) {
      mock.start();
      var space = new MailingSyncMock.Space("http://" + mock.getHost() + ":" + mock.getMappedPort(4025));
      space.arm("reset-after");
      // Your client sends to space.url, as space.user with space.password.
      System.out.println(space.requests(Map.of("operation", "createSending")).size() + " requests, " + space.sent().size() + " sent");
    }
  }
}
