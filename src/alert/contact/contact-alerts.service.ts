import { Injectable } from '@nestjs/common';
import { recordChange } from '../../audit/audit-log';
import { ContactStore } from '../../contact/contact-store';
import { type EndpointScope, problemsOfScope, refuseUnknown, toScope } from '../../endpoint/search/scope';
import { Database, type Tx } from '../../platform/database/database';
import { type Findings, refuse } from '../../platform/problem/findings';
import { Clock } from '../../platform/time/clock';
import { ruleOf } from '../alert.dto';
import { AlertSettings } from '../alert-settings';
import type { AddContactAlertsDto, AddedContactAlertsView } from './contact-alerts.dto';
import { insertAlerts } from './new-alerts';

interface Found {
  /** Endpoints that don't have an alert through the contact yet, in ID order. */
  missing: string[];
  existing: number;
}

// Cost: reads the organization's endpoints and the contact's alerts once each.
const IN_SCOPE = `
  SELECT coalesce(array_agg(s.id ORDER BY s.id) FILTER (WHERE NOT s.has_alert), '{}') AS missing,
         count(*) FILTER (WHERE s.has_alert)::int AS existing
    FROM (SELECT e.id, e.id IN (SELECT a.endpoint_id FROM alert a WHERE a.contact_id = $2) AS has_alert
            FROM endpoint e JOIN website w ON w.id = e.website_id AND w.deleted_at IS NULL
           WHERE e.org_id = $1 AND ($3::boolean OR e.website_id = ANY ($4::uuid[]) OR e.id = ANY ($5::uuid[])
                                    OR e.tags && $6::text[] OR w.tags && $6::text[])) s`;

const HOLD = 'SELECT id FROM endpoint WHERE id = ANY ($1::uuid[]) ORDER BY id FOR KEY SHARE';

/** Creates missing alerts through a contact for endpoints. */
@Injectable()
export class ContactAlertsService {
  constructor(
    private readonly database: Database,
    private readonly contacts: ContactStore,
    private readonly settings: AlertSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the alerts in one transaction, with as many statements for ten thousand endpoints as for one. The contact
   * is locked, so that the second of two concurrent requests sees the alerts that the first one created. Throws
   * `not_found` for the contact and for resources in the scope, and `quota_exceeded`.
   */
  add(
    orgId: string,
    contactId: string,
    { scope: sent, ...rule }: AddContactAlertsDto,
  ): Promise<AddedContactAlertsView> {
    refuse(this.findingsIn({ scope: sent }));
    return this.database.transaction(async (tx) => {
      const contact = await this.contacts.lock(tx, orgId, contactId);
      await refuseUnknown(tx, orgId, [{ sent }]);
      const { missing, existing } = await inScope(tx, orgId, contactId, toScope(sent));
      const endpointIds = missing.length === 0 ? [] : await hold(tx, missing);
      const added = { created: endpointIds.length, existing };
      if (endpointIds.length === 0) return added;
      await this.settings.claim(tx, orgId, endpointIds);
      await insertAlerts(tx, {
        orgId,
        contact: { ...contact, contactId },
        sent: ruleOf(rule),
        defaults: ruleOf(contact.defaults),
        endpointIds,
        now: this.clock.now(),
      });
      await recordChange(tx, {
        orgId,
        resource: 'contact',
        id: contactId,
        action: 'update',
        before: { alerts: null },
        after: { alerts: { ...added, ...contact.defaults, ...rule, scope: sent } },
      });
      return added;
    });
  }

  /** Returns the errors that `add` would find in these fields, without looking at stored resources. */
  findingsIn({ scope }: Partial<AddContactAlertsDto>): Findings {
    return { invalid: scope ? problemsOfScope(scope) : [], forbidden: [] };
  }
}

async function inScope(tx: Tx, orgId: string, contactId: string, scope: EndpointScope): Promise<Found> {
  const { coversAll, websiteIds, endpointIds, tags } = scope;
  const [found] = await tx.query<Found>(IN_SCOPE, [orgId, contactId, coversAll, websiteIds, endpointIds, tags]);
  return found ?? { missing: [], existing: 0 };
}

/**
 * Returns the endpoints that still exist, in the purge's lock order. They can't be deleted until the transaction ends.
 */
async function hold(tx: Tx, endpointIds: readonly string[]): Promise<string[]> {
  return (await tx.query<{ id: string }>(HOLD, [endpointIds])).map(({ id }) => id);
}
