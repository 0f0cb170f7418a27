import java.net.URI;
import java.util.Base64;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.SendingsApi;
import org.openapitools.client.model.SendingRequest;

public class Send {
  public static void main(String[] args) throws Exception {
    var user = Base64.getEncoder().encodeToString((System.getenv("MOCK_USER") + ":demo").getBytes());
    var client = new ApiClient();
    var mock = URI.create(System.getenv("MOCK_URL"));
    client.setScheme(mock.getScheme()).setHost(mock.getHost()).setPort(mock.getPort()).setBasePath("");
    client.setRequestInterceptor(request -> request.header("Authorization", "Basic " + user));
    var request = new SendingRequest();
    request.setTransactionId("generated");
    var response = new SendingsApi(client)
        .createSendingWithHttpInfo(UUID.fromString("22222222-0000-4000-8000-000000000001"), request);
    var sending = response.getData();
    System.out.println(response.getStatusCode() + " " + sending.getState() + " " + sending.getTarget().getSendingId());
  }
}
