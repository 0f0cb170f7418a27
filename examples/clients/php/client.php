<?php

/**
 * Sends one mailing and keeps to the retry contract of the service. PHP 8.1 or newer with its curl extension.
 *
 * Settings come from the environment, as for the other example clients; the exit code says what it believes:
 * 0 sent, 1 not sent, 3 unknown, 2 a missing setting.
 */

declare(strict_types=1);

require __DIR__ . '/warm.php';

const PATIENCE = 30; // seconds for a whole answer, from the first byte of the request to the last one of the body
const PENDING_LIMIT = 5 * 60; // sections 4.1/10 and 8
const RECREATIONS = 3; // the same
const RECREATION_LIMIT = 15 * 60; // the same
const SILENCE_LIMIT = 15 * 60; // ours: for silence and 5xx the document sets no limit
const LOCK_LIMIT = 35 * 60; // as long as another worker may take: silence for 15 minutes, then FAILED for 15
const MARGIN = 4; // a request that leaves just before a limit arrives after it
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 30;
const STATES = ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE'];
const NOT_NOW = [408, 425, 429]; // client errors that say "not now" and not "not this"
const EXIT_CODES = ['sent' => 0, 'not-sent' => 1, 'unknown' => 3];

/** A whole answer. */
final class Answer
{
    /** @param array<string, string> $headers by their names in lower case */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {
    }

    public function isRefusal(): bool
    {
        return $this->status >= 400 && $this->status < 500 && !in_array($this->status, NOT_NOW, true);
    }

    /** The JSON object of a HAL answer; null for anything else. */
    public function document(): ?array
    {
        $type = strtolower(trim(explode(';', $this->headers['content-type'] ?? '')[0]));
        $value = $type === 'application/hal+json' ? json_decode($this->body) : null;
        return $value instanceof stdClass ? json_decode($this->body, true) : null;
    }

    /** Seconds that the service wants to be left alone; 0 for none, for junk and for a date that has passed. */
    public function retryAfter(): float
    {
        $told = trim($this->headers['retry-after'] ?? '');
        if (preg_match('/^\d{1,9}$/D', $told)) {
            return (float) $told;
        }
        // Both dates are the service's, so that a clock that is wrong here does no harm.
        $until = DateTimeImmutable::createFromFormat(DateTimeInterface::RFC7231, $told);
        $date = DateTimeImmutable::createFromFormat(DateTimeInterface::RFC7231, $this->headers['date'] ?? '');
        return $until && $date ? (float) max(0, $until->getTimestamp() - $date->getTimestamp()) : 0.0;
    }
}

/** One exchange at a time over one connection; whatever goes wrong on the wire is silence, which is null. */
final class Service
{
    private readonly CurlHandle $connection;

    public function __construct(
        private readonly string $url,
        private readonly string $user,
        private readonly string $password,
        private readonly float $speed,
    ) {
        $this->connection = curl_init();
    }

    public function ask(string $method, string $path, ?string $body = null): ?Answer
    {
        $headers = [];
        $sent = ['Accept: application/hal+json', 'Expect:'];
        // Options are forgotten, the connection is kept. If it has died meanwhile, curl repeats by itself, once.
        curl_reset($this->connection);
        curl_setopt_array($this->connection, [
            CURLOPT_URL => rtrim($this->url, '/') . $path,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $body === null ? $sent : [...$sent, 'Content-Type: application/hal+json'],
            CURLOPT_USERPWD => "$this->user:$this->password",
            CURLOPT_TIMEOUT_MS => (int) (PATIENCE * 1000 / $this->speed), // for all of it, not for each byte
            CURLOPT_FOLLOWLOCATION => false,
            // On a connection that it uses again curl repeats a lost request by itself, and this client would not know.
            CURLOPT_FRESH_CONNECT => true,
            // Over HTTPS an exam names the file of the certificate authority to trust; none is curl's own.
            CURLOPT_CAINFO => getenv('MAILING_SYNC_CA_FILE') ?: null,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_HEADERFUNCTION => function ($_, string $line) use (&$headers): int {
                if (str_starts_with($line, 'HTTP/')) {
                    $headers = []; // those of an informational answer do not count
                }
                [$name, $value] = [...explode(':', $line, 2), ''];
                $headers[strtolower($name)] = trim($value);
                return strlen($line);
            },
        ]);
        if ($body !== null) {
            curl_setopt($this->connection, CURLOPT_POSTFIELDS, $body);
        }
        $text = curl_exec($this->connection);
        $isWhole = curl_errno($this->connection) === CURLE_OK && is_string($text);
        return $isWhole ? new Answer(curl_getinfo($this->connection, CURLINFO_RESPONSE_CODE), $headers, $text) : null;
    }

    /** Reading changes nothing, so it may be repeated. */
    public function read(string $path): ?Answer
    {
        for ($nth = 0; $nth < 4; $nth++) {
            $answer = $this->ask('GET', $path);
            if ($answer && ($answer->status === 200 || $answer->isRefusal())) {
                return $answer;
            }
            if ($nth < 3) {
                wait(pause($nth, 0));
            }
        }
        return null;
    }
}

