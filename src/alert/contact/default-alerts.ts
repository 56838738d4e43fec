import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { recordChanges } from '../../audit/audit-log';
import { ContactStore, type HeldContact } from '../../contact/contact-store';
import { EndpointsCreating } from '../../endpoint/endpoint-events';
import { refusalOf } from '../../identity/quota/quotas';
import { Quotas } from '../../identity/quota/quotas.service';
import type { Tx } from '../../platform/database/database';
import { TransactionEvents } from '../../platform/events/transaction-events';
import { Problem } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { ruleOf, toAlertRule } from '../alert.dto';
import { Alert } from '../alert.entity';
import { AlertSettings } from '../alert-settings';
import { insertAlerts } from './new-alerts';

/** The audit log shows only what a read key may see: no credentials and no addresses. */
const READER = { role: 'read' } as const;

/**
 * Creates an alert through each default contact for new endpoints. This happens in the transaction that creates them,
 * so that no endpoint is missed.
 */
@Injectable()
export class DefaultAlerts implements OnModuleInit {
  constructor(
    private readonly events: TransactionEvents,
    private readonly contacts: ContactStore,
    private readonly settings: AlertSettings,
    private readonly quotas: Quotas,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.events.on(EndpointsCreating, (creating, tx) => this.hold(tx, creating));
  }

  /** Locks the default contacts until the endpoints are created. Cost: one statement if there is no default contact. */
  private async hold(tx: Tx, creating: EndpointsCreating): Promise<void> {
    const { orgId } = creating;
    const contacts = await this.contacts.holdDefaults(tx, orgId);
    if (contacts.length > 0) creating.whenCreated((endpointIds) => this.add(tx, orgId, contacts, endpointIds));
  }

  /** Throws `quota_exceeded`. Cost: one statement for each contact, and four more. */
  private async add(
    tx: Tx,
    orgId: string,
    contacts: readonly HeldContact[],
    endpointIds: readonly string[],
  ): Promise<void> {
    await this.claim(tx, orgId, contacts.length, endpointIds.length);
    const now = this.clock.now();
    const ids: string[] = [];
    for (const contact of contacts) {
      const defaults = ruleOf(contact.defaults);
      ids.push(...(await insertAlerts(tx, { orgId, contact, sent: {}, defaults, endpointIds, now })));
    }
    await this.record(tx, orgId, contacts, ids);
  }

  private async claim(tx: Tx, orgId: string, contacts: number, endpoints: number): Promise<void> {
    try {
      const limits = await this.quotas.claim(tx, orgId, { alerts: contacts * endpoints });
      const refusal = refusalOf('alerts_per_endpoint', limits.alerts_per_endpoint, 0, contacts);
      if (refusal) throw refusal;
    } catch (error) {
      throw error instanceof Problem && error.code === 'quota_exceeded' ? ofDefaults(error) : error;
    }
  }

  private async record(tx: Tx, orgId: string, contacts: readonly HeldContact[], ids: readonly string[]): Promise<void> {
    const alerts = await tx.manager.find(Alert, { where: { id: In([...ids]) }, order: { id: 'ASC' } });
    const byId = new Map(contacts.map((contact) => [contact.contactId, contact]));
    const changes = alerts.flatMap((alert) => {
      const route = byId.get(alert.contactId ?? '');
      if (!route) return [];
      const after = toAlertRule(alert, this.settings.present(READER, { alert, route }).config);
      return { orgId, action: 'create' as const, resource: 'alert' as const, id: alert.id, after };
    });
    await recordChanges(tx, changes);
  }
}

/** The client created an endpoint, not alerts, so the message explains why the limit applies. */
const ofDefaults = ({ code, detail, quota }: Problem): Problem =>
  new Problem(
    code,
    `${detail} New endpoints get an alert rule for each default contact. To create the endpoint without them, send ?alerts=none.`,
    [],
    {},
    quota,
  );
