<?php

declare(strict_types=1);

use PHPUnit\Framework\Assert;
use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\Attributes\PostCondition;

/** What a space throws; outside PHPUnit an error of PHP's own. */
if (class_exists(AssertionFailedError::class)) {
    class MailingTestFailed extends AssertionFailedError {}
} else {
    class MailingTestFailed extends \AssertionError {}
}

/**
 * mailing-sync-mock in tests with PHPUnit 9 or newer: one file to copy, for PHP 8.1 or newer, without dependencies. Each test
 * has a space of its own:
 *
 *     final class RetryTest extends PHPUnit\Framework\TestCase {
 *         use MailingSyncMock;
 *
 *         public function testRepeatsWhenTheResponseIsLost(): void {
 *             $space = $this->space();
 *             $space->arm('reset-after');
 *             (new MailingClient($space->url, $space->user, $space->password, $space->advance(...)))->send(); // under test
 *             $space->assertSentExactlyOnce();
 *         }
 *     }
 *
 * In a test class with a namespace write `use \MailingSyncMock;`. The mock is the one at MAILING_SYNC_URL. Without this variable one
 * is started for the whole run, by MAILING_SYNC_MOCK_COMMAND or `npx --no --offline --silent -- mailing-sync-mock`, which downloads no package.
 * MAILING_SYNC_MOCK_TOKEN is its token, if it has one. It has MAILING_SYNC_MOCK_START_TIMEOUT seconds to become ready, 60 by default.
 * A test that fails leaves a capsule in test-results, or in the folder MAILING_SYNC_MOCK_CAPSULES; `off` there keeps none.
 */
trait MailingSyncMock {
    private ?MailingSpace $mailingSpace = null;

    /** The space of this test. That of a failed test stays while the mock runs: one of MAILING_SYNC_URL runs on. */
    private function space(): MailingSpace { return $this->mailingSpace ??= new MailingSpace(MailingSpace::url(), method_exists($this, 'name') ? $this->name() : $this->getName()); }

    /**
     * PHPUnit calls this when a test has passed so far, also if the class has an assertPostConditions() of its own.
     *
     * @postCondition
     */
    #[PostCondition] // PHPUnit 12 reads no annotations
    protected function checkTheClientOfThisTest(): void {
        $this->mailingSpace?->finish();
        $this->mailingSpace = null;
    }

    /** PHPUnit calls this when a test has failed, or says that it is not run. */
    protected function onNotSuccessfulTest(\Throwable $error): never {
        $isOther = $error instanceof \PHPUnit\Framework\SkippedTest || $error instanceof \PHPUnit\Framework\IncompleteTest
            || $error instanceof MailingControlFailed; // after which a verdict would lead astray
        try {
            if ($this->mailingSpace !== null && !$isOther) {
                $name = method_exists($this, 'name') ? $this->name() : $this->getName();
                $verdict = str_contains($error->getMessage(), 'Verdict on space') ? '' : "\n\n" . $this->mailingSpace->verdictText();
                $more = $verdict . $this->mailingSpace->keepCapsule(static::class . ' ' . $name);
                match (true) {
                    $more === '' => null,
                    method_exists($this, 'name') => fwrite(STDERR, "\n" . static::class . "::$name failed.$more"), // PHPUnit 10 has told the message before
                    default => (new \ReflectionProperty($error, 'message'))->setValue($error, $error->getMessage() . $more),
                };
            }
        } finally { throw $error; }
    }
}

/** One isolated copy of the service: data, clock, scenario, record of requests and ledger of its own. */
final class MailingSpace {
    public readonly string $url, $user, $password;
    private const ONE_WORKER = ['workers' => 1]; // of a test, which has no other unless it says so
    private ?array $end = [];
    private bool $isOver = false; // by the test itself: there is nothing more to end
    private const WRONG = '. Correct MAILING_SYNC_URL, or unset it: then the kit starts a mock';
    private static ?MailingTestFailed $failure = null; // of the start, which is tried once

    /** The address of the mock of this run, which is started if need be and stops with this process. */
    public static function url(): string {
        self::$failure === null || throw self::$failure;
        getenv('MAILING_SYNC_URL') || putenv('MAILING_SYNC_URL=' . (getenv('MAILING_SERVICE_URL') ?: self::start())); // its older name
        return getenv('MAILING_SYNC_URL');
    }

