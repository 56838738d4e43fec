import type { AccountView } from '../../../src/identity/people/account.dto';
import { linkOf } from '../../../src/identity/people/link-address';
import { PROXY_ISSUER } from '../../../src/identity/session/proxy-user';
import type { Config } from '../../../src/platform/config/config';
import { type Column, minute, printable, textTable } from '../database/text-table';

/** The width limit for the table's list of organizations, in characters. */
const MOST_ORGANIZATIONS = 80;

const COLUMNS: readonly Column<AccountView>[] = [
  ['ID', ({ id }) => id],
  ['EMAIL', ({ email }) => printable(email ?? '-')],
  ['NAME', ({ name }) => printable(name)],
  [
    'ORGANIZATIONS',
    ({ organizations }) =>
      printable(organizations.map(({ name, role }) => `${name} (${role})`).join(', '), MOST_ORGANIZATIONS) || '-',
  ],
  ['OPERATOR', ({ operator }) => (operator ? 'yes' : 'no')],
  ['SIGN-IN METHODS', waysOf],
  ['LAST SIGN-IN', ({ last_sign_in_at }) => minute(last_sign_in_at)],
];

export const peopleTable = (people: readonly AccountView[]): string => textTable(COLUMNS, people);

/**
 * Returns the link with this token. It is based on `PUBLIC_URL`, or on the URL at which a browser on this machine
 * reaches the service.
 */
export function addressOf(config: Pick<Config, 'publicUrl' | 'host' | 'port'>, token: string): string {
  const isEverywhere = config.host === '0.0.0.0' || config.host === '::';
  const host = isEverywhere ? 'localhost' : config.host.includes(':') ? `[${config.host}]` : config.host;
  return linkOf(config, token) ?? `http://${host}:${config.port}/#/sign-in/${token}`;
}

/** Replaces API field names in a message with option names. */
export const inPeopleOptions = (text: string): string => text.replace(/^email\b/, 'EMAIL').replace(/^role\b/, '--role');

function waysOf({ has_password, second_factor, identities }: AccountView): string {
  const issuers = new Set(identities.map(({ issuer }) => (issuer === PROXY_ISSUER ? 'proxy' : 'single sign-on')));
  return [...(has_password ? [second_factor ? 'password with code' : 'password'] : []), ...issuers].join(', ') || '-';
}
