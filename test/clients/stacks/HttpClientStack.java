import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Reads calls, one a line: method, address, Authorization, milliseconds of patience, body. Writes a line for each. */
public class HttpClientStack {
  public static void main(String[] arguments) throws Exception {
    var client = HttpClient.newHttpClient();
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null;) {
      var parts = line.split("\t", -1);
      var request = HttpRequest.newBuilder(URI.create(parts[1]))
          .header("Authorization", parts[2])
          .header("Content-Type", "application/json")
          .timeout(Duration.ofMillis(Long.parseLong(parts[3])))
          .method(parts[0], parts[4].isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(parts[4]))
          .build();
      try {
        // The request's own limit ends with the headers.
        var limit = 2 * Long.parseLong(parts[3]);
        var answer = client.sendAsync(request, BodyHandlers.ofString()).get(limit, TimeUnit.MILLISECONDS);
        System.out.println(answer.statusCode() + " " + answer.body().replaceAll("\\R", " "));
      } catch (ExecutionException error) {
        System.out.println("error " + error.getCause().getClass().getName());
      } catch (TimeoutException error) {
        System.out.println("error " + error.getClass().getName());
      }
    }
  }
}
