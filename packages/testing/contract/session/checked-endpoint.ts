import { eventually } from '../../eventually';
import type { ApiResponse } from '../../service/api';
import type { Session } from './session';
import { newEndpoint, type Thing } from './things';

/** The fields that the suite reads from a `POST /endpoints/:id/checks` response. */
export interface CheckView {
  id: string;
  outcome: string;
  attempts: number;
  error: { code: string } | null;
}

/** The longest time that the service takes for background work on a busy machine, in milliseconds. */
export const BY_ITSELF_MS = 40_000;

/** The number of endpoints to create together. The first check takes seconds, and tests shouldn't wait for each one. */
const AT_ONCE = 8;
const SPARE = new WeakMap<Session, CheckedEndpoint[]>();

/**
 * Runs checks until one is conclusive. If the machine stalls, checks are inconclusive. Throws: an error if a check is
 * refused.
 */
export async function conclusive<Found extends { outcome: string }>(
  run: () => Promise<ApiResponse<Found>>,
): Promise<Found> {
  const until = performance.now() + BY_ITSELF_MS;
  for (;;) {
    const { status, body, text } = await run();
    if (status >= 300) throw new Error(`the check was not run: ${status} ${text}`);
    if (body.outcome !== 'unknown' || performance.now() > until) return body;
  }
}

/** An endpoint whose first check was successful. After that, it is only checked on demand. */
export class CheckedEndpoint {
  private constructor(
    private readonly session: Session,
    readonly view: Thing,
    private readonly path: string,
  ) {}

  /** Returns an unused endpoint that is up, on a separate website. */
  static async take(session: Session): Promise<CheckedEndpoint> {
    const spare = SPARE.get(session) ?? [];
    SPARE.set(session, spare);
    if (spare.length === 0)
      spare.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => CheckedEndpoint.make(session)))));
    return spare.pop() ?? CheckedEndpoint.make(session);
  }

  private static async make(session: Session): Promise<CheckedEndpoint> {
    const path = `/${session.key('checked')}`;
    const view = await newEndpoint(session, { url: session.bench.url(path) });
    const endpoint = new CheckedEndpoint(session, view, path);
    const isChecked = async () => (await endpoint.read())['last_checked_at'] !== null;
    await eventually('the first check of a new endpoint', isChecked, BY_ITSELF_MS);
    if ((await endpoint.read())['status'] !== 'up') await endpoint.check('up');
    return endpoint;
  }

  get id(): string {
    return this.view.id;
  }

  get websiteId(): string {
    return String(this.view['website_id']);
  }

  async read(): Promise<Thing> {
    return (await this.session.read.get<Thing>(`/endpoints/${this.id}`)).body;
  }

  /** Makes the next checks find it `up` or `down`, and runs one. */
  async check(outcome: 'up' | 'down'): Promise<CheckView> {
    this.session.bench.respond(this.path, outcome === 'up' ? 200 : 503);
    return conclusive(() => this.session.write.post<CheckView>(`/endpoints/${this.id}/checks`));
  }

  /** Runs `check`, but returns the check that changed the status. The service may have run that one earlier. */
  async change(outcome: 'up' | 'down'): Promise<{ id: string; from: string }> {
    await this.check(outcome);
    const { body } = await this.session.read.get<CheckView[]>(`/endpoints/${this.id}/checks`);
    const before = body.findIndex((check) => check.outcome !== outcome);
    const [changed, previous] = [body[before - 1], body[before]];
    if (!changed || !previous) throw new Error(`no change to ${outcome}: ${JSON.stringify(body)}`);
    return { id: changed.id, from: previous.outcome };
  }
}
