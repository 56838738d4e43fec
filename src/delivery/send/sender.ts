import { Injectable, Logger } from '@nestjs/common';
import type { SendOutcome } from '../../channel/channel';
import { ChannelConfigs } from '../../channel/config/channel-configs';
import { ChannelRegistry } from '../../channel/channel.registry';
import { EgressPolicy, type EgressRule } from '../../platform/net/egress/egress-policy';
import { armedFailpoint, failpoint } from '../../platform/observability/failpoints';
import { DatabaseClock } from '../../platform/database/database-clock';
import { AttemptResults, type AttemptContent } from './attempt-results';
import { ATTEMPT_LIMIT_MS, type Attempt } from './attempt';
import { SealedConfigs } from '../sealed-config';
import { readUrl } from '../../platform/text/read-url';

/** A lease that ends sooner than this is not used for sending any more. */
const SAFE_LEASE_MS = ATTEMPT_LIMIT_MS + 5000;

/** A message that cannot be sent, for a reason that only a person can change. */
class Unsendable extends Error {}

/** Sends one leased shipment and writes what became of it. Holds no transaction while it sends. */
@Injectable()
export class DeliverySender {
  private readonly logger = new Logger(DeliverySender.name);

  constructor(
    private readonly ledger: AttemptResults,
    private readonly channels: ChannelRegistry,
    private readonly configs: ChannelConfigs,
    private readonly stored: SealedConfigs,
    private readonly egress: EgressPolicy,
    private readonly clock: DatabaseClock,
  ) {}

  /** Never throws for the provider's or the configuration's failure; throws when the database is away before sending. */
  async send(shipment: Attempt, shutdown: AbortSignal): Promise<void> {
    const content = await this.ledger.read(shipment);
    if (!content) return this.ledger.release(shipment);
    if (content.orphaned) return this.ledger.drop(shipment);
    const prepared = this.prepare(shipment, content);
    if (prepared instanceof Unsendable) return this.ledger.park(shipment, prepared.message);
    shipment.host = prepared.host;
    await failpoint('outbox.before_send');
    if (shutdown.aborted || this.clock.monotonic() > shipment.leaseEndsAt - SAFE_LEASE_MS)
      return this.ledger.release(shipment);
    const startedAt = this.clock.monotonic();
    const outcome = await this.attempt(shipment, content, prepared, shutdown);
    await failpoint('outbox.after_send');
    await this.ledger.recordOutcome(shipment, outcome, (this.clock.monotonic() - startedAt) / 1000);
    await failpoint('outbox.after_ack');
  }

  private prepare(shipment: Attempt, content: AttemptContent): Prepared | Unsendable {
    if (!this.channels.has(shipment.channelType))
      return new Unsendable(`There is no channel of type "${shipment.channelType}" in this installation.`);
    try {
      const config = this.stored.open(content.alertId, content.config);
      const egress = this.egress.forOrganization({ isDefault: content.isDefaultOrg });
      return { config, egress, host: this.hostOf(shipment.channelType, config) };
    } catch (error) {
      this.logger.error(`the config of alert ${content.alertId} cannot be read: ${String(error)}`);
      return new Unsendable('The stored configuration cannot be read; save the alert with its configuration again.');
    }
  }

  private async attempt(
    shipment: Attempt,
    { notice }: AttemptContent,
    { config, egress }: Prepared,
    shutdown: AbortSignal,
  ): Promise<SendOutcome> {
    const signal = AbortSignal.any([AbortSignal.timeout(ATTEMPT_LIMIT_MS), shutdown]);
    const context = { egress, signal, afterWritten: armedFailpoint('outbox.after_request_written') };
    try {
      return await this.channels.get(shipment.channelType).send(notice, config, context);
    } catch (error) {
      this.logger.error(`the ${shipment.channelType} channel threw: ${describe(error)}`);
      return {
        result: 'retry',
        status: null,
        error: 'The attempt failed inside the service.',
        retryAfterMs: null,
        mayHaveArrived: true,
      };
    }
  }

  /** What shares the provider's patience: the host a config names, or the vendor itself. */
  private hostOf(channelType: string, config: object): string {
    const [dialed] = this.configs.dialed(channelType, config);
    if (!dialed) return channelType;
    return readUrl(dialed.value)?.host ?? dialed.value.slice(0, 255);
  }
}

interface Prepared {
  config: object;
  egress: EgressRule;
  host: string;
}

/** Errors of a channel's bug may quote a config: only their kind and place are logged. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'something that is no error';
  return `${error.name} ${error.stack?.split('\n')[1]?.trim() ?? ''}`;
}
