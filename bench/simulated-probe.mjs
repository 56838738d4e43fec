// Probes without a checker for bench/probes.mjs. They speak protocol 1 over HTTP (docs/reference/probe-protocol.md), schedule
// checks, and report everything as up. Slots, waits, and retries are computed by the program's own functions from the
// built tree, and its buffer decides what is sent when. Import this after the build.
import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { digestOf } from '../dist/probe-protocol/digest.js';
import { MAX_WAIT_SECONDS, POLL_PATH, PROTOCOL, RESULTS_PATH } from '../dist/probe-protocol/protocol.js';
import { ResultBuffer } from '../dist/probe-agent/results/result-buffer.js';
import { askedPauseMs, retryAfterMs } from '../dist/probe-agent/server/retry.js';
import { atOnceDelayMs, nextSlot, slotAtOnce, slotNotAfter } from '../dist/probe-agent/slots/slots.js';

const DIGEST_MS = 10 * 60_000;
/** Larger requests are compressed, as in the program. */
const PACKED_FROM_BYTES = 8 * 1024;
/** A failure must be sent within 200 ms. */
const LOOK_MS = 100;

/** The traffic of all probes during one part of a run. */
export class Traffic {
  /** Responses by route and status (0 if there was none), and results by outcome. */
  counts = {};
  /** How long each committed batch took. */
  batchMs = [];

  count(name, by = 1) {
    if (by > 0) this.counts[name] = (this.counts[name] ?? 0) + by;
  }

  /** Returns the counts whose names match, as a string. */
  say(names) {
    const found = Object.entries(this.counts).filter(([name]) => names.test(name));
    return found.map(([name, times]) => `${times} × ${name}`).join(', ') || '0';
  }

  sum(names) {
    return Object.entries(this.counts).reduce((sum, [name, times]) => sum + (names.test(name) ? times : 0), 0);
  }
}

/** A result like those returned by the checker in simulated-main.mjs. */
const UP = {
  outcome: 'up',
  durationMs: 5.1,
  phases: { dnsMs: null, connectMs: 1, tlsMs: null, firstByteMs: 4, transferMs: 0.1 },
  statusCode: 200,
  address: null,
  certificate: null,
  records: null,
  redirects: [],
  error: null,
  warning: null,
};

/** A refused connection, as reported by the program. */
const DOWN = {
  ...UP,
  outcome: 'down',
  statusCode: null,
  error: { code: 'connection_refused', phase: 'connect', message: 'The connection was refused.' },
};

const CLOCK = { monotonic: () => performance.now() };
const NO_STREAKS = { get: () => undefined };

/** The results that the service hasn't confirmed yet. */
class Results extends ResultBuffer {
  constructor() {
    super(NO_STREAKS, CLOCK);
  }

  get length() {
    return this.backlog;
  }
}

/** A probe with its assigned endpoints and its results. Times are based on the service's clock. */
export class SimulatedProbe {
  /** The counts that all probes share. */
  static traffic = new Traffic();
  /** The IDs (`ep_…`) of endpoints that are down. */
  static broken = new Set();

  held = new Map();
  results = new Results();
  made = 0;
  /** The number of results kept while the service was unavailable that it hasn't received yet. */
  behind = 0;
  /** If true, sends all remaining results now. */
  isEnding = false;

  #session = randomBytes(16).toString('hex');
  #agent = new Agent({ keepAlive: true });
  #line = new AbortController();
  #loops = [];
  #cursor = null;
  #failures = 0;
  #refusals = 0;
  #offset = -Infinity;
  #connectedAt = -Infinity;
  #digestAt = performance.now();

  constructor(url, token) {
    this.url = url;
    this.token = token;
  }

  /** Polls without waiting until the sync is complete. */
  async sync() {
    for (;;) {
      const { status, body, pauseMs } = await this.#poll(0);
      if (status === 200 && !body.has_more) return;
      if (![0, 200, 429, 503].includes(status)) throw new Error(`the poll was refused: ${status}`);
      await sleep(pauseMs);
    }
  }

  connect() {
    this.#connectedAt = performance.now();
    this.#line = new AbortController();
    this.#loops = [this.#polls(), this.#sends()];
  }

  /** Disconnects from the service. Pending requests are cut off and sent again later. */
  async disconnect() {
    this.#line.abort();
    await Promise.all(this.#loops);
    this.#agent.destroy();
  }

  /** "Checks" all due endpoints. */
  check() {
    const now = this.#now;
    for (const assigned of this.held.values()) {
      const { endpoint_id, key, revision, grid, runAt } = assigned;
      if (runAt > now) continue;
      const slot = slotNotAfter(now, grid);
      this.results.add({
        endpointId: endpoint_id,
        endpointKey: key,
        orgId: '',
        revision,
        slotMs: slot,
        checkedAt: new Date(Math.round(Math.max(runAt, slot))),
        attempts: 1,
        firstError: null,
        result: SimulatedProbe.broken.has(endpoint_id) ? DOWN : UP,
      });
      this.made++;
      assigned.lastSlot = slot;
      assigned.runAt = slot + grid.intervalMs;
    }
  }

  get #now() {
    return performance.now() + this.#offset;
  }

