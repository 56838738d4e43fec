import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Resolver } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { type EgressRule, isLocalhostName } from '../egress/egress-policy';
import type { Owner } from '../../capacity/by-owner';
import { FairSemaphore } from '../../capacity/fair-semaphore';
import { parseHosts, parseSearchDots } from './hosts-file';
import { ALIVE_QUESTION, SilenceWatch } from './silence-watch';
import { WatchedFile } from './watched-file';

/**
 * `aborted`: by the caller's signal. `monitor_offline`: our own resolver does not answer, `no_turn`: too many lookups of
 * this organization wait; then nothing is known of the name.
 */
export type ResolveCode = 'dns_not_found' | 'dns_timeout' | 'dns_failure' | 'monitor_offline' | 'no_turn' | 'aborted';

/** Why a name gave no address. The message is public. */
export class ResolveError extends Error {
  constructor(
    readonly code: ResolveCode,
    message: string,
    /** True when no DNS server answered any query during the lookup: then silence says nothing about the name. */
    readonly resolverSilent = false,
  ) {
    super(message);
  }
}

/** Where names are looked up; everything defaults to the system's own settings. */
export interface ResolverOptions {
  /** `address` or `address:port` of the DNS servers to ask. */
  servers?: string[];
  hostsFile?: string;
  resolvConf?: string;
  /** The system's own lookup, `getaddrinfo`; rejects with its code. */
  systemLookup?: (name: string) => Promise<string[]>;
}

/** For whom a name is looked up: the search list is the operator's, so not for everybody. */
type Asking = Pick<EgressRule, 'organization' | 'allowsInternalNames'>;

/** One lookup in flight, and those who wait for it. Times are those of `performance.now()`. */
interface PendingLookup {
  key: string;
  name: string;
  found: Promise<string[]>;
  callers: number;
  /** Since when it waits for a turn at the system's lookup; `null` while it needs none. */
  queuedAt: number | null;
  /** When its turn came. */
  beganAt: number | null;
  /** Gives up its place in the queue. */
  leave: (() => void) | null;
}

const POOL_SIZE = 16;
const POOL_LIFETIME_MS = 60_000;
/** How long to wait for the slower of A and AAAA once the other was answered (RFC 8305, section 3). */
const RESOLUTION_DELAY_MS = 50;
/** libuv runs `getaddrinfo` on half of its threads at most; the others are left to files and compression. */
const SYSTEM_LOOKUPS = Math.max(2, Math.floor((Number(process.env['UV_THREADPOOL_SIZE']) || 4) / 2));
/** Nothing ends a lookup that hangs, so one organization never has more than half of them. */
const LOOKUP_LIMITS = { size: SYSTEM_LOOKUPS, share: Math.floor(SYSTEM_LOOKUPS / 2), waiting: 1000 };
const SYSTEM_NAME = /(^[^.]+|\.(local|lan|internal|home\.arpa))$/;
/** Our own DNS server refuses, or there is none: the monitor's fault, not the name's. */
const OWN_RESOLVER_CODES = new Set(['ECONNREFUSED', 'EREFUSED', 'ENOMEM', 'EFILE', 'ENOTINITIALIZED', 'ECANCELLED']);
const SILENT_CODES = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

/**
 * Turns host names into addresses without queueing behind libuv's threads: `/etc/hosts`, then A and AAAA in parallel on
 * a round-robin pool of c-ares resolvers, each with its own socket. `getaddrinfo` serves only the names that need the
 * system's rules (no dot, `.local`, search lists), organizations in turn. Nothing is cached; identical lookups of one
 * organization in flight share one query.
 */
@Injectable()
export class HostResolver implements OnModuleDestroy {
  private readonly hosts: WatchedFile<Map<string, string[]>>;
  private readonly searchDots: WatchedFile<number>;
  /** By organization and name: nobody joins another organization's place in a queue. */
  private readonly inFlight = new Map<string, PendingLookup>();
  private readonly lookups = new FairSemaphore(LOOKUP_LIMITS);
  private pool: Resolver[] = [];
  private poolUntil = -Infinity;
  private poolVersion = -1;
  private turn = 0;
  private readonly silence = new SilenceWatch(() => this.hasLiveServer());

  constructor(private readonly options: ResolverOptions = {}) {
    this.hosts = new WatchedFile(options.hostsFile ?? '/etc/hosts', parseHosts);
    this.searchDots = new WatchedFile(options.resolvConf ?? '/etc/resolv.conf', parseSearchDots);
  }

