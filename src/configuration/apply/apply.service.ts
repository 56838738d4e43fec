import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '../../platform/database/database';
import { joinTransaction } from '../../platform/database/joined-transaction';
import { requireMatch, withoutPrecondition } from '../../platform/http/precondition/precondition';
import { failpoint } from '../../platform/observability/failpoints';
import { problems } from '../../platform/problem/problem';
import { WebsiteService } from '../../website/website.service';
import { type ConfigurationPlanView, tagSource, toPlanView } from '../plan/plan.dto';
import { Planner, type PlanOfState, type PlanRequest } from '../plan/planner';
import { ApplyLocks } from './apply-locks';
import { ApplySteps } from './apply-steps';
import { deletedOf, isEmpty } from './steps';

/** Plans until what was read is what is locked. */
const MOST_PLANS = 4;

interface Applied {
  view: ConfigurationPlanView;
  /** uuids of websites that are marked as deleted. */
  removed: readonly string[];
}

/** Makes an organization what a document declares: all of it in one transaction, or nothing. */
@Injectable()
export class ApplyService {
  constructor(
    private readonly database: Database,
    private readonly planner: Planner,
    private readonly locks: ApplyLocks,
    private readonly steps: ApplySteps,
    private readonly websites: WebsiteService,
  ) {}

  /**
   * Throws what planning throws, `precondition_failed` when the plan is not the one that the client has seen, and
   * `quota_exceeded`. What is as declared is not touched.
   */
  async apply(request: PlanRequest): Promise<ConfigurationPlanView> {
    const { view, removed } = await this.database.transaction((tx) => this.applied(tx, request));
    await failpoint('apply.committed');
    for (const id of removed) await this.websites.removeMarked(request.caller.orgId, id);
    return view;
  }

  private async applied(tx: Tx, request: PlanRequest): Promise<Applied> {
    await this.locks.takeTurn(tx, request.caller.orgId);
    const { plan, digest } = await this.lockedPlan(tx, request);
    requireMatch(tagSource({ digest }));
    if (isEmpty(plan)) return { view: toPlanView(plan, { digest, isDone: true }), removed: [] };
    await failpoint('apply.locked');
    await withoutPrecondition(() => joinTransaction(tx, () => this.steps.carryOut(tx, request, plan)));
    const after = await this.planner.plan(tx, request);
    const view = toPlanView(plan, { digest: after.digest, isDone: true });
    await failpoint('apply.before_commit');
    return { view, removed: deletedOf(plan, 'website') };
  }

  /** A plan of rows that nobody else changes until the transaction ends. */
  private async lockedPlan(tx: Tx, request: PlanRequest): Promise<PlanOfState> {
    let present = await this.planner.plan(tx, request);
    for (let plans = 1; plans < MOST_PLANS; plans++) {
      if (isEmpty(present.plan)) return present;
      await this.locks.lock(tx, request.caller.orgId, present.plan);
      const again = await this.planner.plan(tx, request);
      if (again.digest === present.digest) return again;
      present = again;
    }
    throw problems.temporarilyUnavailable();
  }
}
