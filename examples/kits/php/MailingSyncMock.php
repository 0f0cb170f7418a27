<?php

declare(strict_types=1);

use PHPUnit\Framework\Assert;
use PHPUnit\Framework\AssertionFailedError;

/**
 * mailing-sync-mock in tests with PHPUnit 9 or newer: one file to copy, for PHP 8.1 or newer, without dependencies. Each test
 * has a space of its own:
 *
 *     final class RetryTest extends PHPUnit\Framework\TestCase
 *     {
 *         use MailingSyncMock;
 *
 *         public function testRepeatsWhenTheResponseIsLost(): void
 *         {
 *             $space = $this->space();
 *             $space->arm('reset-after');
 *             (new MailingClient($space->url, $space->user, $space->password, $space->advance(...)))->send(); // under test
 *             $space->assertSentExactlyOnce();
 *         }
 *     }
 *
 * The mock is the one at MAILING_SERVICE_URL. Without this variable one is started for the whole run, by
 * MAILING_SYNC_MOCK_COMMAND or `npx --no -- mailing-sync-mock`, which downloads no package.
 * MAILING_SYNC_MOCK_TOKEN is its token, if it has one.
 */
trait MailingSyncMock
{
    private ?MailingSpace $mailingSpace = null;

    /** The space of this test. That of a failed test stays while the mock runs: one of MAILING_SERVICE_URL runs on. */
    private function space(): MailingSpace
    {
        return $this->mailingSpace ??= new MailingSpace(MailingSpace::url());
    }

    /** PHPUnit calls this when a test has passed so far. */
    protected function assertPostConditions(): void
    {
        $this->mailingSpace?->finish();
        $this->mailingSpace = null;
    }

    /** PHPUnit calls this when a test has failed, or says that it is not run. */
    protected function onNotSuccessfulTest(Throwable $error): never
    {
        $name = static::class . '::' . (method_exists($this, 'name') ? $this->name() : $this->getName());
        $isOther = $error instanceof PHPUnit\Framework\SkippedTest || $error instanceof PHPUnit\Framework\IncompleteTest;
        try {
            $this->mailingSpace === null || $isOther || str_contains($error->getMessage(), 'Verdict on space')
                || fwrite(STDERR, "\n$name failed. " . $this->mailingSpace->verdictText());
        } finally {
            throw $error;
        }
    }
}

/** One isolated copy of the service: data, clock, scenario, record of requests and ledger of its own. */
final class MailingSpace
{
    public readonly string $url;
    public readonly string $user;
    public readonly string $password;
    private ?array $end = [];
    private static ?AssertionFailedError $failure = null; // of the start, which is tried once

    /** The address of the mock of this run, which is started if need be and stops with this process. */
    public static function url(): string
    {
        if (!getenv('MAILING_SERVICE_URL')) {
            self::$failure === null || throw self::$failure;
            putenv('MAILING_SERVICE_URL=' . self::start());
        }
        return getenv('MAILING_SERVICE_URL');
    }

    /** A private copy of space demo in the mock at this address, for one test. */
    public function __construct(string $url)
    {
        $this->url = rtrim($url, '/');
        str_contains($url, '://') || throw new AssertionFailedError("MAILING_SERVICE_URL=$url has no scheme: http://$url");
        $this->user = 'demo+' . bin2hex(random_bytes(16));
        $this->password = 'demo';
        $this->control('PUT', '');
    }

    /** A control call of this space; the path follows /_mock/spaces/{space}. docs/control.md lists them. */
    public function control(string $method, string $path, array $body = []): array
    {
        return json_decode($this->call($method, $path, $body, 'application/json') ?: '{}', true, 512, JSON_THROW_ON_ERROR);
    }

    /** Puts a scenario in force: its name, or a whole definition. */
    public function arm(string|array $scenario): void
    {
        $this->control('PUT', '/scenario', is_string($scenario) ? ['name' => $scenario] : $scenario);
    }

