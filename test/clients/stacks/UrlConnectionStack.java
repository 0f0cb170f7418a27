import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.URI;

/** Reads calls, one a line: method, address, Authorization, milliseconds of patience, body. Writes a line for each. */
public class UrlConnectionStack {
  public static void main(String[] arguments) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null;) {
      var parts = line.split("\t", -1);
      try {
        var connection = (HttpURLConnection) URI.create(parts[1]).toURL().openConnection();
        connection.setRequestMethod(parts[0]);
        connection.setRequestProperty("Authorization", parts[2]);
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setReadTimeout(Integer.parseInt(parts[3]));
        if (!parts[4].isEmpty()) {
          connection.setDoOutput(true);
          connection.getOutputStream().write(parts[4].getBytes());
        }
        int status = connection.getResponseCode();
        var body = status < 400 ? connection.getInputStream() : connection.getErrorStream();
        System.out.println(status + " " + new String(body.readAllBytes()).replaceAll("\\R", " "));
      } catch (Exception error) {
        System.out.println("error " + error.getClass().getName());
      }
    }
  }
}
