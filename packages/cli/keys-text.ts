import type { ApiKeyView } from '../../src/identity/api-key/api-key.dto';

/** A key with the name of its organization. */
export type KeyLine = ApiKeyView & { organization: string };

const COLUMNS: readonly (readonly [string, (key: KeyLine) => string])[] = [
  ['ID', ({ id }) => id],
  ['ROLE', ({ role }) => role],
  ['NAME', ({ name }) => printable(name)],
  ['ORGANIZATION', ({ organization }) => printable(organization)],
  ['EXPIRES', ({ expires_at }) => minute(expires_at)],
  ['LAST USED', ({ last_used_at }) => minute(last_used_at)],
];

/** A line for each key, oldest first, under a line of titles. */
export function keyTable(keys: readonly KeyLine[]): string {
  const rows = [COLUMNS.map(([title]) => title), ...keys.map((key) => COLUMNS.map(([, text]) => text(key)))];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, i) => text.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const lifeOf = (expiresAt: string | null): string =>
  expiresAt === null ? 'never expires' : `expires at ${expiresAt}`;

const minute = (time: string | null): string =>
  time === null ? 'never' : `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** Names come from clients: nothing in them may steer the terminal. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·').slice(0, 40);

/** What the API says of its fields, in the words of the command line. */
export const inOptions = (text: string): string =>
  text.replaceAll('expires_at', '--expires').replace(/^(name|role)\b/, '--$1');
