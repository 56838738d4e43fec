// The metrics, health, and API requests that bench/overload.mjs sends to the overloaded process under test.
import { Agent, request } from 'node:http';
import { quantiles } from './schedule-report.mjs';

const API_EVERY_MS = 50;
const HEALTH_EVERY_MS = 1000;
const GIVE_UP_MS = 10_000;

/** Sends a GET request and returns its status and duration. The status is 0 if the request failed. Never rejects. */
function get(url, { agent, headers = {} }) {
  const began = performance.now();
  return new Promise((resolve) => {
    const done = (status, body = '') => resolve({ status, body, ms: performance.now() - began });
    const asked = request(url, { agent, headers, timeout: GIVE_UP_MS }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => done(response.statusCode, Buffer.concat(parts).toString()));
      response.on('error', () => done(0));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => done(0));
    asked.end();
  });
}

/** One reading of /metrics. Values with the same name are added up across labels. */
export class Exposition {
  static #agent = new Agent({ keepAlive: true, maxSockets: 2 });

  #values = new Map();
  #buckets = new Map();

  static async read(url) {
    const { status, body } = await get(`${url}/metrics`, { agent: Exposition.#agent });
    if (status !== 200) throw new Error(`/metrics: ${status}`);
    return new Exposition(body);
  }

  constructor(text) {
    for (const [, name, labels = '', value] of text.matchAll(/^(\w+)(\{[^}]*\})? (\S+)$/gm)) {
      const upTo = /le="([^"]+)"/.exec(labels)?.[1];
      if (upTo === undefined) this.#values.set(name, (this.#values.get(name) ?? 0) + Number(value));
      else {
        const buckets = this.#buckets.get(name) ?? new Map();
        const bound = upTo === '+Inf' ? Infinity : Number(upTo);
        buckets.set(bound, (buckets.get(bound) ?? 0) + Number(value));
        this.#buckets.set(name, buckets);
      }
    }
  }

  /** Returns the value, or null if this version doesn't have the metric. */
  value(name) {
    return this.#values.get(name) ?? null;
  }

  since(before, name) {
    return this.value(name) === null ? null : this.value(name) - (before.value(name) ?? 0);
  }

  /**
   * Returns the upper bound of the bucket that contains the quantile of all observations since `before`, or null if
   * there were none.
   */
  quantile(before, name, q) {
    const buckets = [...(this.#buckets.get(`${name}_bucket`) ?? new Map())].map(([bound, count]) => [
      bound,
      count - (before.#buckets.get(`${name}_bucket`)?.get(bound) ?? 0),
    ]);
    buckets.sort(([a], [b]) => a - b);
    const total = buckets.at(-1)?.[1] ?? 0;
    if (total === 0) return null;
    return buckets.find(([, count]) => count >= q * total)?.[0] ?? Infinity;
  }
}

/** Requests one endpoint every 50 ms, even while an earlier request is pending. */
export function apiProbe(service, endpointId) {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const url = `${service.url}/api/v1/endpoints/${endpointId}`;
  const headers = { authorization: `Bearer ${service.key}` };
  let times = [];
  let failed = 0;
  const timer = setInterval(() => {
    void get(url, { agent, headers }).then(({ status, ms }) => {
      if (status === 200) times.push(ms);
      else failed++;
    });
  }, API_EVERY_MS);
  return {
    reset: () => {
      times = [];
      failed = 0;
    },
    report: () => ({ ...quantiles(times), requests: times.length + failed, failed }),
    stop: () => {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

/** Requests both health routes every second. */
export function healthProbe(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const seen = { asked: 0, live: 0, ready: 0, unready: new Set() };
  let ready = false;
  let pending = null;
  const once = async () => {
    const [live, readiness] = await Promise.all(
      ['live', 'ready'].map((route) => get(`${url}/health/${route}`, { agent })),
    );
    seen.asked++;
    if (live.status === 200) seen.live++;
    ready = readiness.status === 200;
    if (ready) seen.ready++;
    else for (const part of partsDown(readiness.body)) seen.unready.add(part);
  };
  const timer = setInterval(() => {
    pending ??= once().finally(() => (pending = null));
  }, HEALTH_EVERY_MS);
  return {
    isReady: () => ready,
    stop: async () => {
      clearInterval(timer);
      await pending;
      agent.destroy();
      return { ...seen, unready: [...seen.unready] };
    },
  };
}

function partsDown(body) {
  try {
    return Object.entries(JSON.parse(body).details ?? {})
      .filter(([, { ok }]) => !ok)
      .map(([name]) => name);
  } catch {
    return ['no response'];
  }
}
