<?php

/** Cases and waits of a client that mailing-sync-mock keeps running (--warm). One file to copy, PHP 8.1 or newer. */

declare(strict_types=1);

/** Puts the variables of the next case into the environment. After it, print {"believes":"sent"}. False after the last one. */
function nextCase(): bool
{
    $line = fgets(STDIN);
    array_map('putenv', ['MAILING_SYNC_SCHEDULE_DATE', 'MAILING_SYNC_WAIT']);
    foreach ($line === false ? [] : json_decode($line, true, 2, JSON_THROW_ON_ERROR) as $name => $value) {
        putenv("$name=$value");
    }
    return $line !== false;
}

/** Waits, and returns the time on the clock of the service, in seconds since 1970. `wait(0)` is the time now. */
function wait(float $seconds): float
{
    if (getenv('MAILING_SYNC_WAIT') === false) {
        $speed = (float) (getenv('MAILING_SYNC_SPEED') ?: 1);
        usleep((int) ($seconds * 1e6 / $speed));
        return microtime(true) * $speed;
    }
    echo json_encode(['wait' => $seconds * 1000]), "\n";
    $answer = json_decode((string) fgets(STDIN), true, 2, JSON_THROW_ON_ERROR);
    return (float) (new DateTimeImmutable($answer['now']))->format('U.u');
}
