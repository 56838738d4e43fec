import { isDeepStrictEqual } from 'node:util';
import { toProperties } from '../platform/database/field-names';
import type { ResolvedConfig } from '../delivery/config/channel-settings';
import type { AlertDefaults } from '../alert-rule/alert-rule';
import { CONTACT_FIELDS, type CreateContactDto, type UpdateContactDto } from './contact.dto';
import { Contact, DEFAULT_CONTACT } from './contact.entity';

/** A validated config from a client. */
export type ResolvedRoute = Omit<ResolvedConfig, 'generatedKeys'>;

/** Returns the new contact that a client sent. Its config is encrypted for `id`. */
export function newContact(
  orgId: string,
  id: string,
  sent: CreateContactDto,
  { type, config, destination }: ResolvedRoute,
  now: Date,
): Contact {
  return Object.assign(new Contact(), {
    id,
    orgId,
    ...DEFAULT_CONTACT,
    ...plainFields(sent),
    type,
    config,
    destination,
    owner: null,
    failingTold: null,
    createdAt: now,
    updatedAt: now,
  });
}

/** Returns the contact after a partial update, or `null` if nothing changes. */
export function changedContact(
  before: Contact,
  sent: UpdateContactDto,
  { isChanged, type, config, destination }: ResolvedRoute,
  now: Date,
): Contact | null {
  const after = Object.assign(new Contact(), before, plainFields(sent), isChanged && { type, config, destination });
  if (!isChanged && isDeepStrictEqual(after, before)) return null;
  return Object.assign(after, { updatedAt: now });
}

const plainFields = (sent: UpdateContactDto) =>
  toProperties(
    { ...sent, name: sent.name?.trim(), alert_defaults: sent.alert_defaults && sentFields(sent.alert_defaults) },
    CONTACT_FIELDS,
  );

/** Returns the sent fields in the form that the database would return: a plain object without undefined values. */
const sentFields = (defaults: AlertDefaults): AlertDefaults =>
  Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined));
