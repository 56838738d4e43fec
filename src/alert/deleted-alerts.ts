import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ContactStore } from '../contact/contact-store';
import { EndpointRestoring, EndpointsKeeping } from '../endpoint/endpoint-events';
import { Quotas } from '../identity/quota/quotas.service';
import type { Tx } from '../platform/database/database';
import { TransactionEvents } from '../platform/events/transaction-events';
import { isRecord } from '../platform/text/json';
import { Alert } from './alert.entity';

const PART = 'alerts';

/** What a restored alert rule doesn't continue: its episode, and the reminders of that episode. */
const NO_EPISODE = {
  triggered: false,
  incident_started_at: null,
  trigger_event_id: null,
  remind_at: null,
  reminders: 0,
};

/** Keeps the alert rules of deleted endpoints, and restores them. */
@Injectable()
export class DeletedAlerts implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly contacts: ContactStore,
    private readonly quotas: Quotas,
  ) {}

  onModuleInit(): void {
    this.events.on(EndpointsKeeping, (keeping, tx) => this.keep(keeping, tx));
    this.events.on(EndpointRestoring, (restoring, tx) => this.restore(restoring, tx));
  }

  /** Cost: one statement, with one index lookup for each endpoint. */
  private async keep(keeping: EndpointsKeeping, tx: Tx): Promise<void> {
    const rows = await tx.query<{ id: string; alerts: unknown }>(
      `SELECT a.endpoint_id AS id, jsonb_agg(to_jsonb(a) ORDER BY a.id) AS alerts FROM alert a
        WHERE a.endpoint_id = ANY ($1::uuid[]) GROUP BY a.endpoint_id`,
      [keeping.endpointIds],
    );
    for (const { id, alerts } of rows) keeping.keep(id, PART, alerts);
  }

  /**
   * Locks the contacts now, before endpoints and counters are locked. A rule whose contact was deleted is left out. A rule
   * with a contact gets its current type and destination.
   */
  private async restore(restoring: EndpointRestoring, tx: Tx): Promise<void> {
    const { orgId } = restoring;
    const kept = rowsIn(restoring.parts[PART]);
    const contactIds = kept.flatMap(({ contact_id: id }) => (typeof id === 'string' ? [id] : []));
    const contacts = await this.contacts.holdSome(tx, orgId, [...new Set(contactIds)]);
    const rows = kept.flatMap((row) => {
      const { contact_id: contactId } = row;
      if (typeof contactId !== 'string') return [{ ...row, ...NO_EPISODE }];
      const contact = contacts.get(contactId);
      return contact ? [{ ...row, ...NO_EPISODE, type: contact.type, destination: contact.destination }] : [];
    });
    if (rows.length === 0) return;
    restoring.whenCreated(async () => {
      await this.quotas.claim(tx, orgId, { alerts: rows.length });
      const known = new Set(Object.keys(rows[0] ?? {}));
      const columns = tx.manager.connection
        .getMetadata(Alert)
        .columns.map(({ databaseName }) => databaseName)
        .filter((name) => known.has(name))
        .join(', ');
      await tx.query(
        `INSERT INTO alert (${columns}) SELECT ${columns} FROM jsonb_populate_recordset(NULL::alert, $1::jsonb)`,
        [JSON.stringify(rows)],
      );
    });
  }
}

const rowsIn = (part: unknown): Record<string, unknown>[] => (Array.isArray(part) ? part.filter(isRecord) : []);
