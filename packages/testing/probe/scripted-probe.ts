import { setTimeout as delay } from 'node:timers/promises';
import { type Ask, MAX_WAIT_SECONDS } from '../../../src/probe-protocol/protocol';
import { toSentResult } from '../../../src/probe-agent/results/sent-result';
import { type ScriptedResult, ScriptedTarget } from '../checker/scripted-checker';
import { newProbe, type ProbeSettings, type ServiceOfProbe } from './new-probe';
import { ProtocolClient } from './protocol-client';
import type { StartedProbe } from './start-probe';

/** The pause after an error. The service may be restarting, or it may accept the token again later. */
const PAUSE_MS = 100;

/**
 * A probe that only runs requested checks: `POST /endpoints/:id/checks?location=…`, test checks, and second opinions
 * for the service. It returns the test's results. Each check takes the next result from the queue. When the queue is
 * empty, the result is always the same. Scheduled slots are ignored.
 */
export class ScriptedProbe implements StartedProbe {
  private readonly script: ScriptedTarget;
  private readonly client: ProtocolClient;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  /** Requests for an endpoint that the probe doesn't know yet. It learns of changes once a second. */
  private early: Ask[] = [];
  private newestMs = 0;

  /** Tests should use `startScriptedProbe` instead. */
  constructor(
    private readonly service: ServiceOfProbe,
    readonly id: string,
    readonly location: string,
    token: string,
  ) {
    this.script = new ScriptedTarget(location);
    this.client = new ProtocolClient(service.url, token);
    this.running = this.run();
  }

  /** The number of requested checks so far. */
  get checks(): number {
    return this.script.checks;
  }

  /** Adds results to the queue, one for each of the next checks. */
  next(...results: readonly ScriptedResult[]): this {
    this.script.next(...results);
    return this;
  }

  /** Sets the result to use when the queue is empty. Initially `up`. */
  always(result: ScriptedResult): this {
    this.script.always(result);
    return this;
  }

  /**
   * Polls once more. Without this, `advance` by more than a minute would make the service treat the probe as offline
   * until its next poll.
   */
  async sync(): Promise<void> {
    await this.poll(0);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Runs until it is stopped. The service may be unavailable, restart elsewhere, or refuse the probe. */
  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted)
      await this.poll(MAX_WAIT_SECONDS).catch(() =>
        delay(PAUSE_MS, undefined, { signal: this.stopping.signal }).catch(() => {}),
      );
  }

  private async poll(wait: number): Promise<void> {
    this.client.url = this.service.url;
    const { status, body, text } = await this.client.poll({ wait }, this.stopping.signal);
    if (status !== 200) throw new Error(`the poll was refused: ${text}`);
    await this.answer([...this.early.splice(0), ...body.requests], body.now);
  }

  private async answer(asks: readonly Ask[], nowMs: number): Promise<void> {
    const results = asks.flatMap((ask) => {
      const { endpoint_id: endpointId } = ask;
      const held = endpointId === null ? null : this.client.held.get(endpointId);
      if (held !== undefined) return [this.resultOf(ask, held?.revision ?? 0, nowMs)];
      if (ask.expires_at > nowMs) this.early.push(ask);
      return [];
    });
    if (results.length > 0) await this.client.send(results);
  }

  private resultOf({ request_id, endpoint_id: endpointId }: Ask, revision: number, nowMs: number) {
    // Two checks with the same time would count as one.
    this.newestMs = Math.max(this.newestMs + 1, Math.round(nowMs));
    const check = {
      endpointId: endpointId ?? '',
      revision,
      slotMs: null,
      checkedAt: new Date(this.newestMs),
      attempts: 1,
      firstError: null,
      result: this.script.check(),
    } as const;
    return toSentResult(check, { requestId: request_id, isTryOut: endpointId === null });
  }
}

/** Creates a probe that returns the test's results. Resolves when the service has seen it. */
export async function startScriptedProbe(service: ServiceOfProbe, settings: ProbeSettings): Promise<ScriptedProbe> {
  const { id, token } = await newProbe(service, settings);
  const probe = new ScriptedProbe(service, id, settings.key, token);
  try {
    await probe.sync();
  } catch (error) {
    await probe.stop();
    throw error;
  }
  return probe;
}
