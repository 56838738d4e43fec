import { Resolver } from 'node:dns';
import ipaddr from 'ipaddr.js';
import { AnsweringFirst } from './answering-first';
import { ALIVE_QUESTION, SilenceWatch } from './silence-watch';

/** Resolvers of c-ares for each server: one alone loses answers when many are asked at the same moment. */
const POOL_SIZE = 16;
const LIFETIME_MS = 60_000;
const LIMITS = { timeout: 2000, tries: 2 };

/** An error that c-ares makes up itself: the server did not answer, or could not be asked. */
const UNANSWERED = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED', 'ENOMEM', 'EFILE', 'ENOTINITIALIZED']);

/** True when the server answered: an error code that a server sent shows that it is alive. */
export const isAnswer = (error: NodeJS.ErrnoException | null): boolean => !error || !UNANSWERED.has(error.code ?? '');

/** One DNS server that this machine is configured with. */
export class NameServer {
  /** Whether it answers anything at all. */
  readonly silence = new SilenceWatch(() => this.answers());
  private readonly pool: Resolver[] = [];
  private turn = 0;

  /** `null`: all servers of the system, as c-ares asks them. */
  constructor(private readonly address: string | null) {}

  /** The resolver whose turn it is. */
  next(): Resolver {
    this.turn = (this.turn + 1) % POOL_SIZE;
    return (this.pool[this.turn] ??= this.newResolver());
  }

  /** Ends everything that it was asked. */
  cancel(): void {
    for (const resolver of this.pool) resolver?.cancel();
  }

  /** Whether it has answered anything since then, or answers now. */
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
 * The DNS servers of this machine in the order in which they are asked. Each one has resolvers of its own: c-ares would ask
 * all of them and report only what the last one said, so one dead server could hide what another one answered.
 */
export class NameServers {
  private servers = new AnsweringFirst<NameServer>([]);
  private until = -Infinity;
  private version = -1;

  /** `given` in place of the system's: `address` or `address:port`. */
  constructor(private readonly given: readonly string[] | undefined) {}

  /** `version` grows when the system's settings have changed. */
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

  /** It has not answered: the others are asked before it. */
  demote(server: NameServer): void {
    this.servers.demote(server);
  }

  cancel(): void {
    for (const server of this.servers.inOrder()) server.cancel();
  }
}

/** A link-local server has a zone that Node does not tell and cannot set, so it is asked together with the others. */
function named(listed: readonly string[], areOfSystem: boolean): (string | null)[] {
  if (!areOfSystem) return [...listed];
  const others = listed.filter((address) => !isLinkLocal(address));
  if (listed.length < 2 || others.length === 0) return [null];
  return others.length === listed.length ? [...listed] : [...others, null];
}

const isLinkLocal = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.parse(address).range() === 'linkLocal';
