import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { lookup } from 'node:dns/promises';
import type { Owner } from '../../capacity/by-owner';
import { FairSemaphore } from '../../capacity/fair-semaphore';
import { DeadlineExceeded } from '../deadline';
import { type EgressRule, isLocalhostName } from '../egress/egress-policy';
import { AddressLookup, lookupFailure } from './address-lookup';
import { parseHosts, parseSearchDots } from './hosts-file';
import { type NameServer, NameServers } from './name-servers';
import { ResolveError } from './resolve-error';
import { WatchedFile } from './watched-file';

/** Settings for where names are looked up. All of them default to the system's settings. */
export interface ResolverOptions {
  /** DNS servers in the form `address` or `address:port`. */
  servers?: string[];
  hostsFile?: string;
  resolvConf?: string;
  /** The system's lookup function, `getaddrinfo`. Rejects with its error code. */
  systemLookup?: (name: string) => Promise<string[]>;
}

/**
 * The egress rule that applies to a lookup. The search list belongs to the operator, so not every organization may use
 * it.
 */
type Asking = Pick<EgressRule, 'organization' | 'allowsInternalNames'>;

/** A pending lookup and its callers. Times are from `performance.now()`. */
interface PendingLookup {
  key: string;
  name: string;
  found: Promise<string[]>;
  /** Returns the reason why there is no address, based on what is known now. */
  failure: () => ResolveError;
  callers: number;
  /** When the lookup started to wait for the system's lookup function, or `null` if it isn't waiting. */
  queuedAt: number | null;
  /** When the system's lookup function was called. */
  beganAt: number | null;
  /** Removes the lookup from the queue. */
  leave: (() => void) | null;
}

/** libuv runs `getaddrinfo` on at most half of its threads. The rest are used for files and compression. */
const SYSTEM_LOOKUPS = Math.max(2, Math.floor((Number(process.env['UV_THREADPOOL_SIZE']) || 4) / 2));
/** A lookup that hangs can't be stopped, so one organization may use at most half of these threads. */
const LOOKUP_LIMITS = { size: SYSTEM_LOOKUPS, share: Math.floor(SYSTEM_LOOKUPS / 2), waiting: 1000 };
const SYSTEM_NAME = /(^[^.]+|\.(local|lan|internal|home\.arpa))$/;

/**
 * Resolves hostnames without queueing for libuv's threads. Reads `/etc/hosts`, then queries A and AAAA in parallel, one
 * DNS server at a time, each with a pool of c-ares resolvers. Uses `getaddrinfo` only for names to which the system's
 * rules apply (no dot, `.local`, search lists), and serves organizations in turn. Nothing is cached. Identical pending
 * lookups by one organization share a query.
 */
@Injectable()
export class HostResolver implements OnModuleDestroy {
  private readonly hosts: WatchedFile<Map<string, string[]>>;
  private readonly searchDots: WatchedFile<number>;
  /** Keyed by organization and name, so that no organization can use another's position in the queue. */
  private readonly inFlight = new Map<string, PendingLookup>();
  private readonly lookups = new FairSemaphore(LOOKUP_LIMITS);
  private readonly servers: NameServers;

  constructor(private readonly options: ResolverOptions = {}) {
    this.hosts = new WatchedFile(options.hostsFile ?? '/etc/hosts', parseHosts);
    this.searchDots = new WatchedFile(options.resolvConf ?? '/etc/resolv.conf', parseSearchDots);
    this.servers = new NameServers(options.servers);
  }

  /**
   * Returns a normalized hostname's addresses in both families, at least one, before the egress rule checks them.
   * Throws `ResolveError`, immediately if aborted. In that case, a lookup that has not started is dropped. A running
   * lookup continues if other callers are waiting for it.
   */
  resolve(name: string, rule: Asking, signal: AbortSignal): Promise<string[]> {
    const listed = this.hosts.read().get(name);
    if (listed) return Promise.resolve(listed);
    if (isLocalhostName(name)) return Promise.resolve(['::1', '127.0.0.1']);
    const key = `${rule.organization ?? ''} ${name}`;
    let pending = this.inFlight.get(key);
    if (pending) pending.callers += 1;
    else pending = this.start(key, name, rule);
    return this.untilAborted(pending, signal);
  }

  onModuleDestroy(): void {
    this.servers.cancel();
  }

