import { Resolver } from 'node:dns';
import ipaddr from 'ipaddr.js';
import { AnsweringFirst } from './answering-first';
import { ALIVE_QUESTION, SilenceWatch } from './silence-watch';

/** The number of c-ares resolvers per server. A single one loses answers if many queries are sent at the same time. */
const POOL_SIZE = 16;
const LIFETIME_MS = 60_000;
const LIMITS = { timeout: 2000, tries: 2 };

/** Errors that c-ares itself generates because the server did not answer or could not be reached. */
const UNANSWERED = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED', 'ENOMEM', 'EFILE', 'ENOTINITIALIZED']);

/** Returns true if the server answered. An error code that was sent by a server shows that the server is working. */
export const isAnswer = (error: NodeJS.ErrnoException | null): boolean => !error || !UNANSWERED.has(error.code ?? '');

/** A DNS server in this host's configuration. */
export class NameServer {
  /** Determines whether the server answers at all. */
  readonly silence = new SilenceWatch(() => this.answers());
  private readonly pool: Resolver[] = [];
  private turn = 0;

  /** `null` means all of the system's servers, queried like c-ares does. */
  constructor(private readonly address: string | null) {}

  next(): Resolver {
    this.turn = (this.turn + 1) % POOL_SIZE;
    return (this.pool[this.turn] ??= this.newResolver());
  }

  cancel(): void {
    for (const resolver of this.pool) resolver?.cancel();
  }

  /** Returns whether the server has answered any query since `startedAt`, or answers one now. */
  async isAliveSince(startedAt: number): Promise<boolean> {
    if (!this.silence.isSilentSince(startedAt)) return true;
    if (!(await this.answers())) return false;
    this.silence.noteAnswer();
    return true;
  }

  private answers(): Promise<boolean> {
    return new Promise((resolve) => this.next().resolveNs(ALIVE_QUESTION.name, (error) => resolve(isAnswer(error))));
  }

  private newResolver(): Resolver {
    const resolver = new Resolver(LIMITS);
    if (this.address !== null) resolver.setServers([this.address]);
    return resolver;
  }
}

/**
 * This host's DNS servers in query order. Each has its own resolvers. A single resolver would query all servers and
 * report only the last answer, so a server that is down could hide another server's answer.
 */
export class NameServers {
  private servers = new AnsweringFirst<NameServer>([]);
  private until = -Infinity;
  private version = -1;

  /** `given` replaces the system's servers, in the form `address` or `address:port`. */
  constructor(private readonly given: readonly string[] | undefined) {}

  /** `version` increases when the system's settings change. */
  list(version: number): readonly NameServer[] {
    const now = performance.now();
    if (now > this.until || version !== this.version) {
      const listed = this.given ?? new Resolver().getServers();
      this.servers = new AnsweringFirst(named(listed, this.given === undefined).map((one) => new NameServer(one)));
      this.until = now + LIFETIME_MS;
      this.version = version;
    }
    return this.servers.inOrder();
  }

  /** Moves a server that did not answer to the end. */
  demote(server: NameServer): void {
    this.servers.demote(server);
  }

  cancel(): void {
    for (const server of this.servers.inOrder()) server.cancel();
  }
}

/**
 * Node neither reports nor accepts the zone of a link-local server, so such a server is queried together with all
 * others.
 */
function named(listed: readonly string[], areOfSystem: boolean): (string | null)[] {
  if (!areOfSystem) return [...listed];
  const others = listed.filter((address) => !isLinkLocal(address));
  if (listed.length < 2 || others.length === 0) return [null];
  return others.length === listed.length ? [...listed] : [...others, null];
}

const isLinkLocal = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.parse(address).range() === 'linkLocal';
