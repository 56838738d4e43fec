import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../platform/time/clock';
import { SECOND_MS } from '../platform/time/time-units';
import { MAX_WAIT_SECONDS, POLL_PATH } from '../probe-protocol/protocol';
import { ProbeSession } from './server/probe-session';
import { askedPauseMs, type Meaning, retryAfterMs } from './server/retry';
import { ServerConnection, type ServerReply, ServerUnreachable } from './server/server-connection';
import { PollRequests } from './poll-requests';
import { readPollResponse } from './read-poll-response';
import { Work } from './work';

/** The timeout of a poll, in addition to the time that the service may wait. */
const LIMIT_MS = 15 * SECOND_MS;
/** The pause after the service rejected the token or the protocol version. */
const REFUSED_MS = 30 * SECOND_MS;
/** How often a replaced session checks whether the other session is still active. */
const STANDBY_MS = 5 * SECOND_MS;
/** The minimum pause after an empty poll, regardless of what the service requests. */
const LEAST_MS = 250;

/** Problems that are logged when they start. */
const TOLD: Readonly<Partial<Record<Meaning, string>>> = {
  refused: 'The service rejects the token: it was revoked, or the probe is disabled. All definitions are discarded.',
  replaced: 'Another process uses this token. This process is on standby until the other one stops responding.',
  unsupported: 'The service does not support the protocol of this probe. Update the older of the two.',
};

/** Polls the service for work repeatedly, and applies the responses. */
@Injectable()
export class PollLoop {
  private readonly logger = new Logger(PollLoop.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private failures = 0;
  /** The problem that was logged and hasn't ended yet. */
  private told: Meaning | null = null;
  private isStandby = false;

  constructor(
    private readonly connection: ServerConnection,
    private readonly requests: PollRequests,
    private readonly session: ProbeSession,
    private readonly work: Work,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.running = this.run();
  }

  /** Resolves when polling has stopped. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    let waitMs = 0;
    while (!this.stopping.signal.aborted) {
      const pauseMs = await this.poll(waitMs);
      // After an outage, the lease is renewed immediately.
      const isUrgent = this.work.isPartial || this.isStandby || this.failures > 0;
      waitMs = isUrgent ? 0 : MAX_WAIT_SECONDS * SECOND_MS;
      if (pauseMs > 0) await this.clock.sleep(pauseMs, this.stopping.signal);
    }
  }

  /** Polls once, and resolves to the pause before the next poll. */
  private async poll(mostWaitMs: number): Promise<number> {
    const request = this.requests.next(mostWaitMs, this.isStandby, this.connection.rttMs);
    const waitMs = request.wait * SECOND_MS;
    try {
      const options = { waitMs, limitMs: LIMIT_MS, signal: this.stopping.signal };
      return this.take(await this.connection.post(POLL_PATH, request, options), waitMs);
    } catch (error) {
      if (!(error instanceof ServerUnreachable)) throw error;
      return this.stopping.signal.aborted ? 0 : this.failed(error.message);
    }
  }

  private take(reply: ServerReply, waitMs: number): number {
    switch (reply.meaning) {
      case 'done':
        return this.took(reply, waitMs);
      case 'refused':
      case 'unsupported':
        this.session.isRefused = reply.meaning === 'refused';
        return this.standStill(reply.meaning, REFUSED_MS);
      case 'replaced':
        this.session.isRefused = false;
        this.isStandby = true;
        return this.standStill(reply.meaning, STANDBY_MS);
      case 'busy': {
        const askedMs = askedPauseMs(reply.retryAfter, Math.random());
        return askedMs ?? this.failed(`it responded with status ${reply.status}`);
      }
      case 'unreadable':
      case 'failed':
        return this.failed(`it responded with status ${reply.status}`);
      default:
        return reply.meaning satisfies never;
    }
  }

  private took({ body }: ServerReply, waitMs: number): number {
    const response = readPollResponse(body);
    if (response === null) return this.failed('it sent an invalid response to a poll');
    this.session.isRefused = false;
    this.isStandby = false;
    this.isWell();
    this.work.take(response);
    const broughtNothing = response.endpoints.length + response.removed.length + response.requests.length === 0;
    const leastMs = broughtNothing && waitMs > 0 && !response.has_more ? LEAST_MS : 0;
    return Math.max(response.pause_ms, leastMs);
  }

  private standStill(why: Meaning, pauseMs: number): number {
    this.work.forget();
    if (this.told !== why) this.logger.error(TOLD[why] ?? why);
    this.told = why;
    return pauseMs;
  }

  private failed(why: string): number {
    this.failures += 1;
    if (this.failures === 1)
      this.logger.warn(`The service at ${this.connection.url} cannot be reached: ${why}. Checks continue.`);
    return retryAfterMs(this.failures, Math.random());
  }

  private isWell(): void {
    if (this.failures > 0 || this.told !== null)
      this.logger.log(`The service at ${this.connection.url} can be reached again.`);
    this.failures = 0;
    this.told = null;
  }
}
