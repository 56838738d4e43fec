import { isDeepStrictEqual } from 'node:util';
import type { ResolvedConfig } from '../delivery/config/channel-settings';
import type { AlertDefaults } from '../alert-rule/alert-rule';
import type { CreateContactDto, UpdateContactDto } from './contact.dto';
import { Contact } from './contact.entity';

/** What a client's config came to. */
export type ResolvedRoute = Omit<ResolvedConfig, 'generatedKeys'>;

/** The contact that a client asks for. `id` is the one that its config is sealed for. */
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
    name: sent.name.trim(),
    type,
    config,
    destination,
    isDefault: sent.default ?? false,
    defaults: sentFields(sent.alert_defaults ?? {}),
    externalKey: sent.key ?? null,
    owner: null,
    failingTold: null,
    createdAt: now,
    updatedAt: now,
  });
}

/** The contact after a partial update, or `null` when that changes nothing. */
export function changedContact(
  before: Contact,
  sent: UpdateContactDto,
  { isChanged, type, config, destination }: ResolvedRoute,
  now: Date,
): Contact | null {
  const changes = {
    name: sent.name?.trim() ?? before.name,
    isDefault: sent.default ?? before.isDefault,
    defaults: sent.alert_defaults ? sentFields(sent.alert_defaults) : before.defaults,
    externalKey: sent.key === undefined ? before.externalKey : sent.key,
    ...(isChanged && { type, config, destination }),
  };
  const after = Object.assign(new Contact(), before, changes);
  if (!isChanged && isDeepStrictEqual(after, before)) return null;
  return Object.assign(after, { updatedAt: now });
}

/** The fields that were sent, as the database returns them: a plain object without what is undefined. */
const sentFields = (defaults: AlertDefaults): AlertDefaults =>
  Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined));
