import { randomBytes } from 'node:crypto';
import { type OpenApi, type Operation, operationsOf } from '../document/openapi';
import type { ApiResponse } from '../../service/api';
import { Bench } from './bench';
import { type Call, Caller, OWN_CONNECTION } from './caller';
import { CallRecord } from './call-record';
import { type Given, type ServiceContractOptions, type ServiceKeys, valueOf } from './service-keys';

/** The collection for each ID prefix. */
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
  rpl: '/reports/links',
};

/** Returns a run's session. Tests call it when they run, because it doesn't exist when they are declared. */
export type TheSession = () => Session;

/**
 * A run against one service: its callers, its records, and its cleanup. Every resource that a POST returns with an ID
 * is removed at the end, even after a failed test.
 */
export class Session {
  /** Part of every name in this run, so that names never collide with other data or runs. */
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

  /** Resolves the keys and reads the service's document. Throws: an error if a key or the document is missing. */
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
  /** Throws: an error if there is no operator token. Tests that need it are skipped in that case. */
  get operator(): Caller {
    if (this.keys.operator === null) throw new Error('no operator token was given');
    return this.as(this.keys.operator);
  }

  /** Returns a caller with another key. */
  as(key: string | null): Caller {
    const caller: Caller = new Caller(this.url, key, (call) => this.noted(caller, call));
    return caller;
  }

  /** Returns the additional operations that the service documents. */
  additions(known: readonly string[]): Operation[] {
    return operationsOf(this.document).filter(({ name }) => !known.includes(name));
  }

  name(what = 'thing'): string {
    return `${this.prefix} ${what} ${++this.names}`;
  }

  /** Returns a unique key that is also valid in a page's URL. */
  key(what = 'thing'): string {
    return `${this.prefix}-${what}-${++this.names}`;
  }

  /**
   * Returns the service path that a URL in a response points to. Like clients, it resolves the URL against the request
   * URL.
   */
  leadsTo(address: string | undefined, asked: string): string | null {
    if (address === undefined) return null;
    const { origin, pathname, search } = new URL(address, this.url + asked);
    const reached = origin + pathname + search;
    return reached.startsWith(`${this.url}/`) ? reached.slice(this.url.length) : reached;
  }

  /** Returns a service path as clients see it, starting at the host's root. */
  seen(path: string): string {
    return new URL(this.url).pathname.replace(/\/$/, '') + path;
  }

  /** Removes this resource at the end, no matter what happens until then. */
  willRemove(by: Caller, id: string, collection = COLLECTIONS[id.split('_')[0] ?? '']): void {
    const path = `${collection}/${id}`;
    if (collection !== undefined) this.made.push({ path, remove: () => by.delete(path) });
  }

  /** Returns the additional headers that a person's browser sends, based on the sign-in response. */
  browserOf({ headers }: Pick<ApiResponse, 'headers'>): Record<string, string> {
    const cookie = headers['set-cookie']?.split(';')[0] ?? '';
    return { cookie, origin: new URL(this.url).origin, 'sec-fetch-site': 'same-origin' };
  }

  /**
   * Removes everything that was created, newest first, and then retries what was still in use. Throws: an error that
   * lists what couldn't be removed.
   */
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
    // An account is deleted using the cookie from its first sign-in or its latest password change. A new password
    // invalidates older cookies.
    if (status === 201 && ['/auth/account', '/auth/password'].includes(call.path)) {
      const headers = this.browserOf(call.response);
      this.made.push({ path: call.path, remove: () => this.anonymous.send('DELETE', '/auth/account', { headers }) });
    }
    // Also applies if a broken service doesn't respond with 201. A detected incident is part of the history and can't
    // be removed.
    if (call.method === 'POST' && status < 300 && typeof body?.id === 'string' && body.kind !== 'detected')
      this.willRemove(by, body.id, call.path === '/api/v1/shared-probes' ? '/shared-probes' : undefined);
  }
}