    /** A private space, a copy of space demo in the mock at this address, for one test. */
    public function __construct(string $url, string $test = '') {
        $this->url = preg_replace('~(/_mock|/integrations.*)?/*$~', '', $url);
        preg_match('~^https?://[^\s/?#][^\s?#]*$~D', $this->url) && parse_url($this->url) || throw new MailingTestFailed("MAILING_SYNC_URL=$url is no address such as http://localhost:4025");
        $name = substr(trim(preg_replace('~[^a-z0-9]+~', '-', strtolower($test)), '-'), 0, 60); // found again on the pages
        $this->user = 'demo+' . $name . ($name === '' ? '' : '.') . bin2hex(random_bytes(16));
        $this->password = 'demo';
        $space = $this->control('PUT', '');
        ($space['name'] ?? '') === $this->user || throw new MailingTestFailed("$this->url is not a mailing-sync-mock: it answered PUT /_mock/spaces/$this->user with no space" . self::WRONG);
    }

    /** A control call of this space; the path follows /_mock/spaces/{space}. docs/control.md lists them. */
    public function control(string $method, string $path, array $body = []): array {
        $text = $this->call($method, $path, $body, 'application/json') ?: '{}';
        $this->isOver = $path === '' ? $method === 'DELETE' : $this->isOver;
        return json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    }

    /** Puts a scenario in force: its name, or a whole definition. */
    public function arm(string|array $scenario): void { $this->control('PUT', '/scenario', is_string($scenario) ? ['name' => $scenario] : $scenario); }
    /** Arms a one-shot fault: ['on' => 'createSending', 'phase' => 'after', 'answer' => ['fault' => 'reset']]. */
    public function fault(array $rule): array { return $this->control('POST', '/faults', $rule); }
    /** The space's time. */
    public function now(): string { return $this->control('GET', '/clock')['now']; }
    /** Stops the clock at a date-time with a zone. */
    public function freeze(string $at): void { $this->control('POST', '/clock', ['freeze' => true, 'set' => $at]); }
    /** Moves the clock: seconds, or a duration such as '5m'. What falls due on the way is done on return. */
    public function advance(int|float|string $by): void {
        $this->control('POST', '/clock', ['advance' => is_string($by) ? $by : sprintf('%.3Fs', $by)]);
        usleep(25_000); // the judge knows that a response was read if the next request comes 20 ms of real time later
    }

    /** The same for a client, as in examples/clients/php/warm.php: returns the time, in seconds since 1970. wait(0) is now. */
    public function wait(float $seconds): float {
        if ($seconds > 0) {
            $this->advance($seconds);
        }
        return (float) (new DateTimeImmutable($this->now()))->format('U.u');
    }

    /** What clients asked for and were told, the oldest first: requests(['operation' => 'createSending']). */
    public function requests(array $filters = []): array {
        return $this->control('GET', '/requests?' . self::query($filters + ['limit' => 1000]))['_embedded']['requests'];
    }

    /** The ledger: what the platform really has, whatever clients were told. */
    public function platform(array $filters = []): array { return $this->control('GET', '/platform?' . self::query($filters)); }

    /** The sendings that were sent to lists. */
    public function sent(?string $synchronizationId = null): array {
        $sendings = $this->platform(['synchronizationId' => $synchronizationId, 'limit' => 10000])['sendings'];
        return array_values(array_filter($sendings, fn ($it) => $it['kind'] === 'list' && $it['status'] === 'sent'));
    }

