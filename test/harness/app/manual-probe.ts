import { gzipSync } from 'node:zlib';
import { newProbe } from '../../../packages/testing/probe/new-probe';
import { newSession, ProtocolClient } from '../../../packages/testing/probe/protocol-client';
import type { PollResponse, SentCheck, SentResult } from '../../../src/probe-protocol/protocol';
import { numberChanges } from '../../../src/monitoring/probes/poll/probe-numbering.job';
import { WorkerDatabase } from '../../../src/platform/database/database';
import type { TestApp } from './app';

/** A probe that doesn't run checks. The test triggers each request and provides the results. */
export class ManualProbe extends ProtocolClient {
  constructor(
    url: string,
    /** Starts with `pr_`. */
    readonly id: string,
    /** The name that endpoints use for its location. */
    readonly location: string,
    token: string,
    session = newSession(),
  ) {
    super(url, token, session);
  }

  /** Returns another process with the same token. */
  another(): ManualProbe {
    return new ManualProbe(this.url, this.id, this.location, this.token);
  }

  /** Like `post`, but compressed. */
  postPacked<Body>(path: string, body: unknown) {
    return this.post<Body>(path, gzipSync(JSON.stringify(body)), { 'content-encoding': 'gzip' });
  }

  /**
   * Returns a result for an assigned endpoint in the newest slot before `atMs`, checked at that time. It is up unless
   * `result` says otherwise.
   */
  result(endpointId: string, atMs: number, result: Partial<SentCheck> = {}): SentResult {
    const held = this.held.get(endpointId);
    if (!held) throw new Error(`the probe does not hold ${endpointId}`);
    const stride = held.interval * 1000;
    const slot = Math.floor((atMs - held.phase_ms) / stride) * stride + held.phase_ms;
    return resultOf({ endpoint_id: endpointId, revision: held.revision, slot, checked_at: slot + 2 }, result);
  }
}

const UP: SentCheck = {
  outcome: 'up',
  duration_ms: 12.4,
  phases: { dns_ms: null, connect_ms: 1.2, tls_ms: null, first_byte_ms: 3.1, transfer_ms: 0.2 },
  status_code: 200,
  address: '192.0.2.1',
  certificate: null,
  records: null,
  redirects: [],
  error: null,
  warning: null,
};

/** The result of a check whose target is down. */
export const DOWN: Partial<SentCheck> = {
  outcome: 'down',
  status_code: null,
  error: { code: 'connection_refused', phase: 'connect', message: 'The connection to 192.0.2.1 port 443 was refused.' },
};

/** Returns a row in a batch: the endpoint, the slot or the on-demand request, and the result. */
export const resultOf = (
  of: Pick<SentResult, 'endpoint_id' | 'revision' | 'checked_at'> & Partial<SentResult>,
  result: Partial<SentCheck> = {},
): SentResult => ({
  slot: null,
  request_id: null,
  attempts: 1,
  first_error: null,
  ...of,
  result: { ...UP, ...result },
});

/** Creates a probe and makes its first poll, so that it is online. */
export async function startManualProbe(app: TestApp, key: string, fields: object = {}): Promise<ManualProbe> {
  const { id, token } = await newProbe(app, { key, allow_private: false, ...fields });
  const probe = new ManualProbe(app.url, id, key, token);
  await probe.sync();
  return probe;
}

/** Runs a worker's sweep now. Otherwise, it runs every second. */
export const numberNow = async ({ app }: Pick<TestApp, 'app'>): Promise<void> => {
  await numberChanges(app.get(WorkerDatabase));
};

/** Polls until the probe is asked for an on-demand check. */
export async function nextAsks(probe: ManualProbe): Promise<PollResponse['requests']> {
  for (;;) {
    const { status, body, text } = await probe.poll({ wait: 10 });
    if (status !== 200) throw new Error(`the poll was refused: ${text}`);
    if (body.requests.length > 0) return body.requests;
  }
}
