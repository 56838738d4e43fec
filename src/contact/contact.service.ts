import { Injectable } from '@nestjs/common';
import { And, In, MoreThan, Not } from 'typeorm';
import { recordChange, recordChanges } from '../audit/audit-log';
import { ChannelSettings } from '../delivery/config/channel-settings';
import { ownerOf } from '../delivery/config/sealed-config';
import type { Caller } from '../platform/access/caller';
import { Database, type Sql, type Tx } from '../platform/database/database';
import { setOwner } from '../platform/database/set-owner';
import { toFields } from '../platform/database/field-names';
import { updateRows } from '../platform/database/update-rows';
import { TransactionEvents } from '../platform/events/transaction-events';
import { Cursors, LARGE_ROWS } from '../platform/http/cursors';
import type { Page } from '../platform/http/page';
import { requireMatch } from '../platform/http/precondition/precondition';
import { tagged } from '../platform/http/precondition/entity-tags';
import { formatId, newUuid, parseId } from '../platform/ids/id';
import { type Findings, NO_FINDINGS } from '../platform/problem/findings';
import { type FieldProblem, problems } from '../platform/problem/problem';
import { Clock } from '../platform/time/clock';
import { Turns } from '../platform/time/turns';
import { changedContact, newContact } from './contact-change';
import { ContactRouteChanged } from './contact-events';
import { ContactStore } from './contact-store';
import { type ContactUse, NOT_USED, usesOf } from './contact-use';
import { isFailing } from './failing';
import { failingContacts } from './failing-queries';
import {
  CONTACT_FIELDS,
  type ContactQuery,
  type ContactSettings,
  type ContactView,
  type CreateContactDto,
  type DeleteContactQuery,
  toContactSettings,
  type UpdateContactDto,
} from './contact.dto';
import { Contact } from './contact.entity';

const LIST = 'contacts';
const DEFAULT_LIMIT = 1000;
/** The audit log shows what a read key sees, without credentials and addresses. */
const READER = { role: 'read' } as const;

