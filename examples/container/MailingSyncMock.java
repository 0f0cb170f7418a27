import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Base64;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

public class MailingSyncMock {
  public static void main(String[] args) throws Exception {
    try (GenericContainer<?> mock =
        new GenericContainer<>(DockerImageName.parse("registry.example.com/mailing-sync-mock:0.1.0"))
            .withExposedPorts(4025)
            .withEnv("MAILING_SYNC_MOCK_IN_MEMORY", "true")
            .waitingFor(Wait.forHttp("/_mock/health").forPort(4025))) {
      mock.start();
      var url = "http://" + mock.getHost() + ":" + mock.getMappedPort(4025);
      var credentials = Base64.getEncoder().encodeToString("demo+my-test:demo".getBytes());
      var request =
          HttpRequest.newBuilder(URI.create(url + "/mailings"))
              .header("Authorization", "Basic " + credentials)
              .build();
      System.out.println(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode());
    }
  }
}
