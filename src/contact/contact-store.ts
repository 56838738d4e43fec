import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Quotas } from '../identity/quota/quotas.service';
import type { Sql, Tx } from '../platform/database/database';
import { problems } from '../platform/problem/problem';
import type { AlertDefaults } from '../alert-rule/alert-rule';
import { Contact } from './contact.entity';
import type { ContactRoute } from './contact-events';

/** Contacts of an organization. */
export const MOST_CONTACTS = 1000;
/** Contacts that each new endpoint gets an alert through. */
export const MOST_DEFAULT = 10;

/** What making an alert through a contact needs of it. */
export interface HeldContact extends ContactRoute {
  defaults: AlertDefaults;
}

const ROUTE = 'id AS "contactId", type, config, destination, defaults';
const ONE = `SELECT ${ROUTE} FROM contact WHERE org_id = $1 AND id = $2`;

/**
 * The rows of contacts, and their locks. A contact is always locked before endpoints and alerts: whoever changes it holds the
 * row exclusively and then locks all its alerts; whoever makes an alert through it, or moves one to it, holds it shared, so
 * that type and destination of the alert are those of the contact.
 */
@Injectable()
export class ContactStore {
  constructor(private readonly quotas: Quotas) {}

  /** Held shared until the transaction ends. Throws `not_found`, at `contact_id`, unless it is this organization's. */
  async hold(tx: Tx, orgId: string, id: string): Promise<HeldContact> {
    return found(await tx.query<HeldContact>(`${ONE} FOR SHARE`, [orgId, id]));
  }

  /** As it is now. Throws what `hold` throws. */
  async find(sql: Sql, orgId: string, id: string): Promise<HeldContact> {
    return found(await sql.query<HeldContact>(ONE, [orgId, id]));
  }

  /** Several, held shared in the order of their ids until the transaction ends. Those that are not there are missing. */
  async holdSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<Map<string, HeldContact>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.query<HeldContact>(
      `SELECT ${ROUTE} FROM contact WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR SHARE`,
      [orgId, ids],
    );
    return new Map(rows.map((row) => [row.contactId, row]));
  }

  /** Several, locked exclusively in the order of their ids. */
  async lockSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0)
      await tx.query('SELECT FROM contact WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE', [
        orgId,
        ids,
      ]);
  }

  /** Those that new endpoints get an alert through, oldest first, held shared. One probe of a small partial index. */
  holdDefaults(tx: Tx, orgId: string): Promise<HeldContact[]> {
    return tx.query<HeldContact>(
      `SELECT ${ROUTE} FROM contact WHERE org_id = $1 AND is_default ORDER BY id FOR SHARE`,
      [orgId],
    );
  }

  /** The routes of these contacts. */
  async routes(sql: Sql, orgId: string, ids: readonly string[]): Promise<Map<string, ContactRoute>> {
    if (ids.length === 0) return new Map();
    const rows = await sql.query<ContactRoute>(
      `SELECT ${ROUTE} FROM contact WHERE org_id = $1 AND id = ANY ($2::uuid[])`,
      [orgId, ids],
    );
    return new Map(rows.map((row) => [row.contactId, row]));
  }

  /** Locked exclusively. Throws `not_found` unless it is this organization's. */
  async lock(tx: Tx, orgId: string, id: string): Promise<Contact> {
    const contact = await tx.manager.findOne(Contact, { where: { orgId, id }, lock: { mode: 'pessimistic_write' } });
    if (!contact) throw problems.notFound();
    return contact;
  }

  /** Two different ones, locked exclusively in the order of their ids. Throws `not_found` unless both are this organization's. */
  async lockBoth(tx: Tx, orgId: string, id: string, otherId: string): Promise<[Contact, Contact]> {
    const contacts = await tx.manager.find(Contact, {
      where: { orgId, id: In([id, otherId]) },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    const [one, other] = [id, otherId].map((wanted) => contacts.find((contact) => contact.id === wanted));
    if (!one || !other) throw problems.notFound();
    return [one, other];
  }

  /** Alerts that notify through a contact: exact, and fixed until the transaction ends, while the caller has it locked. */
  async countAlerts(tx: Tx, id: string): Promise<number> {
    const [row] = await tx.query<{ count: number }>('SELECT count(*)::int AS count FROM alert WHERE contact_id = $1', [
      id,
    ]);
    return row?.count ?? 0;
  }

  /**
   * Throws `quota_exceeded` when there are too many with what the transaction has added. To be called last of all that
   * locks: the counters stay locked until it ends, so that of parallel transactions none goes beyond a limit.
   */
  async refuseTooMany(tx: Tx, orgId: string): Promise<void> {
    await this.quotas.claim(tx, orgId, {});
    const [row] = await tx.query<{ contacts: number; defaults: number }>(
      `SELECT count(*)::int AS contacts, count(*) FILTER (WHERE is_default)::int AS defaults FROM contact WHERE org_id = $1`,
      [orgId],
    );
    const { contacts, defaults } = row ?? { contacts: 0, defaults: 0 };
    if (contacts > MOST_CONTACTS)
      throw problems.quotaExceeded({ name: 'contacts', limit: MOST_CONTACTS, used: MOST_CONTACTS }, 'contacts');
    if (defaults > MOST_DEFAULT)
      throw problems.quotaExceeded(
        { name: 'default_contacts', limit: MOST_DEFAULT, used: MOST_DEFAULT },
        'default contacts',
      );
  }
}

function found([contact]: readonly HeldContact[]): HeldContact {
  if (!contact) throw problems.referenceNotFound('/contact_id', 'the contact was not found in this organization');
  return contact;
}