/** One directory is one intention to send. When a call returns, it is on the disk. */
final class Memory
{
    private readonly string $file;

    public function __construct(private readonly string $directory, string $synchronizationId)
    {
        if (!is_dir($directory)) {
            mkdir($directory, 0o777, true);
        }
        $this->file = $directory . '/sending-' . rawurlencode($synchronizationId) . '.json';
    }

    /**
     * Does the work once no other worker works on the intention; null if that takes too long. The system takes the lock from a
     * process that dies.
     *
     * @param callable(): string $work
     */
    public function alone(callable $work): ?string
    {
        $lock = fopen("$this->file.lock", 'cb') ?: throw new RuntimeException("$this->file.lock cannot be written");
        try {
            $end = wait(0) + LOCK_LIMIT;
            for ($nth = 0; !flock($lock, LOCK_EX | LOCK_NB); $nth++) {
                if (wait(pause($nth, 0)) > $end) {
                    return null;
                }
            }
            return $work();
        } finally {
            fclose($lock);
        }
    }

    public function recall(): ?array
    {
        $text = is_file($this->file) ? file_get_contents($this->file) : false;
        return $text === false ? null : json_decode($text, true, 512, JSON_THROW_ON_ERROR);
    }

    public function keep(array $intent): void
    {
        $draft = $this->draft($intent);
        rename($draft, $this->file) || throw new RuntimeException("$this->file cannot be written");
        $this->flush();
    }

    private function draft(array $intent): string
    {
        $draft = $this->file . '.' . bin2hex(random_bytes(16));
        $file = fopen($draft, 'wb');
        fwrite($file, json_encode($intent, JSON_THROW_ON_ERROR));
        fsync($file) || throw new RuntimeException("$draft cannot be written");
        fclose($file);
        return $draft;
    }

    private function flush(): void
    {
        $directory = @fopen($this->directory, 'rb');
        if ($directory) {
            @fsync($directory);
            fclose($directory);
        }
    }
}

/** Exponential, half of it drawn, never less than was asked for. `nth` counts from 0. */
function pause(int $nth, float $told): float
{
    $whole = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** $nth);
    return max($told, $whole / 2 + random_int(0, 1000) / 1000 * $whole / 2);
}

/** What an answer says, and for how long to wait. Only a whole sending that is ours is believed. */
function hear(?Answer $answer, array $intent): array
{
    if ($answer === null) {
        return ['nothing', 0];
    }
    $wait = $answer->retryAfter();
    if ($answer->isRefusal()) {
        return ['refused', $wait];
    }
    $sending = in_array($answer->status, [200, 201], true) ? $answer->document() : null;
    $state = $sending['state'] ?? null;
    $isOurs = ($sending['transactionId'] ?? null) === $intent['transactionId']
        && ($sending['mailingSynchronizationId'] ?? null) === $intent['synchronizationId'];
    $isKnown = in_array($state, STATES, true) && ($answer->status !== 201 || $state === 'CREATED');
    return [$isOurs && $isKnown ? $state : 'nothing', $wait];
}

function send(Service $service, Memory $memory, string $synchronizationId, ?string $scheduleDate): string
{
    $path = '/integrations/mailing-platform/mailing-synchronizations/' . rawurlencode($synchronizationId);
    $intent = $memory->recall();
    if ($intent === null) {
        if (isReady($service, $path) === false) {
            return 'not-sent';
        }
        // Transaction ID and payload are safe before anything is sent: after a crash the same can be repeated.
        $intent = beginning($synchronizationId, $scheduleDate);
    }
    while ($intent['outcome'] === null) {
        $intent['attempts']++;
        $intent['since'] = $intent['attempts'] === 1 ? wait(0) : $intent['since'];
        $memory->keep($intent);
        $body = json_encode([...$intent['payload'], 'transactionId' => $intent['transactionId']], JSON_THROW_ON_ERROR);
        $answer = $service->ask('POST', "$path/sendings", $body);
        $intent['answered'] += $answer === null ? 0 : 1;
        [$heard, $told] = hear($answer, $intent);
        [$intent['outcome'], $wait] = decide($heard, $told, $intent, wait(0));
        if ($intent['outcome'] === 'look') {
            $intent['outcome'] = look($service, $path, $intent);
        }
        $memory->keep($intent);
        if ($intent['outcome'] === null) {
            wait($wait);
        }
    }
    return $intent['outcome'];
}

function beginning(string $synchronizationId, ?string $scheduleDate): array
{
    $identity = bin2hex(random_bytes(16));
    return [
        'id' => $identity,
        'synchronizationId' => $synchronizationId,
        'payload' => $scheduleDate === null ? [] : ['scheduleDate' => $scheduleDate],
        'transactionId' => "$identity:0",
        'recreated' => 0,
        'attempts' => 0,
        'answered' => 0,
        'since' => null,
        'pendingSince' => null,
        'failedSince' => null,
        'outcome' => null,
    ];
}

