import { Stagger } from '../staggered-attempts';
import { decisive, type Telling } from '../telling';
import { isAnswer, type NameServer } from './name-servers';
import { ResolveError } from './resolve-error';

/** How long to wait for the slower of the A and AAAA answers after the first one has arrived (RFC 8305, section 3). */
const RESOLUTION_DELAY_MS = 50;
/** How long to wait for an answer before querying the next server. The first server may still answer. */
const NEXT_SERVER_AFTER_MS = 1000;
/** Error codes for a server that rejects the client or can't be reached. They show nothing about the name. */
const NOT_ASKED = new Set(['ECONNREFUSED', 'EREFUSED', 'ENOMEM', 'EFILE', 'ENOTINITIALIZED', 'ECANCELLED']);

/** A server that is queried for both kinds of addresses. */
interface Attempt {
  server: NameServer;
  startedAt: number;
  addresses: string[];
  /** Error codes from c-ares. */
  failures: string[];
  /** How many of the two queries are still pending. */
  open: number;
  timer: NodeJS.Timeout;
}

/**
 * Looks up a name's addresses. Queries A and AAAA in parallel, one server at a time until one answers the question.
 * Queries the next server as soon as the previous one has failed, or after one second without an answer.
 */
export class AddressLookup {
  private readonly attempts: Attempt[] = [];
  private readonly stagger: Stagger<NameServer>;
  private delay: NodeJS.Timeout | undefined;
  private isSettled = false;
  private resolve: (addresses: string[]) => void = () => {};
  private reject: (error: ResolveError) => void = () => {};

  /** `demote` is called for each server that did not answer. */
  constructor(
    private readonly name: string,
    servers: readonly NameServer[],
    private readonly demote: (server: NameServer) => void,
  ) {
    this.stagger = new Stagger(servers, NEXT_SERVER_AFTER_MS, (server) => this.begin(server));
  }

  /** Resolves with the addresses of both kinds, at least one. Rejects with a `ResolveError`. */
  run(): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.stagger.next();
      if (this.attempts.length === 0) reject(this.failure());
    });
  }

  /**
   * Returns the reason why there is no address, based on what is known now. A server's answer about the name ranks
   * first, followed by a working server's silence. Servers that are down, reject the client, or can't be reached rank
   * last.
   */
  failure(): ResolveError {
    const { name, attempts } = this;
    const conclusive = attempts.find(isConclusive);
    if (conclusive) return notFound(name, conclusive.failures);
    const found = decisive(attempts, tellingOf);
    return lookupFailure(name, found ? tellingOf(found) : 'ours');
  }

  private begin(server: NameServer): void {
    const attempt: Attempt = {
      server,
      startedAt: performance.now(),
      addresses: [],
      failures: [],
      open: 2,
      timer: server.silence.watch(),
    };
    this.attempts.push(attempt);
    const resolver = server.next();
    const take = (error: NodeJS.ErrnoException | null, found: string[]) => this.take(attempt, error, found);
    resolver.resolve6(this.name, take);
    resolver.resolve4(this.name, take);
  }

  private take(attempt: Attempt, error: NodeJS.ErrnoException | null, found: string[]): void {
    if (isAnswer(error)) attempt.server.silence.noteAnswer();
    if (error) attempt.failures.push(error.code ?? '');
    else attempt.addresses.push(...found);
    attempt.open -= 1;
    if (this.isSettled) return;
    if (attempt.addresses.length > 0) {
      if (attempt.open === 0) this.settle(attempt);
      else this.delay ??= setTimeout(() => this.settle(attempt), RESOLUTION_DELAY_MS);
    } else if (attempt.open === 0) this.fail(attempt);
  }

  /**
   * Ends the lookup if the server reports that the name doesn't exist. After any other failure, queries the next
   * server.
   */
  private fail(attempt: Attempt): void {
    if (isConclusive(attempt)) return this.settle(attempt);
    if (!this.stagger.isExhausted) return this.stagger.next();
    if (this.delay === undefined && this.attempts.every(({ open }) => open === 0)) this.settle(null);
  }

  private settle(winner: Attempt | null): void {
    this.end();
    if (winner && winner.addresses.length > 0) this.resolve(winner.addresses);
    else this.reject(this.failure());
  }

  /** Stops the lookup and records which servers did not answer. */
  end(): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.stagger.stop();
    clearTimeout(this.delay);
    for (const { server, startedAt, timer } of this.attempts) {
      clearTimeout(timer);
      if (server.silence.isSilentSince(startedAt)) this.demote(server);
    }
  }
}

/** Returns the error for a lookup without a result. `telling` is how much the lookup shows about the name. */
export function lookupFailure(name: string, telling: Telling): ResolveError {
  switch (telling) {
    case 'target':
    case 'way':
      return new ResolveError('dns_failure', `The DNS servers could not answer for ${name}.`);
    case 'silence':
      return new ResolveError('dns_timeout', `The DNS servers of ${name} did not answer in time.`);
    case 'ours':
      return new ResolveError('monitor_offline', "The monitor's own DNS server does not answer.", true);
    default:
      return telling satisfies never;
  }
}

const isMissing = (code: string): boolean => code === 'ENOTFOUND' || code === 'EBADNAME';

/** Returns true if the server reported that the name doesn't exist or has neither kind of address. */
const isConclusive = ({ failures }: Attempt): boolean =>
  failures.some(isMissing) || (failures.length === 2 && failures.every((code) => code === 'ENODATA'));

/** If one kind of address is missing, this shows nothing about the other kind. */
function tellingOf({ failures, open, server, startedAt }: Attempt): Telling {
  if (failures.some((code) => code !== 'ENODATA' && code !== 'ETIMEOUT' && !NOT_ASKED.has(code))) return 'target';
  const wasSilent = open > 0 || failures.includes('ETIMEOUT');
  return wasSilent && !server.silence.isSilentSince(startedAt) ? 'silence' : 'ours';
}

const notFound = (name: string, failures: readonly string[]): ResolveError =>
  failures.some(isMissing)
    ? new ResolveError('dns_not_found', `The name ${name} does not exist.`)
    : new ResolveError('dns_not_found', `The name ${name} has no IPv4 or IPv6 address.`);
