import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/database';
import type { Plan } from '../plan/plan';
import type { PlanRequest } from '../plan/planner';
import { MonitoredSteps } from './monitored-steps';
import { OtherSteps } from './other-steps';
import { Owners } from './owners';

/** The steps of an apply: what goes makes room first, contacts before what notifies through them, and go when nothing does. */
@Injectable()
export class ApplySteps {
  constructor(
    private readonly monitored: MonitoredSteps,
    private readonly others: OtherSteps,
    private readonly owners: Owners,
  ) {}

  async carryOut(tx: Tx, { caller, host, document }: PlanRequest, plan: Plan): Promise<void> {
    const { orgId } = caller;
    await this.others.removePagesAndWindows(orgId, plan);
    await this.monitored.remove(tx, orgId, plan);
    await this.others.saveContacts(tx, caller, plan);
    await this.monitored.save(tx, caller, plan);
    await this.others.removeContacts(caller, plan);
    await this.others.savePagesAndWindows(tx, caller, host, plan);
    const { owner } = document;
    if (owner === undefined) return;
    await this.owners.write(tx, orgId, owner, plan);
    await this.owners.release(tx, orgId, plan);
  }
}