/** What is believed in the end, or null and for how long to wait before the next attempt. */
function decide(string $heard, float $told, array &$intent, float $now): array
{
    switch ($heard) {
        case 'CREATED':
            return ['sent', 0];
        case 'INDETERMINATE_FAILURE':
            return ['unknown', 0];
        case 'refused':
            // On a repeat it is about the repeat: an earlier attempt may have been processed.
            return [$intent['attempts'] > 1 ? 'look' : 'not-sent', 0];
        case 'FAILED':
            $intent['failedSince'] ??= $now;
            $wait = pause($intent['recreated'], $told);
            $isLate = $now + $wait > $intent['failedSince'] + RECREATION_LIMIT - MARGIN;
            if ($intent['recreated'] >= RECREATIONS || $isLate) {
                return ['not-sent', 0];
            }
            $recreated = $intent['recreated'] + 1;
            $transactionId = "$intent[id]:$recreated";
            $anew = ['attempts' => 0, 'answered' => 0, 'pendingSince' => null];
            $intent = [...$intent, ...compact('recreated', 'transactionId'), ...$anew];
            return [null, $wait];
        case 'PENDING':
            $intent['pendingSince'] ??= $now;
    }
    $end = $intent['since'] + SILENCE_LIMIT;
    if ($intent['pendingSince'] !== null) {
        $end = $intent['pendingSince'] + PENDING_LIMIT - MARGIN;
        if ($intent['failedSince'] !== null) {
            $end = min($end, $intent['failedSince'] + RECREATION_LIMIT - MARGIN);
        }
    }
    $left = $end - $now;
    // The last look is at the end of the time there is.
    return $left < 1 || $told > $left ? ['unknown', 0] : [null, min(pause($intent['attempts'] - 1, $told), $left)];
}

/** Section 3/3; null where nobody says. */
function isReady(Service $service, string $path): ?bool
{
    $answer = $service->read($path);
    return match (true) {
        $answer === null => null,
        $answer->status !== 200 => false,
        default => $answer->document()['readyForSending'] ?? null,
    };
}

/** After a refused repeat: whether there is a sending after all. Section 3/2: in all states. */
function look(Service $service, string $path, array $intent): string
{
    $target = "$path/sendings?includeAllStates=true";
    while ($target !== null) {
        $answer = $service->read($target);
        $collection = $answer?->status === 200 ? $answer->document() : null;
        if ($collection === null) {
            return 'unknown';
        }
        foreach ($collection['_embedded'] ?? [] as $relation => $sendings) {
            foreach (str_ends_with($relation, 'sendings') ? $sendings : [] as $sending) {
                if (($sending['transactionId'] ?? null) === $intent['transactionId']) {
                    return ['CREATED' => 'sent', 'FAILED' => 'not-sent'][$sending['state'] ?? ''] ?? 'unknown';
                }
            }
        }
        $next = parse_url($collection['_links']['next']['href'] ?? '');
        $isLast = ($next['path'] ?? '') === '';
        $target = $isLast ? null : $next['path'] . (isset($next['query']) ? "?$next[query]" : '');
    }
    // An attempt without an answer may still be on its way, and be processed after this look.
    return $intent['answered'] < $intent['attempts'] ? 'unknown' : 'not-sent';
}

function main(): int
{
    $settings = [];
    foreach (['URL', 'USER', 'PASSWORD', 'SYNCHRONIZATION_ID', 'STATE'] as $name) {
        $settings[$name] = (string) getenv("MAILING_SYNC_$name");
    }
    $missing = array_keys($settings, '', true);
    if ($missing !== []) {
        fwrite(STDERR, 'MAILING_SYNC_' . implode(', MAILING_SYNC_', $missing) . " must be set\n");
        return 2;
    }
    $speed = (float) (getenv('MAILING_SYNC_SPEED') ?: 1);
    $service = new Service($settings['URL'], $settings['USER'], $settings['PASSWORD'], $speed);
    $memory = new Memory($settings['STATE'], $settings['SYNCHRONIZATION_ID']);
    $scheduleDate = getenv('MAILING_SYNC_SCHEDULE_DATE') ?: null;
    $send = fn (): string => send($service, $memory, $settings['SYNCHRONIZATION_ID'], $scheduleDate);
    $outcome = $memory->alone($send) ?? 'unknown';
    echo "$outcome\n";
    return EXIT_CODES[$outcome];
}

/** An error of its own is "unknown" as well: something may have been sent. */
function codeOfMain(): int
{
    try {
        return main();
    } catch (Throwable $error) {
        fwrite(STDERR, $error::class . ": {$error->getMessage()}\n");
        return 3;
    }
}

if (getenv('MAILING_SYNC_WARM') === false) {
    exit(codeOfMain());
}
while (nextCase()) {
    echo json_encode(['believes' => [0 => 'sent', 1 => 'not-sent'][codeOfMain()] ?? 'unknown']), "\n";
}
