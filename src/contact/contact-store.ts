import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Quotas } from '../identity/quota/quotas.service';
import type { Sql, Tx } from '../platform/database/database';
import { problems } from '../platform/problem/problem';
import type { AlertDefaults } from '../alert-rule/alert-rule';
import { Contact } from './contact.entity';
import type { ContactRoute } from './contact-events';

export const MOST_CONTACTS = 1000;
/** The maximum number of default contacts. Each new endpoint gets an alert for each of them. */
export const MOST_DEFAULT = 10;

/** The parts of a contact that are needed to create an alert that uses it. */
export interface HeldContact extends ContactRoute {
  defaults: AlertDefaults;
}

const ROUTE = 'id AS "contactId", type, config, destination, defaults';
const ONE = `SELECT ${ROUTE} FROM contact WHERE org_id = $1 AND id = $2`;

/**
 * Reads and locks the rows of contacts. A contact is always locked before endpoints and alerts. A transaction that
 * changes a contact locks its row exclusively, then locks all its alerts. A transaction that creates an alert for a
 * contact, or moves one to it, locks the contact's row with a shared lock. So the type and destination of the alert
 * always match the contact.
 */
@Injectable()
export class ContactStore {
  constructor(private readonly quotas: Quotas) {}

  /**
   * Takes a shared lock on a contact until the transaction ends. Throws: `not_found` at `contact_id` unless it belongs
   * to this organization.
   */
  async hold(tx: Tx, orgId: string, id: string): Promise<HeldContact> {
    return found(await tx.query<HeldContact>(`${ONE} FOR SHARE`, [orgId, id]));
  }

  /** Reads a contact without a lock. Throws: the same errors as `hold`. */
  async find(sql: Sql, orgId: string, id: string): Promise<HeldContact> {
    return found(await sql.query<HeldContact>(ONE, [orgId, id]));
  }

  /**
   * Takes shared locks on several contacts, in ID order, until the transaction ends. Unknown ones are missing from the
   * result.
   */
  async holdSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<Map<string, HeldContact>> {
    if (ids.length === 0) return new Map();
    const rows = await tx.query<HeldContact>(
      `SELECT ${ROUTE} FROM contact WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR SHARE`,
      [orgId, ids],
    );
    return new Map(rows.map((row) => [row.contactId, row]));
  }

  /** Takes exclusive locks on several contacts, in ID order. */
  async lockSome(tx: Tx, orgId: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0)
      await tx.query('SELECT FROM contact WHERE org_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE', [
        orgId,
        ids,
      ]);
  }

  /**
   * Returns the default contacts, oldest first, and takes shared locks on them. Cost: one lookup in a small partial
   * index.
   */
  holdDefaults(tx: Tx, orgId: string): Promise<HeldContact[]> {
    return tx.query<HeldContact>(
      `SELECT ${ROUTE} FROM contact WHERE org_id = $1 AND is_default ORDER BY id FOR SHARE`,
      [orgId],
    );
  }

  async routes(sql: Sql, orgId: string, ids: readonly string[]): Promise<Map<string, ContactRoute>> {
    if (ids.length === 0) return new Map();
    const rows = await sql.query<ContactRoute>(
      `SELECT ${ROUTE} FROM contact WHERE org_id = $1 AND id = ANY ($2::uuid[])`,
      [orgId, ids],
    );
    return new Map(rows.map((row) => [row.contactId, row]));
  }

  /** Takes an exclusive lock on a contact. Throws: `not_found` unless it belongs to this organization. */
  async lock(tx: Tx, orgId: string, id: string): Promise<Contact> {
    const contact = await tx.manager.findOne(Contact, { where: { orgId, id }, lock: { mode: 'pessimistic_write' } });
    if (!contact) throw problems.notFound();
    return contact;
  }

  /**
   * Takes exclusive locks on two different contacts, in ID order. Throws: `not_found` unless both belong to this
   * organization.
   */
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

  /**
   * Counts the alerts of a contact. If the caller has locked the contact, the count is exact and does not change until
   * the transaction ends.
   */
  async countAlerts(tx: Tx, id: string): Promise<number> {
    const [row] = await tx.query<{ count: number }>('SELECT count(*)::int AS count FROM alert WHERE contact_id = $1', [
      id,
    ]);
    return row?.count ?? 0;
  }

  /**
   * Throws: `quota_exceeded` if there are too many contacts, including those that the transaction has added. Call this
   * after all other locks are taken. The counters are locked until the transaction ends, so that parallel transactions
   * can't exceed a limit together.
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
  if (!contact) throw unknownContact();
  return contact;
}

export const unknownContact = () =>
  problems.referenceNotFound('/contact_id', 'the contact was not found in this organization');
