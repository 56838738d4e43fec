import { hostname } from 'node:os';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Config } from '../platform/config/config';
import { DatabaseClock } from '../platform/database/database-clock';
import { OPERATORS_EGRESS } from '../platform/net/egress/egress-policy';
import { OutboundHttp } from '../platform/net/http/outbound-http';
import { Clock } from '../platform/time/clock';
import { SECOND_MS } from '../platform/time/time-units';
import { InstanceRegistry } from './instance-registry';
import { overloadEvent, type OverloadEvent, type OverloadNews } from './operator-event';
import { Overload, type OverloadState } from '../engine/dispatch/overload';

const LIMIT_MS = 10_000;
/** The delays between attempts to send an event. After the last attempt, the event is dropped. */
const RETRY_AFTER_MS = [1, 5, 15, 30].map((seconds) => seconds * SECOND_MS);
/**
 * The maximum number of events that wait while the receiver doesn't respond. If there are more, the oldest are dropped.
 */
const MAX_WAITING = 20;
/** How long a shutdown waits for the remaining events. */
const FAREWELL_MS = 3 * SECOND_MS;

/**
 * Notifies the operator's own alerting (`OPERATOR_WEBHOOK_URL`) when an overload of this process starts and ends.
 * Requests are sent one at a time, so an end never overtakes its start. Nothing else waits for them. A process that
 * stops while overloaded sends the end event, so that no alarm remains open.
 */
@Injectable()
export class OperatorEvents implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(OperatorEvents.name);
  private readonly waiting: OverloadEvent[] = [];
  private readonly stopping = new AbortController();
  private sending: Promise<void> | null = null;
  private isFailing = false;

  constructor(
    private readonly config: Config,
    private readonly http: OutboundHttp,
    private readonly clock: Clock,
    private readonly overload: Overload,
    private readonly instances: InstanceRegistry,
    private readonly databaseClock: DatabaseClock,
  ) {}

  onModuleInit(): void {
    this.overload.onChange((state, kind) => this.tell(kind, state));
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { state } = this.overload;
    if (state !== null) this.tell('stopped', state);
    this.stopping.abort();
    if (this.sending) await Promise.race([this.sending, this.clock.sleep(FAREWELL_MS)]);
  }

  private tell(news: OverloadNews, state: OverloadState): void {
    const url = this.config.operatorWebhookUrl;
    if (url === null) return;
    const since = this.databaseClock.dateAt(state.beganAt);
    const origin = { at: this.clock.now(), since, host: hostname(), instance: this.instances.id };
    if (this.waiting.length >= MAX_WAITING) this.waiting.shift();
    this.waiting.push(overloadEvent(news, state, origin));
    this.sending ??= this.sendWaiting(url);
  }

  private async sendWaiting(url: string): Promise<void> {
    for (let event = this.waiting.shift(); event; event = this.waiting.shift()) await this.send(url, event);
    this.sending = null;
  }

  /**
   * Resolves when the event has been delivered or dropped. Never rejects. During shutdown, each event gets one attempt.
   */
  private async send(url: string, event: OverloadEvent): Promise<void> {
    for (const pauseMs of [...RETRY_AFTER_MS, 0]) {
      const problem = await this.attempt(url, event);
      this.report(problem);
      if (problem === null || pauseMs === 0 || this.stopping.signal.aborted) return;
      await this.clock.sleep(pauseMs, this.stopping.signal);
    }
  }

  /** Returns the problem, or `null` if the event was delivered. */
  private async attempt(url: string, event: OverloadEvent): Promise<string | null> {
    try {
      const { status } = await this.http.request({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(event),
        egress: OPERATORS_EGRESS,
        timeoutMs: LIMIT_MS,
      });
      return status < 300 ? null : `it responded ${status}`;
    } catch (error) {
      return error instanceof Error ? error.message : 'unknown';
    }
  }

  /** Logs only the first of several consecutive failures. */
  private report(problem: string | null): void {
    if (problem !== null && !this.isFailing) this.logger.warn(`Could not notify OPERATOR_WEBHOOK_URL: ${problem}`);
    this.isFailing = problem !== null;
  }
}