  private start(key: string, name: string, rule: Asking): PendingLookup {
    const pending: PendingLookup = {
      key,
      name,
      found: NOTHING,
      failure: () => lookupFailure(name, 'ours'),
      callers: 1,
      queuedAt: null,
      beganAt: null,
      leave: null,
    };
    pending.found = this.find(name, rule, pending).finally(() => this.forget(pending));
    this.inFlight.set(key, pending);
    return pending;
  }

  private forget(pending: PendingLookup): void {
    if (this.inFlight.get(pending.key) === pending) this.inFlight.delete(pending.key);
  }

  private async find(name: string, rule: Asking, pending: PendingLookup): Promise<string[]> {
    if (SYSTEM_NAME.test(name)) return this.lookup(name, rule.organization, pending);
    const dots = name.split('.').length - 1;
    try {
      return await this.ask(name, pending);
    } catch (error) {
      const missing = error instanceof ResolveError && error.code === 'dns_not_found';
      const mayBeOurs = rule.allowsInternalNames && dots < this.searchDots.read();
      if (missing && mayBeOurs) return this.lookup(name, rule.organization, pending);
      throw error;
    }
  }

  private ask(name: string, pending: PendingLookup): Promise<string[]> {
    const asking = new AddressLookup(name, this.serversInOrder(), (server) => this.servers.demote(server));
    pending.failure = () => asking.failure();
    return asking.run();
  }

  private async lookup(name: string, owner: Owner, pending: PendingLookup): Promise<string[]> {
    if (pending.callers === 0) throw noTurn(name);
    const queue = new AbortController();
    pending.queuedAt = performance.now();
    pending.leave = () => queue.abort();
    const release = await this.lookups.take(owner, queue.signal);
    if (!release) throw noTurn(name);
    pending.leave = null;
    const beganAt = performance.now();
    pending.beganAt = beganAt;
    const servers = this.serversInOrder();
    const timers = servers.map(({ silence }) => silence.watch());
    const isAnyAlive = () => servers.some(({ silence }) => !silence.isSilentSince(beganAt));
    pending.failure = () => lookupFailure(name, isAnyAlive() ? 'silence' : 'ours');
    const found = await (this.options.systemLookup ?? systemLookup)(name).catch(codeOf);
    for (const timer of timers) clearTimeout(timer);
    release();
    if (typeof found !== 'string') return found;
    if (NO_ADDRESS.has(found)) throw new ResolveError('dns_not_found', `The name ${name} does not exist.`);
    // The system's lookup reports the same code whether the name's DNS servers fail or the local DNS servers are down.
    const alive = found === 'EAI_AGAIN' ? await Promise.all(servers.map((one) => one.isAliveSince(beganAt))) : [];
    throw lookupFailure(name, alive.includes(true) ? 'target' : 'ours');
  }

  private untilAborted(pending: PendingLookup, signal: AbortSignal): Promise<string[]> {
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        pending.callers -= 1;
        if (pending.callers === 0) this.drop(pending);
        if (!hadItsTurn(pending, startedAt)) return reject(noTurn(pending.name));
        const failure = pending.failure();
        const isTold = failure.code === 'dns_failure' && signal.reason instanceof DeadlineExceeded;
        reject(isTold ? failure : new ResolveError('aborted', 'the lookup was given up', failure.resolverSilent));
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      pending.found.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  /**
   * Removes a lookup without callers from the queue. If the name is requested again later, it starts at the end of the
   * queue.
   */
  private drop(pending: PendingLookup): void {
    if (!pending.leave) return;
    this.forget(pending);
    pending.leave();
  }

  private serversInOrder(): readonly NameServer[] {
    this.searchDots.read();
    return this.servers.list(this.searchDots.version);
  }
}

const NOTHING = Promise.resolve<string[]>([]);

const noTurn = (name: string): ResolveError =>
  new ResolveError('no_turn', `The monitor could not look up ${name} in time: too many lookups were waiting.`);

/**
 * Returns false if the caller's time was mostly spent in the queue. A lookup that ran for a shorter time than it waited
 * shows nothing about the name.
 */
function hadItsTurn({ queuedAt, beganAt }: PendingLookup, startedAt: number): boolean {
  if (queuedAt === null) return true;
  const now = performance.now();
  const began = Math.max(beganAt ?? now, startedAt);
  return beganAt !== null && began - Math.max(queuedAt, startedAt) <= now - began;
}

const systemLookup = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** The `getaddrinfo` codes for a name that doesn't exist. */
const NO_ADDRESS: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? '';