/** Manages an organization's contacts. Every method throws `not_found` for a contact of another organization. */
@Injectable()
export class ContactService {
  constructor(
    private readonly database: Database,
    private readonly store: ContactStore,
    private readonly channels: ChannelSettings,
    private readonly events: TransactionEvents,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists contacts, oldest first. Cost: one statement for the page, one for the use of its contacts, and one more with
   * `failing`. An organization has at most 1,000 contacts.
   */
  async list(caller: Caller, query: ContactQuery): Promise<Page<ContactView>> {
    const { orgId } = caller;
    const { manager } = this.database;
    const { failing } = query;
    const ids = failing === undefined ? [] : await failingContacts(this.database, orgId, this.clock.now());
    const of = { orgId, ...(failing !== undefined && { id: failing ? In(ids) : Not(In(ids)) }) };
    const page = await this.cursors.paginate<Contact>({
      orgId,
      list: failing === undefined ? LIST : `${LIST}:${failing}`,
      cursor: query.cursor,
      limit: query.limit ?? DEFAULT_LIMIT,
      rowsAtOnce: LARGE_ROWS,
      idOf: ({ id }) => id,
      read: (after, take) =>
        manager.find(Contact, {
          where: after === null ? of : { ...of, id: of.id ? And(MoreThan(after), of.id) : MoreThan(after) },
          order: { id: 'ASC' },
          take,
        }),
      total: () => manager.countBy(Contact, of),
    });
    const uses = await usesOf(this.database, orgId, page.items);
    return page.map((contact) => this.view(caller, contact, uses.get(contact.id) ?? NOT_USED));
  }

  async get(caller: Caller, id: string): Promise<ContactView> {
    const contact = await this.database.manager.findOneBy(Contact, { orgId: caller.orgId, id });
    if (!contact) throw problems.notFound();
    return this.used(this.database, caller, contact);
  }

  create(caller: Caller, dto: CreateContactDto, id: string = newUuid()): Promise<ContactView> {
    const { contact, generatedKeys } = this.made(caller, id, dto);
    return this.database.transaction(async (tx) => {
      await this.insert(tx, caller.orgId, [contact]);
      return this.used(tx, caller, contact, generatedKeys);
    });
  }

  /** Creates several contacts. Cost: the same number of statements as for one contact. */
  async createSome(tx: Tx, caller: Caller, sent: readonly SentContact<CreateContactDto>[]): Promise<void> {
    const made = await new Turns().map(sent, ({ id, dto }) => this.made(caller, id, dto).contact);
    if (made.length > 0) await this.insert(tx, caller.orgId, made);
  }

  /** Updates the sent fields. If the config changes, its alerts are updated in the same transaction. */
  update(caller: Caller, id: string, dto: UpdateContactDto): Promise<ContactView> {
    return this.database.transaction(async (tx) => {
      const before = await this.store.lock(tx, caller.orgId, id);
      requireMatch(tagSource(before));
      const { generatedKeys, ...route } = this.channels.resolve(caller, ownerOf('', id), dto, before);
      const after = changedContact(before, dto, route, this.clock.now());
      if (after) await this.save(tx, caller.orgId, [{ before, after, hasNewConfig: route.isChanged }]);
      return this.used(tx, caller, after ?? before, generatedKeys);
    });
  }

  /** Updates several locked contacts. Cost: a few statements, and more for each contact whose destination changes. */
  async updateSome(tx: Tx, caller: Caller, sent: readonly SentContact<UpdateContactDto>[]): Promise<void> {
    if (sent.length === 0) return;
    const { orgId } = caller;
    const found = await tx.manager.findBy(Contact, { orgId, id: In(sent.map(({ id }) => id)) });
    const contacts = new Map(found.map((contact) => [contact.id, contact]));
    const changes = await new Turns().map(sent, ({ id, dto }): ContactChange[] => {
      const before = contacts.get(id);
      if (!before) throw problems.notFound();
      const route = this.channels.resolve(caller, ownerOf('', id), dto, before);
      const after = changedContact(before, dto, route, this.clock.now());
      return after ? [{ before, after, hasNewConfig: route.isChanged }] : [];
    });
    await this.save(tx, orgId, changes.flat());
  }

  /** Throws: `conflict` if alerts use the contact and no replacement is given. */
  remove({ orgId }: Caller, id: string, { replace_with }: DeleteContactQuery): Promise<void> {
    const replacementId = parseId('contact', replace_with);
    if (replacementId === id) throw problems.invalidQuery([REPLACED_BY_ITSELF]);
    return this.database.transaction(async (tx) => {
      const [contact, replacement] =
        replacementId === null
          ? [await this.store.lock(tx, orgId, id)]
          : await this.store.lockBoth(tx, orgId, id, replacementId);
      requireMatch(tagSource(contact));
      const alerts = await this.store.countAlerts(tx, id);
      if (alerts > 0 && !replacement) throw problems.conflict(inUse(alerts));
      if (alerts > 0 && replacement)
        await this.events.emit(new ContactRouteChanged(orgId, routeOf(contact), routeOf(replacement)), tx);
      await tx.manager.delete(Contact, { id });
      const before = { ...this.audited(contact), ...(replacement && { replaced_with: publicId(replacement) }) };
      await recordChange(tx, { ...about(orgId, id), action: 'delete', before });
    });
  }

  /**
   * Returns the result of an `update`, or of a creation if `before` is `null`, without saving it. It contains both
   * sides as the audit log shows them, and `after` is the contact. `hidden` lists settings that change behind a mask.
   * Throws: the same errors as `update` and `create`.
   */
  preview(caller: Caller, before: Contact | null, id: string, dto: CreateContactDto): PreviewedContact {
    const { generatedKeys, ...route } = this.channels.resolve(caller, ownerOf('', id), dto, before);
    const now = this.clock.now();
    const changed = before ? changedContact(before, dto, route, now) : newContact(caller.orgId, id, dto, route, now);
    const contact = changed ?? before;
    if (!contact) throw new Error('a new contact is a change');
    const sides = { before: before && this.audited(before), after: this.audited(contact) };
    return {
      contact,
      isChanged: changed !== null,
      ...sides,
      hidden: before && route.isChanged ? ['config'] : [],
      generatedKeys,
    };
  }

  /** Returns the config of a contact as read keys see it, with secrets masked. */
  masked(contact: Contact): object {
    return this.audited(contact).config;
  }

  /** Sets the owner. Only configuration documents call this. */
  own(tx: Tx, orgId: string, ids: readonly string[], owner: string | null): Promise<void> {
    return setOwner(tx, 'contact', orgId, ids, owner);
  }

  /** Returns the problems for which `create` would refuse these fields. */
  findingsInNew(caller: Caller, fields: Partial<CreateContactDto>): Findings {
    return this.channels.findingsIn(caller, ownerOf('', newUuid()), fields, null);
  }

  /** Returns the problems for which `update` would refuse these fields, or none if the contact does not exist. */
  async findingsIn(caller: Caller, publicId: string | undefined, fields: UpdateContactDto): Promise<Findings> {
    const { orgId } = caller;
    const id = parseId('contact', publicId);
    const contact = id && (await this.database.manager.findOneBy(Contact, { orgId, id }));
    return contact ? this.channels.findingsIn(caller, ownerOf('', contact.id), fields, contact) : NO_FINDINGS;
  }

  private made(caller: Caller, id: string, dto: CreateContactDto) {
    const { generatedKeys, ...route } = this.channels.resolve(caller, ownerOf('', id), dto, null);
    return { contact: newContact(caller.orgId, id, dto, route, this.clock.now()), generatedKeys };
  }

  private async insert(tx: Tx, orgId: string, contacts: readonly Contact[]): Promise<void> {
    await tx.manager.insert(Contact, [...contacts]);
    await this.store.refuseTooMany(tx, orgId);
    const changes = await new Turns().map(contacts, (contact) => {
      const after = this.audited(contact);
      return { ...about(orgId, contact.id), action: 'create' as const, after };
    });
    await recordChanges(tx, changes);
  }

  private async save(tx: Tx, orgId: string, changes: readonly ContactChange[]): Promise<void> {
    const rows = changes.map(({ after: { orgId: _1, createdAt: _2, ...columns } }) => columns);
    await updateRows(tx, Contact, rows);
    for (const { before, after, hasNewConfig } of changes)
      if (hasNewConfig) await this.events.emit(new ContactRouteChanged(orgId, routeOf(before), routeOf(after)), tx);
    if (changes.some(({ before, after }) => after.isDefault && !before.isDefault))
      await this.store.refuseTooMany(tx, orgId);
    const entries = await new Turns().map(changes, ({ before, after, hasNewConfig }) => ({
      ...about(orgId, after.id),
      action: 'update' as const,
      before: this.audited(before),
      after: this.audited(after),
      hidden: hasNewConfig ? ['config'] : [],
    }));
    await recordChanges(tx, entries);
  }

  private async used(sql: Sql, caller: Caller, contact: Contact, generatedKeys?: readonly string[]) {
    const uses = await usesOf(sql, caller.orgId, [contact]);
    return tagged(this.view(caller, contact, uses.get(contact.id) ?? NOT_USED, generatedKeys), tagSource(contact));
  }

  private view(
    caller: Caller,
    contact: Contact,
    { alertCount, lastDelivery, failed }: ContactUse,
    generatedKeys: readonly string[] = [],
  ): ContactView {
    const owner = ownerOf('', contact.id);
    const { config, destination, cannotSend } = this.channels.present(caller, owner, contact, generatedKeys);
    return {
      ...toContactSettings(contact, config),
      destination,
      cannot_send: cannotSend,
      alert_count: alertCount,
      last_delivery: lastDelivery,
      failing_since: failed.since?.toISOString() ?? null,
      failing: isFailing(failed, this.clock.now()),
    };
  }

  private audited(contact: Contact): ContactSettings {
    return toContactSettings(contact, this.channels.present(READER, ownerOf('', contact.id), contact).config);
  }
}

export interface SentContact<Dto> {
  id: string;
  dto: Dto;
}

interface ContactChange {
  before: Contact;
  after: Contact;
  hasNewConfig: boolean;
}

/** The result of `ContactService.preview`. */
export interface PreviewedContact {
  contact: Contact;
  isChanged: boolean;
  before: object | null;
  after: object;
  hidden: readonly string[];
  /** The secrets that would be generated because they were not sent. */
  generatedKeys: readonly string[];
}

const about = (orgId: string, id: string) => ({ orgId, resource: 'contact', id }) as const;

const tagSource = (contact: Contact) => {
  const { id, type, config } = contact;
  return { id, type, config, settings: toFields(contact, CONTACT_FIELDS) };
};

const publicId = ({ id }: Contact): string => formatId('contact', id);

const routeOf = ({ id, type, config, destination }: Contact) => ({ contactId: id, type, config, destination });

const inUse = (count: number): string =>
  `${count} ${count === 1 ? 'alert rule uses' : 'alert rules use'} the contact. Choose another contact for ${count === 1 ? 'it' : 'them'} with ?replace_with=ct_…, or delete ${count === 1 ? 'it' : 'them'} first.`;

const REPLACED_BY_ITSELF: FieldProblem = {
  pointer: '?replace_with',
  code: 'invalid_format',
  message: 'replace_with must be another contact',
};
