import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import java.io.PrintWriter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** Runs the tests of a class by JUnit's own launcher. */
class RunTests {
    public static void main(String[] names) {
        var listener = new SummaryGeneratingListener();
        var request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(names[0])).build();
        LauncherFactory.create().execute(request, listener);
        var summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out, true), 3);
        System.out.println("passed " + summary.getTestsSucceededCount() + " of " + summary.getTestsFoundCount());
        System.exit(summary.getTotalFailureCount() == 0 ? 0 : 1);
    }
}
