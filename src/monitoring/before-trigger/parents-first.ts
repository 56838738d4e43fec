import { Injectable } from '@nestjs/common';
import { OUTCOME_CODE, outcomeOf } from '../../endpoint/outcome-code';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { WorkerDatabase } from '../../platform/database/database';
import { SECOND_MS } from '../../platform/time/time-units';
import { Clock } from '../../platform/time/clock';
import type { RunCheck } from '../../engine/before-trigger';
import { AskedTogether } from './near-trigger';
import { ParentChecks, type RecordedParent } from './parent-checks';
import { type KnownParent, type ParentsState, parentsStateOf, waitForParentMs } from './parents-state';

interface Child {
  endpointId: string;
  /** True if the child is down, or false if it is degraded. */
  isDown: boolean;
  foundAt: Date;
}

interface Row {
  childId: string;
  failingSince: Date | null;
  degradedSince: Date | null;
  id: string;
  status: number;
  checkedAt: Date | null;
  timeoutSeconds: number;
  canBeAsked: boolean;
  isRemote: boolean;
}

// Cost: primary key lookups in the table of dependencies, which usually find no row. For each row, a few lookups by ID.
const PARENTS = `
  SELECT d.endpoint_id AS "childId", CASE WHEN c.consecutive_failures > 0 THEN c.failing_since END AS "failingSince",
         c.degraded_since AS "degradedSince",
         p.id, s.status, s.last_checked_at AS "checkedAt", p.timeout_seconds AS "timeoutSeconds",
         q.scheduled OR q.located AS "canBeAsked", NOT q.scheduled AS "isRemote"
    FROM endpoint_dependency d
    JOIN endpoint_state c ON c.endpoint_id = d.endpoint_id
    JOIN endpoint p ON p.id = d.parent_id AND p.enabled
    JOIN website w ON w.id = p.website_id AND w.enabled AND w.deleted_at IS NULL
    JOIN endpoint_state s ON s.endpoint_id = p.id
    JOIN endpoint_schedule q ON q.endpoint_id = p.id
   WHERE d.endpoint_id = ANY ($1::uuid[])`;

/** The minimum time between two checks of a parent. All children that fail in this time share the next check. */
const PAUSE_MS = SECOND_MS;
/** A parent's check that is already running may have started too early for this child. The next check hasn't. */
const ROUNDS = 2;

/**
 * Checks an endpoint's parents before a failure that would trigger an alert is recorded. If both go down, the child's
 * notification can't arrive before its parent's. Children share the checks of a parent.
 */
@Injectable()
export class ParentsFirst {
  private readonly checking = new Map<string, Promise<RecordedParent | null>>();
  /** When the last check of each parent started, on the monotonic clock. */
  private readonly askedAt = new BoundedMap<string, number>(10_000);
  private readonly questions = new AskedTogether<Child, ParentsState>((children) =>
    this.lookUp(children).then(
      (toAsk) => toAsk,
      // If the database is unavailable, nothing can be recorded until it is available again.
      () => () => ({ isAnyDown: false, toAsk: [] }),
    ),
  );

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly checks: ParentChecks,
  ) {}

  /**
   * Returns whether a recorded result shows that a parent is down. Checks parents with `run` if that isn't known yet.
   * Resolves when all these checks have been recorded or have timed out, or when `shutdown` aborts.
   */
  async isAnyDown(child: Child, run: RunCheck, shutdown: AbortSignal): Promise<boolean> {
    for (let round = 0; round < ROUNDS && !shutdown.aborted; round++) {
      const { isAnyDown, toAsk } = await this.questions.ask(child);
      if (isAnyDown || toAsk.length === 0) return isAnyDown;
      const results = await Promise.all(toAsk.map((parent) => this.askWithin(parent, run, shutdown)));
      if (results.some((result) => result?.outcome === 'down')) return true;
      if (results.every((result) => result === null || result.checkedAt >= child.foundAt)) return false;
    }
    return false;
  }

  /**
   * Resolves to `null` if the parent's check takes too long. The check then continues, but the child doesn't wait for
   * it.
   */
  private async askWithin(parent: KnownParent, run: RunCheck, shutdown: AbortSignal): Promise<RecordedParent | null> {
    const done = new AbortController();
    const late = this.clock.sleep(waitForParentMs(parent), AbortSignal.any([done.signal, shutdown])).then(() => null);
    try {
      return await Promise.race([this.ask(parent, run, shutdown), late]);
    } finally {
      done.abort();
    }
  }

  private ask(parent: KnownParent, run: RunCheck, shutdown: AbortSignal): Promise<RecordedParent | null> {
    const { id } = parent;
    const running = this.checking.get(id);
    if (running) return running;
    const asked = this.checkAfterPause(parent, run, shutdown).finally(() => this.checking.delete(id));
    this.checking.set(id, asked);
    return asked;
  }

  private async checkAfterPause(
    parent: KnownParent,
    run: RunCheck,
    shutdown: AbortSignal,
  ): Promise<RecordedParent | null> {
    const { id } = parent;
    const pauseMs = (this.askedAt.get(id) ?? -Infinity) + PAUSE_MS - this.clock.monotonic();
    if (pauseMs > 0) await this.clock.sleep(pauseMs, shutdown);
    if (shutdown.aborted) return null;
    this.askedAt.set(id, this.clock.monotonic());
    return parent.isRemote ? this.checks.checkElsewhere(parent, shutdown) : this.checks.check(id, run);
  }

  private async lookUp(children: readonly Child[]): Promise<(child: Child) => ParentsState> {
    const ids = [...new Set(children.map(({ endpointId }) => endpointId))];
    const rows = await this.database.query<Row>(PARENTS, [ids]);
    const ofChild = new Map(ids.map((id) => [id, [] as Row[]]));
    for (const row of rows) ofChild.get(row.childId)?.push(row);
    return ({ endpointId, isDown, foundAt }) => {
      const known = ofChild.get(endpointId) ?? [];
      const since = (isDown ? known[0]?.failingSince : known[0]?.degradedSince) ?? null;
      return parentsStateOf({ since, foundAt }, known.map(toParent));
    };
  }
}

const toParent = ({ id, status, checkedAt, timeoutSeconds, canBeAsked, isRemote }: Row): KnownParent => ({
  id,
  outcome: checkedAt === null ? outcomeOf(OUTCOME_CODE.unknown) : outcomeOf(status),
  checkedAt,
  timeoutSeconds,
  canBeAsked,
  isRemote,
});
