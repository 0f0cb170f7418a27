<?php

declare(strict_types=1);

use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/MailingSyncMock.php';
require_once __DIR__ . '/MailingClient.php';

final class RetryTest extends TestCase
{
    use MailingSyncMock;

    private const NEWSLETTER = '22222222-0000-4000-8000-000000000001';

    public function testAsksAgainWhileTheSendingIsPending(): void
    {
        $this->space()->arm('pending-until-4m50');
        self::assertSame('CREATED', $this->send());
        $this->space()->assertFired();
        $this->space()->assertSentExactlyOnce(self::NEWSLETTER);
        $this->space()->assertNoFindings(['believes' => 'sent']);
    }

    public function testRepeatsWhenTheResponseIsLostAfterTheSend(): void
    {
        $this->space()->arm('reset-after');
        $state = $this->send();
        $this->space()->assertSentExactlyOnce(self::NEWSLETTER);
        self::assertSame('CREATED', $state);
        self::assertCount(2, $this->space()->requests(['operation' => 'createSending']));
    }

    public function testRepeatsWithTheSameIdWhenItTimesOut(): void
    {
        $this->space()->arm('hang-after');
        self::assertSame('CREATED', $this->send(timeout: 0.3));
        [$first, $second] = $this->space()->requests(['operation' => 'createSending']);
        self::assertSame($first['body'], $second['body']);
        $this->space()->assertSentExactlyOnce(self::NEWSLETTER);
    }

    public function testLeavesAnUncertainSendingAloneThatWentOut(): void
    {
        $this->leavesAlone('indeterminate-sent', 1);
    }

    public function testLeavesAnUncertainSendingAloneThatDidNotGoOut(): void
    {
        $this->leavesAlone('indeterminate-not-sent', 0);
    }

    private function leavesAlone(string $scenario, int $sent): void
    {
        $this->space()->arm($scenario);
        self::assertSame('INDETERMINATE_FAILURE', $this->send());
        self::assertCount(1, $this->space()->requests(['operation' => 'createSending']));
        $this->space()->assertSent($sent, self::NEWSLETTER);
    }

    /** Waiting moves the space's clock, so nothing sleeps. A timeout passes in real time, so a test makes it short. */
    private function send(float ...$limits): string
    {
        $space = $this->space();
        return (new MailingClient($space->url, $space->user, $space->password, $space->advance(...), ...$limits))->send(self::NEWSLETTER);
    }
}
