<?php

declare(strict_types=1);

/** A client for the recipe beside it; yours stands in its place. */
final class MailingClient
{
    public function __construct(
        private readonly string $url,
        private readonly string $user,
        private readonly string $password,
        private readonly Closure $waitSeconds,
        private readonly float $timeout = 30,
    ) {
    }

    /** Repeats with the same transaction ID while the response is lost or PENDING, for five minutes at most. */
    public function send(string $synchronizationId): string
    {
        $url = "$this->url/integrations/mailing-platform/mailing-synchronizations/$synchronizationId/sendings";
        $context = stream_context_create(['http' => [
            'method' => 'POST',
            'header' => [
                'Authorization: Basic ' . base64_encode("$this->user:$this->password"),
                'Content-Type: application/hal+json',
            ],
            'content' => json_encode(['transactionId' => bin2hex(random_bytes(16))]),
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            'follow_location' => 0,
        ]]);
        for ($waited = 0, $pause = 1; $waited < 300; $waited += $pause, $pause = min(2 * $pause, 20)) {
            $http_response_header = [];
            $body = @file_get_contents($url, false, $context);
            $status = (int) substr($http_response_header[0] ?? '', 9, 3); // 0: lost, and only a repeat tells
            if ($status >= 400 && $status < 500) {
                return "refused with $status";
            }
            $state = json_decode((string) $body, true)['state'] ?? 'PENDING';
            if ($status > 0 && $status < 400 && $state !== 'PENDING') {
                return $state;
            }
            ($this->waitSeconds)($pause);
        }
        return 'UNKNOWN';
    }
}
