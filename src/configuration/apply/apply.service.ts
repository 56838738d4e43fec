import { Injectable } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import { may } from '../../platform/access/permissions';
import { Database, type Tx, joinTransaction } from '../../platform/database/database';
import { DatabaseServer } from '../../platform/database/database-server';
import { requireMatch, withoutPrecondition } from '../../platform/http/precondition/precondition';
import { failpoint } from '../../platform/observability/failpoints';
import { problems } from '../../platform/problem/problem';
import { changesProbes, isEmpty, type Plan, weightOf } from '../plan/plan';
import { type ConfigurationPlanView, tagSource, toPlanView } from '../plan/plan.dto';
import { Planner, type PlanOfState, type PlanRequest } from '../plan/planner';
import { ApplyLocks } from './apply-locks';
import { MonitoredSteps, OtherSteps } from './steps';

/** How many times a plan may be repeated until the rows that it read match the rows that are locked. */
const MOST_PLANS = 4;
/** The maximum size of an apply on the embedded database, in changed endpoints. */
const MOST_ROWS = 5000;
const RETRY_SECONDS = 2;

interface Applied {
  view: ConfigurationPlanView;
  plan: Plan;
}

/** Applies a document to an organization in one transaction, all or nothing. */
@Injectable()
export class ApplyService {
  /** Organizations for which this process is applying a document. */
  private readonly applied = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly planner: Planner,
    private readonly locks: ApplyLocks,
    private readonly monitored: MonitoredSteps,
    private readonly others: OtherSteps,
    private readonly server: DatabaseServer,
  ) {}

  /**
   * Applies a document. Resources that are already as declared aren't changed. Throws the errors of planning,
   * `insufficient_role` if it changes probes and the caller isn't an admin, and `precondition_failed` if the client saw
   * a different plan. Also throws `rate_limited` while another document of the organization is being applied,
   * `conflict` if it is too large for the embedded database, and `quota_exceeded`.
   */
  async apply(request: PlanRequest): Promise<ConfigurationPlanView> {
    const { orgId } = request.caller;
    if (this.applied.has(orgId)) throw problems.rateLimited(RETRY_SECONDS);
    this.applied.add(orgId);
    try {
      const planned = await this.planner.plan(this.database, request);
      this.refuseUnlessMay(request.caller, planned.plan);
      const { view, plan } = await this.database.transaction((tx) => this.write(tx, request, planned));
      await failpoint('apply.committed');
      await this.monitored.purge(orgId, plan);
      return view;
    } finally {
      this.applied.delete(orgId);
    }
  }

  private async write(tx: Tx, request: PlanRequest, planned: PlanOfState): Promise<Applied> {
    if (!(await this.locks.takeTurn(tx, request.caller.orgId))) throw problems.rateLimited(RETRY_SECONDS);
    const { plan, digest } = await this.lockedPlan(tx, request, planned);
    requireMatch(tagSource({ digest }));
    if (isEmpty(plan)) return { view: toPlanView(plan, { digest, isDone: true }), plan };
    await failpoint('apply.locked');
    await withoutPrecondition(() => joinTransaction(tx, () => this.carryOut(tx, request, plan)));
    const view = toPlanView(plan, { digest: await this.planner.digestOfDone(tx, request), isDone: true });
    await failpoint('apply.before_commit');
    return { view, plan };
  }

  /**
   * Deletions come first, to make room. Contacts are created before the alerts that use them, and deleted once no alert
   * uses them anymore.
   */
  private async carryOut(tx: Tx, { caller, host }: PlanRequest, plan: Plan): Promise<void> {
    const { orgId } = caller;
    await this.others.removePagesAndWindows(orgId, plan);
    await this.monitored.remove(tx, orgId, plan);
    await this.others.saveContacts(tx, caller, plan);
    await this.others.saveProbes(tx, orgId, plan);
    await this.monitored.save(tx, caller, plan);
    await this.others.removeContacts(caller, plan);
    await this.others.removeProbes(orgId, plan);
    await this.others.savePagesAndWindows(tx, caller, host, plan);
    await this.others.ownContactsAndProbes(tx, orgId, plan);
    await this.monitored.own(tx, orgId, plan);
    await this.others.ownPagesAndWindows(tx, orgId, plan);
  }

  /**
   * Returns a plan based on rows that no one else can change until the transaction ends. If the rows haven't changed,
   * this is the plan made outside the transaction.
   */
  private async lockedPlan(tx: Tx, request: PlanRequest, planned: PlanOfState): Promise<PlanOfState> {
    let present = planned;
    for (let plans = 1; plans < MOST_PLANS; plans++) {
      this.refuseUnlessMay(request.caller, present.plan);
      await this.locks.lock(tx, request.caller.orgId, present.plan);
      if ((await this.planner.readDigest(tx, request)) === present.read) return present;
      present = await this.planner.plan(tx, request);
    }
    throw problems.temporarilyUnavailable();
  }

  /**
   * Only admins may change probes, because a probe is a credential. On the embedded database, all other requests wait
   * during the write.
   */
  private refuseUnlessMay(caller: Caller, plan: Plan): void {
    if (!may(caller, 'admin') && changesProbes(plan)) throw problems.insufficientRole('admin');
    const rows = weightOf(plan);
    if (!this.server.isEmbedded || rows <= MOST_ROWS) return;
    throw problems.conflict(
      `The document changes too much at once for the embedded database: its changes count as ${rows} endpoints, and the limit is ${MOST_ROWS}, because all other writes have to wait. Split the document, or use PostgreSQL.`,
    );
  }
}