  /**
   * The addresses of a normalised host name, both families, at least one, not yet judged by the rule. Throws `ResolveError`;
   * on abort at once. Then a lookup that has not begun is dropped, and one that runs goes on for other callers that wait.
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
    for (const resolver of this.pool) resolver.cancel();
  }

  private start(key: string, name: string, rule: Asking): PendingLookup {
    const pending: PendingLookup = {
      key,
      name,
      found: NOTHING,
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
      return await this.ask(name);
    } catch (error) {
      const missing = error instanceof ResolveError && error.code === 'dns_not_found';
      const mayBeOurs = rule.allowsInternalNames && dots < this.searchDots.read();
      if (missing && mayBeOurs) return this.lookup(name, rule.organization, pending);
      throw error;
    }
  }

  private ask(name: string): Promise<string[]> {
    const resolver = this.nextResolver();
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const addresses: string[] = [];
      const failures: string[] = [];
      let open = 2;
      let delay: NodeJS.Timeout | undefined;
      const timer = this.silence.watch();
      const settle = () => {
        clearTimeout(timer);
        clearTimeout(delay);
        if (addresses.length > 0) resolve(addresses);
        else reject(failureOf(name, failures, this.silence.isSilentSince(startedAt)));
      };
      const take = (error: NodeJS.ErrnoException | null, found: string[]) => {
        if (isAnswer(error)) this.silence.noteAnswer();
        if (error) failures.push(error.code ?? '');
        else addresses.push(...found);
        open -= 1;
        if (open === 0) settle();
        else if (!error) delay = setTimeout(settle, RESOLUTION_DELAY_MS);
      };
      resolver.resolve6(name, take);
      resolver.resolve4(name, take);
    });
  }

  private async lookup(name: string, owner: Owner, pending: PendingLookup): Promise<string[]> {
    if (pending.callers === 0) throw noTurn(name);
    const queue = new AbortController();
    pending.queuedAt = performance.now();
    pending.leave = () => queue.abort();
    const release = await this.lookups.take(owner, queue.signal);
    if (!release) throw noTurn(name);
    pending.leave = null;
    pending.beganAt = performance.now();
    try {
      return await (this.options.systemLookup ?? systemLookup)(name);
    } catch (error) {
      throw lookupFailureOf(name, error instanceof Error && 'code' in error ? error.code : undefined);
    } finally {
      release();
    }
  }

  private untilAborted(pending: PendingLookup, signal: AbortSignal): Promise<string[]> {
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        pending.callers -= 1;
        if (pending.callers === 0) this.drop(pending);
        const silent = this.silence.isSilentSince(startedAt);
        const hadTurn = hadItsTurn(pending, startedAt);
        reject(hadTurn ? new ResolveError('aborted', 'the lookup was given up', silent) : noTurn(pending.name));
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      pending.found.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  /** A lookup that nobody waits for any more leaves the queue; whoever asks for the name then queues behind the others. */
  private drop(pending: PendingLookup): void {
    if (!pending.leave) return;
    this.forget(pending);
    pending.leave();
  }

  private hasLiveServer(): Promise<boolean> {
    return new Promise((resolve) =>
      this.nextResolver().resolveNs(ALIVE_QUESTION.name, (error) => resolve(isAnswer(error))),
    );
  }

  private nextResolver(): Resolver {
    const now = performance.now();
    this.searchDots.read();
    if (now > this.poolUntil || this.poolVersion !== this.searchDots.version) {
      this.pool = Array.from({ length: POOL_SIZE }, () => this.newResolver());
      this.poolUntil = now + POOL_LIFETIME_MS;
      this.poolVersion = this.searchDots.version;
    }
    this.turn = (this.turn + 1) % POOL_SIZE;
    return this.pool[this.turn] ?? this.newResolver();
  }

  private newResolver(): Resolver {
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    if (this.options.servers) resolver.setServers(this.options.servers);
    return resolver;
  }
}

const NOTHING = Promise.resolve<string[]>([]);

const noTurn = (name: string): ResolveError =>
  new ResolveError('no_turn', `The monitor could not look up ${name} in time: too many lookups were waiting.`);

/** False when the caller's time went by in the queue: a lookup that ran for less than it waited says nothing of the name. */
function hadItsTurn({ queuedAt, beganAt }: PendingLookup, startedAt: number): boolean {
  if (queuedAt === null) return true;
  const now = performance.now();
  const began = Math.max(beganAt ?? now, startedAt);
  return beganAt !== null && began - Math.max(queuedAt, startedAt) <= now - began;
}

const systemLookup = async (name: string): Promise<string[]> =>
  (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** True unless no server has answered: an error code that a server sent shows that it is alive. */
const isAnswer = (error: NodeJS.ErrnoException | null): boolean => !error || !SILENT_CODES.has(error.code ?? '');

/** One reason for the failures of A and AAAA: the one that says most about the name. */
function failureOf(name: string, codes: string[], silent: boolean): ResolveError {
  if (codes.includes('ENOTFOUND') || codes.includes('EBADNAME')) {
    return new ResolveError('dns_not_found', `The name ${name} does not exist.`);
  }
  if (codes.every((code) => code === 'ENODATA')) {
    return new ResolveError('dns_not_found', `The name ${name} has no IPv4 or IPv6 address.`);
  }
  if (codes.some((code) => OWN_RESOLVER_CODES.has(code))) {
    return new ResolveError('monitor_offline', "The monitor's own DNS server does not answer.", true);
  }
  if (!codes.includes('ETIMEOUT')) {
    return new ResolveError('dns_failure', `The DNS servers could not answer for ${name}.`);
  }
  return silent
    ? new ResolveError('monitor_offline', "The monitor's own DNS server does not answer.", true)
    : new ResolveError('dns_timeout', `The DNS servers of ${name} did not answer in time.`);
}

function lookupFailureOf(name: string, code: unknown): ResolveError {
  if (code === 'ENOTFOUND' || code === 'ENODATA') {
    return new ResolveError('dns_not_found', `The name ${name} does not exist.`);
  }
  return new ResolveError('monitor_offline', "The monitor's own name lookup does not answer.", true);
}
