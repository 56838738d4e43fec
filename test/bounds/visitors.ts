import { randomUUID } from 'node:crypto';
import { type Reply, send, VICTIM } from './client';

const PASSWORD = 'three wise monkeys';
const SLUG = 'victim';
/** The page is refreshed every 15 seconds, and requested once a second. */
export const OLDEST_PAGE_MS = 30_000;
/** A user may sign in at most twenty times at once, and then every ten seconds. */
const PEOPLE = 3;

/** The request of each visitor, and its interval in milliseconds. */
interface Visit {
  who: string;
  everyMs: number;
  ask: () => Promise<Reply>;
  status: number;
}

/**
 * Visitors without a key. They are a visitor of the dashboard, a job that pings, users who sign in from a known
 * network, and a visitor of a public page. They record each response that differs from the usual one.
 */
export class Visitors {
  private readonly failures: string[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly asked = new Map<string, number>();
  private readonly open = new Set<Promise<unknown>>();
  private oldestPageMs = 0;
  private slowestSignInMs = 0;
  private turn = 0;

  private constructor(
    private readonly url: string,
    private readonly emails: readonly string[],
    private readonly job: string,
  ) {}

  /** Creates visitors of an organization with a website. Everything that they request exists and has responded once. */
  static async settle(url: string, key: string, website: string): Promise<Visitors> {
    const api = (method: string, path: string, body: object) =>
      send(url, method, `/api/v1${path}`, { key, body, from: VICTIM });
    const pingId = randomUUID();
    await made(api('PUT', `/websites/${website}/status-page`, { slug: SLUG, enabled: true }));
    await made(
      api('POST', `/websites/${website}/endpoints`, {
        name: 'Job',
        type: 'HEARTBEAT',
        heartbeat: { every: 86_400, ping_id: pingId },
      }),
    );
    const emails = Array.from({ length: PEOPLE }, (_, n) => `person.${n}@example.com`);
    for (const email of emails) {
      const { token } = JSON.parse(await made(api('POST', '/invitations', { email, role: 'read' }))) as {
        token: string;
      };
      const body = { token, name: email, password: PASSWORD };
      await made(send(url, 'POST', '/auth/account', { body, from: VICTIM }));
    }
    const visitors = new Visitors(url, emails, `/ping/${pingId}`);
    for (const visit of visitors.visits()) await made(visit.ask());
    // Makes the network known by signing each user in.
    for (let n = 1; n < PEOPLE; n++) await made(visitors.signIn());
    return visitors;
  }

  get slug(): string {
    return SLUG;
  }

  start(): void {
    for (const visit of this.visits()) this.timers.push(setInterval(() => this.pay(visit), visit.everyMs));
  }

  async stop(): Promise<{
    failures: string[];
    asked: Map<string, number>;
    oldestPageMs: number;
    slowestSignInMs: number;
  }> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.open);
    const { failures, asked, oldestPageMs, slowestSignInMs } = this;
    return { failures, asked, oldestPageMs, slowestSignInMs };
  }

  private visits(): Visit[] {
    return [
      { who: 'dashboard', everyMs: 500, status: 200, ask: () => this.get('/') },
      { who: 'job', everyMs: 1000, status: 200, ask: () => this.ping() },
      { who: 'person', everyMs: 2000, status: 201, ask: () => this.signIn() },
      { who: 'page', everyMs: 1000, status: 200, ask: () => this.page() },
    ];
  }

  private pay({ who, ask, status }: Visit): void {
    const at = new Date().toISOString().slice(11, 23);
    const visit = ask().then((reply) => {
      this.asked.set(who, (this.asked.get(who) ?? 0) + 1);
      if (reply.status !== status) this.failures.push(`${at} ${who}: ${reply.status} ${reply.text.slice(0, 80)}`);
    });
    this.open.add(visit);
    void visit.finally(() => this.open.delete(visit));
  }

  private get(path: string): Promise<Reply> {
    return send(this.url, 'GET', path, { from: VICTIM });
  }

  private ping(): Promise<Reply> {
    return send(this.url, 'POST', this.job, { from: VICTIM, text: { type: 'text/plain', body: 'done' } });
  }

  private async signIn(): Promise<Reply> {
    const email = this.emails[this.turn++ % PEOPLE] ?? '';
    const reply = await send(this.url, 'POST', '/auth/session', { from: VICTIM, body: { email, password: PASSWORD } });
    this.slowestSignInMs = Math.max(this.slowestSignInMs, reply.ms);
    return reply;
  }

  private async page(): Promise<Reply> {
    const reply = await this.get(`/status/${SLUG}.json`);
    if (reply.status !== 200) return reply;
    const { updated_at } = JSON.parse(reply.text) as { updated_at: string };
    this.oldestPageMs = Math.max(this.oldestPageMs, Date.now() - Date.parse(updated_at));
    return reply;
  }
}

async function made(asked: Promise<Reply>): Promise<string> {
  const { status, text } = await asked;
  if (status < 200 || status > 299) throw new Error(`The visitors could not be set up: ${status} ${text}`);
  return text;
}
