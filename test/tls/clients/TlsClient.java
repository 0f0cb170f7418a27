import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Security;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Sends one mailing over HTTPS. As `careless` it accepts any certificate and protocol; as `ends` it does not try again; as
 * `patient` it has no deadline.
 */
public class TlsClient {
  public static void main(String[] args) throws Exception {
    var isCareless = args[0].equals("careless");
    var parameters = new SSLParameters();
    if (isCareless) {
      Security.setProperty("jdk.tls.disabledAlgorithms", "");
      parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2", "TLSv1.1"});
    }
    var context = SSLContext.getInstance("TLS");
    context.init(null, isCareless ? new TrustManager[] {new TrustAll()} : trusting(), null);
    var client = HttpClient.newBuilder().sslContext(context).sslParameters(parameters).build();
    var credentials = System.getenv("MAILING_SYNC_USER") + ":" + System.getenv("MAILING_SYNC_PASSWORD");
    var request =
        HttpRequest.newBuilder(
                URI.create(
                    System.getenv("MAILING_SYNC_URL")
                        + "/integrations/mailing-platform/mailing-synchronizations/"
                        + System.getenv("MAILING_SYNC_SYNCHRONIZATION_ID")
                        + "/sendings"))
            .header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes()))
            .header("Content-Type", "application/hal+json")
            .timeout(Duration.ofSeconds(args[0].equals("patient") ? 3_600 : 5))
            .POST(BodyPublishers.ofString("{\"transactionId\":\"tls-client-1\"}"))
            .build();
    for (var pause : args[0].equals("ends") ? new double[] {0} : new double[] {0, 1, 2.3, 4.8, 9.5}) {
      Thread.sleep((long) (pause * 1000 / Double.parseDouble(System.getenv("MAILING_SYNC_SPEED"))));
      try {
        var answer = client.send(request, BodyHandlers.ofString()).body();
        if (answer.contains("\"state\":\"CREATED\"")) System.exit(0);
      } catch (IOException error) {
        System.err.println(error);
      }
    }
    System.exit(3);
  }

  static TrustManager[] trusting() throws Exception {
    var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    try (var file = Files.newInputStream(Path.of(System.getenv("MAILING_SYNC_CA_FILE")))) {
      trusted.setCertificateEntry("ca", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    return managers.getTrustManagers();
  }

  /** Looks at nothing. */
  static class TrustAll extends X509ExtendedTrustManager {
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
