import type { ApiKeyView } from '../../src/identity/api-key/api-key.dto';
import { type Column, minute, printable, textTable } from './database/text-table';

export type KeyLine = ApiKeyView & { organization: string };

const COLUMNS: readonly Column<KeyLine>[] = [
  ['ID', ({ id }) => id],
  ['ROLE', ({ role }) => role],
  ['NAME', ({ name }) => printable(name)],
  ['ORGANIZATION', ({ organization }) => printable(organization)],
  ['EXPIRES', ({ expires_at }) => minute(expires_at)],
  ['LAST USED', ({ last_used_at }) => minute(last_used_at)],
];

export const keyTable = (keys: readonly KeyLine[]): string => textTable(COLUMNS, keys);

export const lifeOf = (expiresAt: string | null): string =>
  expiresAt === null ? 'never expires' : `expires at ${expiresAt}`;

/** Replaces API field names in a message with option names. */
export const inOptions = (text: string): string =>
  text.replaceAll('expires_at', '--expires').replace(/^(name|role)\b/, '--$1');
