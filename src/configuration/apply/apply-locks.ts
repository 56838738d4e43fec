import { Injectable } from '@nestjs/common';
import { DeclaredAlerts } from '../../alert/declared-alerts.service';
import { ContactStore } from '../../contact/contact-store';
import { EndpointService } from '../../endpoint/endpoint.service';
import { setLimits, type Tx } from '../../platform/database/database';
import { parseId } from '../../platform/ids/id';
import { ProbeService } from '../../probe/probe.service';
import { WebsiteService } from '../../website/website.service';
import { type DeclaredResource, type Plan, type Planned, deletedOf, releasedOf } from '../plan/plan';

/** How long an apply waits for locks, like any other request. */
const LOCK_MS = 2000;

/**
 * Locks the resources that a plan will write before it writes any of them. The order is the same in all transactions:
 * websites, contacts, endpoints, alerts, probes, and finally the counters. Resources that a plan doesn't change aren't
 * locked, so their checks are still recorded in the meantime.
 */
@Injectable()
export class ApplyLocks {
  constructor(
    private readonly websites: WebsiteService,
    private readonly contacts: ContactStore,
    private readonly endpoints: EndpointService,
    private readonly alerts: DeclaredAlerts,
    private readonly probes: ProbeService,
  ) {}

  /** Returns false while another instance applies one of the organization's documents. */
  async takeTurn(tx: Tx, orgId: string): Promise<boolean> {
    await setLimits(tx.manager, { lockMs: LOCK_MS });
    const [row] = await tx.query<{ taken: boolean }>(
      'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken',
      [`configuration of ${orgId}`],
    );
    return row?.taken ?? false;
  }

  async lock(tx: Tx, orgId: string, plan: Plan): Promise<void> {
    const endpoints = plan.endpoints.filter(isTouched);
    const parents = [...new Set(endpoints.flatMap(({ dependsOn }) => dependsOn))];
    if (parents.length > 0) await this.endpoints.lockDependencies(tx, orgId);
    const made = new Set(endpoints.filter(({ row }) => row !== null).map(({ websiteId }) => websiteId));
    await this.websites.lockSome(tx, orgId, [
      ...new Set([...touched(plan.websites), ...made, ...left(plan, 'website')]),
    ]);
    await this.contacts.lockSome(tx, orgId, [...touched(plan.contacts), ...left(plan, 'contact')]);
    const named = plan.alerts.filter(isTouched).flatMap(({ dto }) => parseId('contact', dto?.contact_id) ?? []);
    await this.contacts.holdSome(tx, orgId, [...new Set(named)]);
    if (endpoints.some(({ row, hasAlerts }) => row !== null && !hasAlerts)) await this.contacts.holdDefaults(tx, orgId);
    await this.endpoints.lockSome(tx, orgId, [...touched(endpoints), ...left(plan, 'endpoint')], parents);
    await this.alerts.lockSome(tx, orgId, [...touched(plan.alerts), ...left(plan, 'alert')]);
    await this.probes.lockSome(tx, orgId, [...touched(plan.probes), ...left(plan, 'probe')]);
  }
}

const isTouched = ({ action }: Planned<unknown>): boolean => action !== 'unchanged';

const touched = (list: readonly Planned<unknown>[]): string[] => list.filter(isTouched).map(({ id }) => id);

/** Resources that are no longer declared. Resources that are deleted with their parent aren't locked individually. */
const left = (plan: Plan, resource: DeclaredResource): string[] => [
  ...deletedOf(plan, resource),
  ...releasedOf(plan, resource),
];