  async #polls() {
    while (!this.#line.signal.aborted) {
      const { body, pauseMs } = await this.#poll(MAX_WAIT_SECONDS);
      if (!body?.has_more) await this.#rest(pauseMs);
    }
  }

  async #sends() {
    while (!this.#line.signal.aborted) {
      const waitMs = this.isEnding ? 0 : this.results.dueAt - performance.now();
      if (waitMs <= 0 && this.results.length > 0) await this.#rest(await this.#send());
      else await this.#rest(Math.min(LOOK_MS, Math.max(1, waitMs)));
    }
  }

  async #rest(ms) {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#line.signal }).catch(() => {});
  }

  async #poll(wait) {
    const isDigestDue = performance.now() - this.#digestAt > DIGEST_MS;
    if (isDigestDue) this.#digestAt = performance.now();
    const reply = await this.#post(POLL_PATH, {
      cursor: this.#cursor,
      wait: isDigestDue ? 0 : wait,
      version: 'bench',
      types: ['SIM'],
      clock: Date.now(),
      buffered: this.results.length,
      lag_ms: Math.round(this.results.oldestMs),
      ...(isDigestDue ? { count: this.held.size, digest: digestOf(this.held.values()) } : {}),
    });
    if (reply.status === 200) this.#take(reply.body);
    return reply;
  }

  /** In this benchmark, nothing is removed and no on-demand check is requested, so the set of endpoints only grows. */
  #take({ cursor, endpoints: told }) {
    this.#cursor = cursor;
    for (const [turn, { endpoint_id, revision, interval: every, phase_ms, run_now }] of told.entries()) {
      const grid = { phaseMs: phase_ms, intervalMs: every * 1000 };
      const { lastSlot = -Infinity, key = String(this.held.size) } = this.held.get(endpoint_id) ?? {};
      const delayMs = atOnceDelayMs(turn, told.length, grid.intervalMs);
      const atOnce = run_now ? slotAtOnce(this.#now, delayMs, lastSlot, grid) : null;
      const runAt = atOnce ?? nextSlot(this.#now, lastSlot, grid);
      this.held.set(endpoint_id, { endpoint_id, key, revision, grid, lastSlot, runAt });
    }
  }

  /** Returns how long to wait before the next send. */
  async #send() {
    const batch = this.results.take();
    const began = performance.now();
    const { status, body, pauseMs } = await this.#post(RESULTS_PATH, { results: batch.results });
    if (status !== 200) {
      const isBusy = status === 429 || status === 503;
      if (isBusy && !batch.isAlone) this.#refusals++;
      this.results.putBack(batch, isBusy ? pauseMs + retryAfterMs(this.#refusals, Math.random()) : 0);
      return pauseMs;
    }
    if (!batch.isAlone) this.#refusals = 0;
    SimulatedProbe.traffic.batchMs.push(performance.now() - began);
    this.results.settle(batch);
    const isKept = ({ addedAt }) => addedAt < this.#connectedAt;
    this.behind = Math.max(0, this.behind - batch.entries.filter(isKept).length);
    for (const kind of ['recorded', 'duplicates', 'late']) SimulatedProbe.traffic.count(kind, body[kind]);
    for (const { code } of body.refused) SimulatedProbe.traffic.count(`refused ${code}`);
    return pauseMs;
  }

  /** Never throws. Status 0 means no response. Requests that `disconnect` cut off aren't counted. */
  async #post(path, fields) {
    const text = Buffer.from(JSON.stringify({ protocol: PROTOCOL, session: this.#session, ...fields }));
    const isPacked = text.length >= PACKED_FROM_BYTES;
    const { status, headers, bytes } = await this.#exchange(path, isPacked ? gzipSync(text) : text, isPacked);
    if (status !== 0 || !this.#line.signal.aborted) SimulatedProbe.traffic.count(`${path.split('/').at(-1)} ${status}`);
    if (status !== 200) {
      const pauseMs =
        askedPauseMs(headers['retry-after'], Math.random()) ?? retryAfterMs(++this.#failures, Math.random());
      return { status, pauseMs };
    }
    const body = JSON.parse(headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes);
    this.#failures = 0;
    // A response can only be late, so the fastest one is the most accurate.
    this.#offset = Math.max(this.#offset, body.now - performance.now());
    return { status, body, pauseMs: body.pause_ms };
  }

  #exchange(path, bytes, isPacked) {
    const headers = {
      authorization: `Bearer ${this.token}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
      'accept-encoding': 'gzip',
      ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
    };
    return new Promise((resolve) => {
      const none = () => resolve({ status: 0, headers: {} });
      const options = { method: 'POST', agent: this.#agent, signal: this.#line.signal, timeout: 60_000, headers };
      const sent = request(`${this.url}${path}`, options, (response) => {
        const parts = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(parts) }),
        );
        response.on('error', none);
      });
      sent.on('timeout', () => sent.destroy());
      sent.on('error', none);
      sent.end(bytes);
    });
  }
}
