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

/** A child, and the failure of it that is about to be recorded. */
interface Child {
  endpointId: string;
  /** Otherwise it is degraded. */
  isDown: boolean;
  /** When that was found. */
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

// Cost: probes of the primary key of dependencies, nearly always without a row; for each row a few probes by id.
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

/** A parent is not asked again sooner: all children that fail meanwhile share the next check. */
const PAUSE_MS = SECOND_MS;
/** The check of a parent that other children wait for may have begun too early; the one after it has not. */
const ROUNDS = 2;

/**
 * Has what an endpoint depends on checked before a failure of the endpoint is recorded that would trigger an alert: when
 * both break, the child cannot be told before its parent. Children share the checks of a parent.
 */
@Injectable()
export class ParentsFirst {
  private readonly checking = new Map<string, Promise<RecordedParent | null>>();
  /** Monotonic: when the last check of a parent began. */
  private readonly askedAt = new BoundedMap<string, number>(10_000);
  private readonly questions = new AskedTogether<Child, ParentsState>((children) =>
    this.lookUp(children).then(
      (toAsk) => toAsk,
      // Without the database nothing is recorded before it is back.
      () => () => ({ isAnyDown: false, toAsk: [] }),
    ),
  );

  constructor(
    private readonly database: WorkerDatabase,
    private readonly clock: Clock,
    private readonly checks: ParentChecks,
  ) {}

  /**
   * Whether a parent is down, by a result that is recorded. Resolves when all that had to be checked, with `run`, are
   * recorded, or have taken too long, or when `shutdown` aborts.
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

  /** `null` when the parent's check takes too long: it goes on without the child. */
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