    /** Arms a one-shot fault: ['on' => 'createSending', 'phase' => 'after', 'answer' => ['fault' => 'reset']]. */
    public function fault(array $rule): array { return $this->control('POST', '/faults', $rule); }
    /** The space's time. */
    public function now(): string { return $this->control('GET', '/clock')['now']; }

    /** Stops the clock at a date-time with a zone. */
    public function freeze(string $at): void { $this->control('POST', '/clock', ['freeze' => true, 'set' => $at]); }

    /** Moves the clock: seconds, or a duration such as '5m'. What falls due on the way is done on return. */
    public function advance(int|float|string $by): void
    {
        $this->control('POST', '/clock', ['advance' => is_string($by) ? $by : sprintf('%.3Fs', $by)]);
        usleep(25_000); // the judge knows that a response was read if the next request comes 20 ms of real time later
    }

    /** What clients asked for and were told, the oldest first: requests(['operation' => 'createSending']). */
    public function requests(array $filters = []): array
    {
        return $this->control('GET', '/requests?' . http_build_query($filters + ['limit' => 1000]))['_embedded']['requests'];
    }

    /** The ledger: what the platform really has, whatever clients were told. */
    public function platform(array $filters = []): array { return $this->control('GET', '/platform?' . http_build_query($filters)); }

    /** The sendings that were sent to lists. */
    public function sent(?string $synchronizationId = null): array
    {
        $sendings = $this->platform(['synchronizationId' => $synchronizationId])['sendings'];
        return array_values(array_filter($sendings, fn ($it) => $it['kind'] === 'list' && $it['status'] === 'sent'));
    }

    /** The judge's reading of the client. What only the test knows of its end: believes, expected, workers. */
    public function verdict(array $end = []): array { return $this->control('GET', '/verdict?' . http_build_query($end)); }

    public function assertSentExactlyOnce(?string $synchronizationId = null): void { $this->assertSent(1, $synchronizationId); }

    /** So many sendings sent. */
    public function assertSent(int $count, ?string $synchronizationId = null): void
    {
        $sent = $this->sent($synchronizationId);
        $lines = array_map(fn ($it) => sprintf(
            "\n  %s  \"%s\" to %d recipients, transactionId %s, request %s",
            $it['startsAt'], $it['subject'], $it['recipients'], json_encode($it['transactionId']), $it['cause'],
        ), array_slice($sent, 0, 20));
        $lines[] = count($sent) > 20 ? "\n  and " . (count($sent) - 20) . ' more' : '';
        $what = ($count === 1 ? 'sending' : 'sendings') . ($synchronizationId === null ? '' : " of synchronization $synchronizationId");
        $heading = "expected $count $what to be sent; sent: " . count($sent);
        $this->check(count($sent) === $count, $heading . implode('', $lines));
    }

    /** The client broke no rule. assertNoFindings(['believes' => 'sent']) says how it ended, which proves more. */
    public function assertNoFindings(array $end = []): void
    {
        $outcome = $this->verdict($end)['outcome'];
        $this->check($outcome === 'innocent', "expected no findings; the verdict is $outcome", $end);
    }

    /** Every scenario and fault that is armed has fired. A test that disturbed nothing proves nothing. */
    public function assertFired(): void
    {
        $idle = array_map(fn ($it) => "$it[what] $it[name]", $this->verdict()['unstruck']);
        $this->check($idle === [], 'expected to fire: ' . implode(', ', $idle));
    }

    /** How the test ends: ['expected' => 2] if two mailings are meant; ['believes' => 'sent'] if the client says so. */
    public function endWith(array $end): void
    {
        $this->verdict($end); // a wrong name or value is told here
        $this->end = $end;
    }

    /** The end of the test asks for no verdict. */
    public function ignoreVerdict(): void { $this->end = null; }