    /** The judge's reading of the client. What only the test knows of its end: believes, expected, workers. */
    public function verdict(array $end = []): array { return $this->control('GET', '/verdict?' . self::query($end + self::ONE_WORKER)); }
    public function assertSentExactlyOnce(?string $synchronizationId = null): void { $this->assertSent(1, $synchronizationId); }
    /** So many sendings sent. */
    public function assertSent(int $count, ?string $synchronizationId = null): void {
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
    public function assertNoFindings(array $end = []): void {
        $end = $end ?: $this->end ?? [];
        $verdict = $this->verdict($end);
        $doubt = $verdict['outcome'] !== 'innocent' ? 'the verdict is open' : (isset($verdict['hint']) ? 'nothing is proved' : null);
        $reason = $verdict['failure'] ?? $doubt;
        $this->check($reason === null, "expected no findings; $reason", $end);
    }

    /** Every scenario and fault that is armed has fired. A test that disturbed nothing proves nothing. */
    public function assertFired(): void {
        $idle = array_map(fn ($it) => "$it[what] $it[name]", $this->verdict()['unstruck']);
        $this->check($idle === [], 'expected to fire: ' . implode(', ', $idle));
    }

    /** How the test ends: ['expected' => 2] if two mailings are meant; ['believes' => 'sent'] if the client says so. */
    public function endWith(array $end): void {
        $this->verdict($end); // a wrong name or value is told here
        $this->end = $end;
    }

    /** The end of the test asks for no verdict. */
    public function ignoreVerdict(): void { $this->end = null; }

    /** Ends a test that passed: fails if the client broke a rule or may have sent twice; else removes the space. */
    public function finish(): void {
        if ($this->isOver) return;
        if ($this->end !== null) {
            $failure = $this->verdict($this->end)['failure'];
            $this->check($failure === null, (string) $failure, $this->end);
        }
        $this->control('DELETE', '');
    }

    private function check(bool $holds, string $message, array $end = []): void {
        $holds || throw new MailingTestFailed("$message\n\n" . $this->verdictText($end));
        class_exists(Assert::class) && Assert::assertTrue($holds); // counted, so that no test is called risky
    }

    public function verdictText(array $end = []): string {
        $text = $this->call('GET', '/verdict?' . self::query(($end ?: $this->end ?? []) + self::ONE_WORKER), [], 'text/plain');
        $pattern = '/(Tell the judge how the client ended: )append .*\n(.*\n)([\s\S]*)/'; // it comes last: what to do in the client is above
        return preg_replace($pattern, "$3\n$1\$this->space()->endWith(['believes' => 'sent', 'expected' => 1])\n$2", $text);
    }

    /** All that happened in the space, as the text of a file that `mailing-sync-mock open` shows on another machine. */
    public function capsule(): string { return $this->call('GET', '/capsule', [], 'text/plain'); }

    /** Writes the capsule of a failed test. Returns a sentence that says where it is; none with MAILING_SYNC_MOCK_CAPSULES=off. */
    public function keepCapsule(string $test): string {
        $folder = getenv('MAILING_SYNC_MOCK_CAPSULES') ?: 'test-results';
        if ($folder === 'off') return '';
        $file = $folder . '/' . substr(trim(preg_replace('~[^a-z0-9]+~', '-', strtolower($test)), '-'), 0, 120) . '.capsule.json';
        try { $text = $this->capsule(); } catch (MailingControlFailed $error) { return "\n\nNo capsule was kept: {$error->getMessage()}"; }
        is_dir($folder) || @mkdir($folder, 0777, true);
        if (@file_put_contents($file, $text) === false) return "\n\nNo capsule was kept: " . (error_get_last()['message'] ?? $file);
        $command = explode(' --', str_replace(' --no --offline --silent --', '', (string) getenv('MAILING_SYNC_MOCK_COMMAND')))[0];
        $program = str_starts_with($command, 'npx ') ? $command : 'in a clone of mailing-sync-mock, npm start --';
        // Of this machine nothing will be left.
        if (getenv('CI') === 'true') return "\n\nTo see it on any machine, take the file in $folder there: $program open " . escapeshellarg('/path/to/' . basename($file));
        $look = $command !== '' ? " here: $command open " . escapeshellarg($file) : ": $this->url/_mock/spaces/$this->user/sendings";
        return "\n\nTo see it$look\nOn any machine, in a clone of mailing-sync-mock: npm start -- open " . escapeshellarg(realpath($file));
    }

    /** http_build_query() alone makes 1 and 0 of true and false. */
    private static function query(array $query): string { return http_build_query(array_map(fn ($it) => is_bool($it) ? json_encode($it) : $it, $query)); }

    private function call(string $method, string $path, array $body, string $accept): string {
        $headers = ["Accept: $accept", 'Content-Type: application/json', 'X-Mock-Token: ' . getenv('MAILING_SYNC_MOCK_TOKEN')];
        $content = $method === 'GET' ? '' : json_encode($body ?: new \stdClass(), JSON_THROW_ON_ERROR);
        $http = ['method' => $method, 'header' => $headers, 'content' => $content, 'timeout' => 30, 'ignore_errors' => true];
        $call = "/_mock/spaces/$this->user" . preg_replace_callback('/[^!-~]+/', fn ($it) => rawurlencode($it[0]), $path);
        $text = @file_get_contents($this->url . $call, false, stream_context_create(['http' => $http]));
        $isAnswered = $text !== false && isset($http_response_header[0]);
        $isAnswered || throw new MailingControlFailed($this->describeSilence(error_get_last()['message'] ?? 'no answer'));
        $status = (int) substr($http_response_header[0], 9, 3); // 0 if it is not HTTP
        $isFine = $status >= 200 && $status < 300 && ($accept === 'text/plain' || str_starts_with($text ?: '{', '{'));
        $hint = $status === 401 ? '; set MAILING_SYNC_MOCK_TOKEN' : '';
        return $isFine ? $text : throw new MailingControlFailed(str_contains($text, '/_mock/problems/')
            ? self::describeProblem($text) . " ($method $call was refused with $status$hint)"
            : "$this->url is not a mailing-sync-mock: it answered $method $call with " . ($status ?: 'something that is not HTTP') . self::WRONG);
    }

    /** @param string $words how PHP says that a request got no answer */
    private function describeSilence(string $words): string {
        $known = ['/.*refused.*/' => 'the connection was refused', '/.*getaddrinfo.*/' => 'there is no host of this name', '/.*stream: /' => ''];
        $cause = preg_replace(array_keys($known), $known, $words);
        $at = parse_url($this->url); // if it listens, only the handshake can have failed
        return $at['scheme'] === 'https' && @fsockopen($at['host'], $at['port'] ?? 443)
            ? "PHP does not trust the certificate of the mock at $this->url: see \"Kits\" in docs/https.md. If it speaks HTTP, write http://"
            : "No mock answers at $this->url (MAILING_SYNC_URL): $cause. "
            . 'Start mailing-sync-mock there, or unset MAILING_SYNC_URL: then the kit starts one';
    }

    /** What is wrong, as "field: problem". */
    private static function describeProblem(string $text): string {
        $problem = json_decode($text, true);
        $fields = array_map(fn ($it) => "$it[field]: $it[problem]", $problem['invalidFields'] ?? []);
        return $problem['detail'] ?? implode('; ', [...$fields, ...$problem['generalErrors']]);
    }
    private static function start(): string {
        $command = getenv('MAILING_SYNC_MOCK_COMMAND') ?: 'npx --no --offline --silent -- mailing-sync-mock';
        putenv("MAILING_SYNC_MOCK_COMMAND=$command"); // by which a capsule is opened, too
        $limit = getenv('MAILING_SYNC_MOCK_START_TIMEOUT') ?: '60';
        is_numeric($limit) || throw self::$failure = new MailingTestFailed("MAILING_SYNC_MOCK_START_TIMEOUT=$limit is not a number of seconds");
        $failed = fn (string $reason) => self::$failure = new MailingTestFailed("Could not start \"$command\": $reason. "
            . 'Set MAILING_SYNC_URL to a running mock; or build a clone (npm ci && npm run build) '
            . 'and set MAILING_SYNC_MOCK_COMMAND="node /path/to/mailing-sync-mock/dist/main.js"');
        substr_count($command, '"') % 2 === 0 || throw $failed('a quote in it is not closed');
        $words = str_getcsv("$command --in-memory --port 0 --stop-with-input", ' ', '"', ''); // a path with a blank is quoted
        $mock = @proc_open($words, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        $mock && stream_set_blocking($pipes[1], false);
        [$deadline, $printed] = [microtime(true) + (float) $limit, ''];
        do {
            $state = $mock ? proc_get_status($mock) : ['running' => false, 'exitcode' => 127];
            $printed .= $mock ? stream_get_contents($pipes[1]) : ''; // after its state: of an ended one this is all
            if (preg_match('/ ready on (\S+)\s/', $printed, $match)) {
                register_shutdown_function(fn () => [fclose($pipes[0]), $mock]);
                return $match[1];
            }
            usleep(10_000);
        } while ($state['running'] && microtime(true) < $deadline);
        $state['running'] && [fclose($pipes[0]), proc_terminate($mock, 9)];
        preg_match('/.*$/', trim($printed), $last);
        throw $failed(match (true) {
            $state['running'] => "it did not become ready within $limit s, and printed " . ($last[0] === '' ? 'nothing' : "last \"$last[0]\""),
            $state['exitcode'] === 127 => "the program \"$words[0]\" does not exist or may not be executed",
            default => "it ended with code $state[exitcode]",
        });
    }
}

/** A control call got no answer, or was refused. */
final class MailingControlFailed extends MailingTestFailed {}
