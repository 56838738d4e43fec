import { randomBytes } from 'node:crypto';
import { type OpenApi, type Operation, operationsOf } from '../document/openapi';
import type { ApiResponse } from '../../service/api';
import { Bench } from './bench';
import { type Call, Caller, OWN_CONNECTION } from './caller';
import { CallRecord } from './call-record';
import { type Given, type ServiceContractOptions, type ServiceKeys, valueOf } from './service-keys';

/** Where things live, by the prefix of their ids. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  ws: '/websites',
  ep: '/endpoints',
  al: '/alerts',
  ct: '/contacts',
  mw: '/maintenance-windows',
  inc: '/incidents',
  sp: '/status-pages',
  key: '/api-keys',
  org: '/organizations',
  inv: '/invitations',
  pr: '/probes',
};

/** Gives the session of a run; the tests ask for it when they run, not when they are declared. */
export type TheSession = () => Session;

/**
 * One run against one service: who asks, what is recorded, and what is to be removed. Whatever a POST returns with an id is removed at
 * the end, also when a test fails.
 */
export class Session {
  /** In every name of this run, so that it never meets other data or another run. */
  readonly prefix = `contract-${randomBytes(4).toString('hex')}`;
  private readonly made: { path: string; remove: () => Promise<{ status: number }> }[] = [];
  private names = 0;

  private constructor(
    readonly url: string,
    readonly document: OpenApi,
    readonly record: CallRecord,
    readonly bench: Bench,
    private readonly keys: Record<'admin' | 'write' | 'read', string> & { operator: string | null },
  ) {}

  /** Asks for the keys and the document of the service. Throws when there is none. */
  static async open(
    baseUrl: Given<string>,
    keys: ServiceKeys,
    { suite = { listen: '127.0.0.1', host: '127.0.0.1' } }: ServiceContractOptions,
  ): Promise<Session> {
    const url = (await valueOf('base URL', baseUrl)).replace(/\/$/, '');
    const response = await fetch(`${url}/api/v1/openapi.json`, { headers: OWN_CONNECTION });
    if (!response.ok)
      throw new Error(`${url}/api/v1/openapi.json responded with ${response.status}: is the service running?`);
    const document = (await response.json()) as OpenApi;
    const given = {
      admin: await valueOf('admin key', keys.admin),
      write: await valueOf('write key', keys.write),
      read: await valueOf('read key', keys.read),
      operator: keys.operator === null ? null : await valueOf('operator token', keys.operator),
    };
    return new Session(url, document, new CallRecord(url, document), await Bench.open(suite), given);
  }

  get admin(): Caller {
    return this.as(this.keys.admin);
  }
  get write(): Caller {
    return this.as(this.keys.write);
  }
  get read(): Caller {
    return this.as(this.keys.read);
  }
  get anonymous(): Caller {
    return this.as(null);
  }
  /** Throws without an operator token: what needs it is skipped then. */
  get operator(): Caller {
    if (this.keys.operator === null) throw new Error('no operator token was given');
    return this.as(this.keys.operator);
  }

  /** Sends with another key. */
  as(key: string | null): Caller {
    const caller: Caller = new Caller(this.url, key, (call) => this.noted(caller, call));
    return caller;
  }

  /** The operations that the service documents beyond these. */
  additions(known: readonly string[]): Operation[] {
    return operationsOf(this.document).filter(({ name }) => !known.includes(name));
  }

  /** A name that nothing else has. */
  name(what = 'thing'): string {
    return `${this.prefix} ${what} ${++this.names}`;
  }

  /** The same as a key or the address of a page. */
  key(what = 'thing'): string {
    return `${this.prefix}-${what}-${++this.names}`;
  }

  /** The path of the service that an address in a response leads to, as clients resolve it by what they asked for. */
  leadsTo(address: string | undefined, asked: string): string | null {
    if (address === undefined) return null;
    const { origin, pathname, search } = new URL(address, this.url + asked);
    const reached = origin + pathname + search;
    return reached.startsWith(`${this.url}/`) ? reached.slice(this.url.length) : reached;
  }

  /** A path of the service as its clients see it, from the root of the host. */
  seen(path: string): string {
    return new URL(this.url).pathname.replace(/\/$/, '') + path;
  }

  /** Removes this at the end, whatever happens until then. */
  willRemove(by: Caller, id: string, collection = COLLECTIONS[id.split('_')[0] ?? '']): void {
    const path = `${collection}/${id}`;
    if (collection !== undefined) this.made.push({ path, remove: () => by.delete(path) });
  }

  /** What the browser of a person sends besides, by the response that signed it in. */
  browserOf({ headers }: Pick<ApiResponse, 'headers'>): Record<string, string> {
    const cookie = headers['set-cookie']?.split(';')[0] ?? '';
    return { cookie, origin: new URL(this.url).origin, 'sec-fetch-site': 'same-origin' };
  }

  /** Removes what was made, the newest first; then what something else still used. Throws with what stays. */
  async close(): Promise<void> {
    let left = this.made.splice(0).reverse();
    for (let round = 0; round < 2 && left.length > 0; round++) {
      const after: typeof left = [];
      for (const each of left) {
        const { status } = await each.remove();
        if (status !== 204 && status !== 404 && status !== 401) after.push(each);
      }
      left = after;
    }
    await this.bench.close();
    if (left.length > 0) throw new Error(`The suite could not remove ${left.map(({ path }) => path).join(', ')}`);
  }

  private noted(by: Caller, call: Call): void {
    this.record.note(call);
    const { status, body } = call.response as { status: number; body: { id?: unknown; kind?: unknown } | null };
    // An account goes by the cookie that it began with, or by that of its newest password: the older one is over then.
    if (status === 201 && ['/auth/account', '/auth/password'].includes(call.path)) {
      const headers = this.browserOf(call.response);
      this.made.push({ path: call.path, remove: () => this.anonymous.send('DELETE', '/auth/account', { headers }) });
    }
    // Also when a broken service does not say 201 for it. A detected incident is what happened: nobody removes it.
    if (call.method === 'POST' && status < 300 && typeof body?.id === 'string' && body.kind !== 'detected')
      this.willRemove(by, body.id, call.path === '/api/v1/shared-probes' ? '/shared-probes' : undefined);
  }
}
