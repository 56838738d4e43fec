import { setTimeout as delay } from 'node:timers/promises';
import { type Ask, MAX_WAIT_SECONDS } from '../../../src/probe-protocol/protocol';
import { toSentResult } from '../../../src/probing/results/sent-result';
import { type ScriptedResult, ScriptedTarget } from '../checker/scripted-checker';
import { newProbe, type ProbeSettings, type ServiceOfProbe } from './new-probe';
import { ProtocolClient } from './protocol-client';
import type { StartedProbe } from './start-probe';

/** After something went wrong: the service may start again, or take its token again. */
const PAUSE_MS = 100;

/**
 * A probe that checks only what somebody asks for, `POST /endpoints/:id/checks?location=…`, try-outs, and second opinions that the
 * service wants, and finds what the test says: first what was queued, one check each, then always the same. Its slots pass by.
 */
export class ScriptedProbe implements StartedProbe {
  private readonly script: ScriptedTarget;
  private readonly client: ProtocolClient;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  /** Asked for before it was told of the endpoint: changes are told each second. */
  private early: Ask[] = [];
  private newestMs = 0;

  /** Not for tests: `startScriptedProbe`. */
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

  /** How often it has been asked. */
  get checks(): number {
    return this.script.checks;
  }

  /** For the next checks, one each, in this order, behind those that are queued already. */
  next(...results: readonly ScriptedResult[]): this {
    this.script.next(...results);
    return this;
  }

  /** For every check that nothing is queued for; `up` from the beginning. */
  always(result: ScriptedResult): this {
    this.script.always(result);
    return this;
  }

  /** Is heard once more: after `advance` by more than a minute it would be offline until its next poll. */
  async sync(): Promise<void> {
    await this.poll(0);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Until it is stopped, whatever the service does: that may be away, start again elsewhere, or refuse it. */
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
    await this.answer([...this.early.splice(0), ...body.asks], body.now);
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

  private resultOf({ ask, endpoint_id: endpointId }: Ask, revision: number, nowMs: number) {
    // Two checks of one moment are the same check.
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
    return toSentResult(check, { ask, isTryOut: endpointId === null });
  }
}

/** Makes a probe that finds what the test says. Resolves when the service has heard it. */
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
