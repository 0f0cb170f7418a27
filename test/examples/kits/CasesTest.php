<?php

declare(strict_types=1);

use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/MailingSyncMock.php';

/** Holds the kit for PHP against the cases that all kits share. */
final class CasesTest extends TestCase
{
    use MailingSyncMock;

    private const NEWSLETTER = '22222222-0000-4000-8000-000000000001';

    public static function cases(): iterable
    {
        foreach (json_decode(file_get_contents(getenv('CASES')), true) as ['name' => $name, 'steps' => $steps]) {
            yield $name => [$steps];
        }
    }

    /** @dataProvider cases */
    public function testCase(array $steps): void
    {
        $space = new MailingSpace(MailingSpace::url());
        foreach ($steps as $step) {
            $message = null;
            try {
                $given = $this->play($space, $step);
            } catch (AssertionFailedError $error) {
                $message = $error->getMessage();
            }
            if (!isset($step['fails']) && $message !== null) {
                self::fail(json_encode($step) . ": $message");
            }
            foreach ($step['fails'] ?? [] as $part) {
                self::assertStringContainsString($part, (string) $message);
            }
            if (isset($step['gives'])) {
                self::assertSame($step['gives'], $given, json_encode($step));
            }
        }
    }

    public function testATestGetsASpaceThatIsRemovedAtItsEnd(): void
    {
        if (getenv('SCENARIO')) {
            $this->space()->arm(getenv('SCENARIO'));
        }
        if (getenv('IDLE')) {
            return;
        }
        self::assertSame(getenv('STATE') ?: 'CREATED', $this->send($this->space(), 'one'));
        if (getenv('BELIEVES')) {
            $this->space()->endWith(['believes' => getenv('BELIEVES'), 'expected' => 1]);
            return;
        }
        $this->space()->assertSentExactlyOnce(self::NEWSLETTER);
    }

    private function play(MailingSpace $space, array $step): mixed
    {
        $whose = $step['synchronizationId'] ?? null;
        $end = array_intersect_key($step, ['believes' => 0, 'expected' => 0]);
        return match ($step['do']) {
            'send' => $this->send($space, $step['transactionId'], $step['password'] ?? 'demo'),
            'requests' => count($space->requests(['operation' => 'createSending'] + array_intersect_key($step, ['limit' => 0]))),
            'mailings' => $space->control('GET', "/mailings?name=$step[name]")['count'],
            'ownSent' => $space->platform(['seeded' => false])['summary']['sent'],
            'sent' => count($space->sent()),
            'now' => $space->now(),
            'verdict' => $space->verdict($end)['outcome'],
            'arm' => $space->arm($step['scenario']),
            'disarm' => $space->control('DELETE', '/scenario'),
            'fault' => $space->fault($step['rule']),
            'freeze' => $space->freeze($step['at']),
            'advance' => $space->advance($step['by']),
            'wait' => -strtotime($space->now()) + $space->wait($step['by']),
            'assertSentExactlyOnce' => $space->assertSentExactlyOnce($whose),
            'assertSent' => $space->assertSent($step['count'], $whose),
            'assertNoFindings' => $space->assertNoFindings($end),
            'assertFired' => $space->assertFired(),
            'endWith' => $space->endWith($end),
            'ignoreVerdict' => $space->ignoreVerdict(),
            'end' => $space->control('DELETE', ''),
            'finish' => $space->finish(),
        };
    }

    /** One attempt: the state that it was told, or `nothing`. */
    private function send(MailingSpace $space, string $transactionId, string $password = 'demo'): string
    {
        $context = stream_context_create(['http' => [
            'method' => 'POST',
            'header' => ['Content-Type: application/hal+json', 'Authorization: Basic ' . base64_encode("$space->user:$password")],
            'content' => json_encode(['transactionId' => $transactionId]),
        ]]);
        $path = '/integrations/mailing-platform/mailing-synchronizations/' . self::NEWSLETTER . '/sendings';
        $body = @file_get_contents($space->url . $path, false, $context);
        return $body === false ? 'nothing' : json_decode($body, true)['state'];
    }
}
