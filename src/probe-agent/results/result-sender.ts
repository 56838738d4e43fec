import { Injectable, Logger } from '@nestjs/common';
import { PROTOCOL, RESULTS_PATH, type ResultsRequest } from '../../probe-protocol/protocol';
import { isRecord } from '../../platform/text/json';
import { Clock } from '../../platform/time/clock';
import { SECOND_MS } from '../../platform/time/time-units';
import { ProbeAgentMetrics } from '../probe-agent.metrics';
import { ProbeSession } from '../server/probe-session';
import { askedPauseMs, retryAfterMs } from '../server/retry';
import { ServerConnection, type ServerReply, ServerUnreachable } from '../server/server-connection';
import { type Batch, ResultBuffer } from './result-buffer';
import { cut } from '../../platform/text/text-limits';

const LIMIT_MS = 30 * SECOND_MS;
/** The pause while the token is rejected. Polling detects when it is accepted again. */
const REFUSED_MS = SECOND_MS;

/** Sends the buffered results, one request after another, and retries rejected ones. */
@Injectable()
export class ResultSender {
  private readonly logger = new Logger(ResultSender.name);
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private wake: () => void = () => {};
  private restsUntil = Infinity;
  private failures = 0;
  /** The number of consecutive rejections of batches that contain results without changes. */
  private refusals = 0;
  /** Nothing is sent before this time, in monotonic milliseconds. */
  private pausedUntil = -Infinity;
  /** The maximum number of results in a request. It is lowered while the service can't parse one of them. */
  private most: number | undefined;
  private isDraining = false;

  constructor(
    private readonly buffer: ResultBuffer,
    private readonly connection: ServerConnection,
    private readonly session: ProbeSession,
    private readonly metrics: ProbeAgentMetrics,
    private readonly clock: Clock,
  ) {
    buffer.onAdded(() => {
      if (buffer.dueAt < this.restsUntil) this.wake();
    });
  }

  start(): void {
    this.running = this.run();
  }

  /** Sends everything and stops, after `limitMs` at the latest. */
  async drain(limitMs: number): Promise<void> {
    this.isDraining = true;
    this.pausedUntil = -Infinity;
    this.wake();
    const limit = setTimeout(() => this.stop(), limitMs);
    await this.running;
    clearTimeout(limit);
    if (this.buffer.backlog > 0)
      this.logger.error(`Could not send ${this.buffer.backlog} results before the process ended.`);
  }

  private stop(): void {
    this.stopping.abort();
    this.wake();
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const waitMs =
        Math.max(this.isDraining ? -Infinity : this.buffer.dueAt, this.pausedUntil) - this.clock.monotonic();
      if (this.isDraining && this.buffer.backlog === 0) return;
      if (waitMs > 0) await this.rest(waitMs);
      else await this.sendOne();
    }
  }

  /** Waits for this time, or until a result is added. */
  private async rest(ms: number): Promise<void> {
    const waking = new AbortController();
    this.wake = () => waking.abort();
    this.restsUntil = this.clock.monotonic() + ms;
    await this.clock.sleep(Math.min(ms, REFUSED_MS), waking.signal);
    this.wake = () => {};
  }

  private async sendOne(): Promise<void> {
    if (this.session.isRefused) return this.pause(REFUSED_MS);
    const batch = this.buffer.take(this.most);
    if (batch.entries.length === 0) return;
    const request: ResultsRequest = { protocol: PROTOCOL, session: this.session.id, results: [...batch.results] };
    try {
      const options = { waitMs: 0, limitMs: LIMIT_MS, signal: this.stopping.signal };
      this.took(batch, await this.connection.post(RESULTS_PATH, request, options));
    } catch (error) {
      this.buffer.putBack(batch);
      if (!(error instanceof ServerUnreachable)) throw error;
      this.failed(error.message);
    }
  }

  private took(batch: Batch, reply: ServerReply): void {
    const { meaning, status, body } = reply;
    if (meaning === 'done') {
      this.failures = 0;
      if (!batch.isAlone) this.refusals = 0;
      this.most = undefined;
      this.buffer.settle(batch);
      this.note(body);
      this.pause(numberOf(body['pause_ms']));
    } else if (meaning === 'unreadable') {
      this.halve(batch, status);
    } else {
      const askedMs = meaning === 'busy' ? askedPauseMs(reply.retryAfter, Math.random()) : null;
      this.buffer.putBack(batch, askedMs === null ? 0 : this.othersMs(batch, askedMs));
      if (meaning === 'refused') this.session.isRefused = true;
      if (askedMs === null) this.failed(`it responded with status ${status}`);
      else this.pause(askedMs);
    }
  }

  /**
   * Returns an increasing pause. When many probes reconnect at the same time, each rejected request uses capacity that
   * the others need.
   */
  private othersMs({ isAlone }: Batch, askedMs: number): number {
    if (!isAlone) this.refusals += 1;
    return askedMs + retryAfterMs(this.refusals, Math.random());
  }

  /**
   * Isolates a result that the service can't parse. It sends smaller and smaller batches until the result is alone, and
   * then drops it.
   */
  private halve(batch: Batch, status: number): void {
    const count = batch.entries.length;
    if (count > 1) {
      this.most = Math.ceil(count / 2);
      return this.buffer.putBack(batch);
    }
    this.logger.error(`The service rejects a result with status ${status}; the result is given up.`);
    this.most = undefined;
    this.buffer.giveUp(batch);
  }

  private note(body: ServerReply['body']): void {
    const refused: unknown[] = Array.isArray(body['refused']) ? body['refused'] : [];
    this.metrics.sent('recorded', numberOf(body['recorded']));
    this.metrics.sent('duplicate', numberOf(body['duplicates']));
    this.metrics.sent('late', numberOf(body['late']));
    this.metrics.sent('refused', refused.length);
    if (refused.length === 0) return;
    const codes = [...new Set(refused.map((one) => (isRecord(one) ? cut(String(one['code']), 40, '') : '')))].join(
      ', ',
    );
    this.logger.debug(`${refused.length} results were rejected: ${codes}`);
  }

  private failed(why: string): void {
    this.failures += 1;
    this.logger.debug(`Results are waiting: ${why}`);
    this.pause(retryAfterMs(this.failures, Math.random()));
  }

  private pause(ms: number): void {
    this.pausedUntil = this.clock.monotonic() + ms;
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
