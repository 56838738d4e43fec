import { Injectable, Logger } from '@nestjs/common';
import type { SendOutcome } from '../../channel/channel';
import { ChannelBug, ChannelRegistry } from '../../channel/channel.registry';
import { ATTEMPT_LIMIT_MS } from '../../channel/provider-client';
import { DatabaseClock } from '../../platform/database/database-clock';
import { failpoint } from '../../platform/observability/failpoints';
import { DeliveryMetrics } from '../delivery.metrics';
import type { Attempt } from './attempt';
import { type AttemptContent, AttemptReader, type NothingToSend } from './attempt-notification';
import { AttemptResults } from './attempt-results';
import { MessageLinks } from './message-links';

/** A lease that expires sooner than this is no longer used for sending. */
const SAFE_LEASE_MS = ATTEMPT_LIMIT_MS + 5000;

/** Performs one leased attempt and writes its outcome. Keeps no transaction open while it sends. */
@Injectable()
export class DeliverySender {
  private readonly logger = new Logger(DeliverySender.name);

  constructor(
    private readonly reader: AttemptReader,
    private readonly results: AttemptResults,
    private readonly channels: ChannelRegistry,
    private readonly clock: DatabaseClock,
    private readonly links: MessageLinks,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /**
   * Sends an attempt. Never throws because of the provider or the config. Throws if the database fails before anything
   * is sent.
   */
  async send(attempt: Attempt, shutdown: AbortSignal): Promise<void> {
    const content = await this.reader.read(attempt);
    if ('cannot' in content) return this.end(attempt, content);
    attempt.host = content.host;
    await failpoint('outbox.before_send');
    if (shutdown.aborted || this.clock.monotonic() > attempt.leaseEndsAt - SAFE_LEASE_MS)
      return this.results.release(attempt);
    const startedAt = this.clock.monotonic();
    const outcome = await this.attempt(attempt.channelType, content, shutdown);
    await failpoint('outbox.after_send');
    await this.results.recordOutcome(attempt, outcome, (this.clock.monotonic() - startedAt) / 1000);
    await failpoint('outbox.after_ack');
  }

  private end(attempt: Attempt, nothing: NothingToSend): Promise<void> {
    switch (nothing.cannot) {
      case 'lost':
        return this.results.release(attempt);
      case 'orphaned':
        return this.results.drop(attempt);
      case 'unsendable':
        return this.results.park(attempt, nothing.reason);
      default:
        return nothing satisfies never;
    }
  }

  /** Performs one attempt without writing anything. Never throws. */
  async attempt(
    channelType: string,
    { notification, config, egress }: Omit<AttemptContent, 'host'>,
    shutdown: AbortSignal,
  ): Promise<SendOutcome> {
    const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT_LIMIT_MS), shutdown]);
    try {
      const linked = this.links.addTo(notification, this.channels.audienceOf(channelType, config));
      return await this.channels.send(channelType, linked, config, { egress, signal });
    } catch (error) {
      this.metrics.bug(channelType);
      this.logger.error(`the ${channelType} channel failed: ${describe(error)}`);
      return {
        result: 'retry',
        status: null,
        error: 'The attempt failed because of an error in the service.',
        retryAfterMs: null,
        mayHaveArrived: true,
      };
    }
  }
}

/** An error message from a channel may quote a config, so only the error's name and where it was thrown are logged. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'it threw something that is not an error';
  if (error instanceof ChannelBug) return error.message;
  return `${error.name} ${error.stack?.split('\n')[1]?.trim() ?? ''}`;
}
