import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { lookup, Resolver } from 'node:dns';
import { isLocalhostName } from '../egress/egress-policy';
import { Semaphore } from '../semaphore';
import { parseHosts, parseSearchDots } from './hosts-file';
import { PROBE_QUESTION, SilenceProbe } from './silence-probe';
import { WatchedFile } from './watched-file';

/** `aborted`: by the caller's signal. `monitor_offline`: our own resolver does not answer, so nothing is known of the name. */
export type ResolveCode = 'dns_not_found' | 'dns_timeout' | 'dns_failure' | 'monitor_offline' | 'aborted';

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
}

const POOL_SIZE = 16;
const POOL_LIFETIME_MS = 60_000;
/** How long to wait for the slower of A and AAAA once the other was answered (RFC 8305, section 3). */
const RESOLUTION_DELAY_MS = 50;
/** getaddrinfo may block half of libuv's four threads; the others are left to files and compression. */
const MAX_LOOKUPS = 2;
const SYSTEM_NAME = /(^[^.]+|\.(local|lan|internal|home\.arpa))$/;
/** Our own DNS server refuses, or there is none: the monitor's fault, not the name's. */
const OWN_RESOLVER_CODES = new Set(['ECONNREFUSED', 'EREFUSED', 'ENOMEM', 'EFILE', 'ENOTINITIALIZED', 'ECANCELLED']);
const SILENT_CODES = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

/**
 * Turns host names into addresses without queueing behind libuv's threads: `/etc/hosts`, then A and AAAA in parallel on
 * a round-robin pool of c-ares resolvers, each with its own socket. `getaddrinfo` serves only the names that need the
 * system's rules (no dot, `.local`, search lists). Nothing is cached; identical lookups in flight share one query.
 */
@Injectable()
export class HostResolver implements OnModuleDestroy {
  private readonly hosts: WatchedFile<Map<string, string[]>>;
  private readonly searchDots: WatchedFile<number>;
  private readonly inFlight = new Map<string, Promise<string[]>>();
  private readonly lookups = new Semaphore(MAX_LOOKUPS);
  private pool: Resolver[] = [];
  private poolUntil = -Infinity;
  private poolVersion = -1;
  private turn = 0;
  private readonly silence = new SilenceProbe(() => this.hasLiveServer());

  constructor(private readonly options: ResolverOptions = {}) {
    this.hosts = new WatchedFile(options.hostsFile ?? '/etc/hosts', parseHosts);
    this.searchDots = new WatchedFile(options.resolvConf ?? '/etc/resolv.conf', parseSearchDots);
  }

  /**
   * The addresses of a normalised host name, both families, at least one. Throws `ResolveError`; on abort at once, while
   * the lookup itself goes on for other callers that wait for it.
   */
  resolve(name: string, signal: AbortSignal): Promise<string[]> {
    const listed = this.hosts.read().get(name);
    if (listed) return Promise.resolve(listed);
    if (isLocalhostName(name)) return Promise.resolve(['::1', '127.0.0.1']);
    const running = this.inFlight.get(name) ?? this.start(name);
    return this.untilAborted(running, signal);
  }

  onModuleDestroy(): void {
    for (const resolver of this.pool) resolver.cancel();
  }

  private start(name: string): Promise<string[]> {
    const running = this.find(name).finally(() => this.inFlight.delete(name));
    this.inFlight.set(name, running);
    return running;
  }

  private async find(name: string): Promise<string[]> {
    if (SYSTEM_NAME.test(name)) return this.lookup(name);
    const dots = name.split('.').length - 1;
    try {
      return await this.ask(name);
    } catch (error) {
      const missing = error instanceof ResolveError && error.code === 'dns_not_found';
      if (missing && dots < this.searchDots.read()) return this.lookup(name);
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
      const probe = this.silence.watch();
      const settle = () => {
        clearTimeout(probe);
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

  private async lookup(name: string): Promise<string[]> {
    const release = await this.lookups.take();
    try {
      return await new Promise((resolve, reject) => {
        lookup(name, { all: true, order: 'verbatim' }, (error, found) => {
          if (error) reject(lookupFailureOf(name, error.code));
          else resolve(found.map(({ address }) => address));
        });
      });
    } finally {
      release();
    }
  }

  private untilAborted(running: Promise<string[]>, signal: AbortSignal): Promise<string[]> {
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        const silent = this.silence.isSilentSince(startedAt);
        reject(new ResolveError('aborted', 'the lookup was given up', silent));
      };
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      running.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    });
  }

  private hasLiveServer(): Promise<boolean> {
    return new Promise((resolve) =>
      this.nextResolver().resolveNs(PROBE_QUESTION.name, (error) => resolve(isAnswer(error))),
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

function lookupFailureOf(name: string, code: string | undefined): ResolveError {
  if (code === 'ENOTFOUND' || code === 'ENODATA') {
    return new ResolveError('dns_not_found', `The name ${name} does not exist.`);
  }
  return new ResolveError('monitor_offline', "The monitor's own name lookup does not answer.", true);
}