    /** Ends a test that passed: fails if the client broke a rule or may have sent twice; else removes the space. */
    public function finish(): void
    {
        if ($this->end !== null) {
            $verdict = $this->verdict($this->end);
            $isHarmed = isset($this->end['believes']) && in_array('certain', array_column($verdict['harm']['findings'], 'status'), true);
            $this->check($verdict['outcome'] !== 'guilty' && !$isHarmed, 'the client broke rules of the service, or did harm', $this->end);
            $suspicion = $verdict['suspicion'];
            $twice = 'the client may send one mailing more than once (sent so far: ' . $verdict['harm']['sent'] . ')';
            $this->check($suspicion === null, isset($this->end['expected']) ? (string) $suspicion : $twice, $this->end);
        }
        $this->control('DELETE', '');
    }

    private function check(bool $holds, string $message, array $end = []): void
    {
        if (!$holds) {
            throw new AssertionFailedError("$message\n\n" . $this->verdictText($end));
        }
        Assert::assertTrue($holds); // counted, so that no test is called risky
    }

    public function verdictText(array $end = []): string
    {
        $text = $this->call('GET', '/verdict?' . http_build_query($end), [], 'text/plain');
        return str_replace('in the address: ?believes=sent&expected=1', "in the test: endWith(['believes' => 'sent', 'expected' => 1])", $text);
    }

    private function call(string $method, string $path, array $body, string $accept): string
    {
        $headers = ["Accept: $accept", 'Content-Type: application/json', 'X-Mock-Token: ' . getenv('MAILING_SYNC_MOCK_TOKEN')];
        $content = $method === 'GET' ? '' : json_encode($body ?: new stdClass(), JSON_THROW_ON_ERROR);
        $context = stream_context_create(['http' => [
            'method' => $method, 'header' => $headers, 'content' => $content, 'timeout' => 30, 'ignore_errors' => true,
        ]]);
        $text = @file_get_contents("$this->url/_mock/spaces/$this->user$path", false, $context);
        $status = (int) substr($http_response_header[0] ?? 'HTTP/1.1 000', 9, 3);
        if ($text === false || $status === 0) {
            $at = parse_url($this->url); // it listens, so that only the handshake can have failed
            throw new AssertionFailedError($at['scheme'] === 'https' && @fsockopen($at['host'], $at['port'] ?? 443)
                ? "PHP does not trust the certificate of the mock at $this->url: see \"Kits\" in docs/https.md"
                : "No mock answers at $this->url (MAILING_SERVICE_URL). Start it: npm start");
        }
        if ($status >= 400) {
            throw new AssertionFailedError("$method /spaces/$this->user$path was refused with $status: " . self::describeProblem($text)
                . ($status === 401 ? ' (MAILING_SYNC_MOCK_TOKEN)' : ''));
        }
        return $text;
    }

    /** What is wrong, as "field: problem"; the whole text if it is no problem document. */
    private static function describeProblem(string $text): string
    {
        $problem = json_decode($text, true);
        if (!is_array($problem)) {
            return $text;
        }
        $fields = array_map(fn ($it) => "$it[field]: $it[problem]", $problem['invalidFields'] ?? []);
        return $problem['detail'] ?? implode('; ', [...$fields, ...$problem['generalErrors']]);
    }

    private static function start(): string
    {
        $command = getenv('MAILING_SYNC_MOCK_COMMAND') ?: 'npx --no -- mailing-sync-mock';
        $words = str_getcsv("$command --in-memory --port 0 --stop-with-input", ' ', '"', ''); // a path with a blank is quoted
        $mock = @proc_open($words, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        while ($mock && ($line = fgets($pipes[1])) !== false) {
            if (str_contains($line, ' ready on ')) {
                register_shutdown_function(fn () => [fclose($pipes[0]), $mock]);
                return trim(explode(' ready on ', $line)[1]);
            }
        }
        throw self::$failure = new AssertionFailedError("Could not start \"$command\". Set MAILING_SERVICE_URL to a running mock; "
            . 'or build a clone (npm ci && npm run build) and set MAILING_SYNC_MOCK_COMMAND="node /path/to/mailing-sync-mock/dist/main.js"');
    }
}
