import type { AuditEntry } from '../api/types';
import { words } from './format';
import { spanText } from './time-span';

type Settings = Record<string, unknown>;

export const RESOURCES: readonly AuditEntry['resource'][] = [
  'website',
  'endpoint',
  'alert',
  'contact',
  'acknowledgement',
  'maintenance',
  'status_page',
  'delivery',
  'person',
  'invitation',
  'api_key',
  'probe',
  'session',
  'organization',
];

const KIND: Partial<Record<AuditEntry['resource'], string>> = { api_key: 'API key' };

const DONE: Record<AuditEntry['action'], string> = {
  create: 'Created',
  update: 'Changed',
  delete: 'Deleted',
  test: 'Tested',
  check: 'Checked',
  redeliver: 'Sent again',
  sign_in: 'Signed in',
  sign_in_failed: 'Failed to sign in',
  sign_out: 'Signed out',
};

const VIA: Record<AuditEntry['author']['via'], string> = {
  api_key: 'API key',
  session: 'dashboard, key',
  sign_in_link: 'sign-in link of',
  acknowledge_link: 'link in a message',
  operator: 'operator',
  auth_off: 'anyone (AUTH=off)',
  command_line: 'command on the server',
  system: 'the service itself',
  password: 'password',
  single_sign_on: 'single sign-on',
  proxy: 'proxy',
  invitation: 'invitation',
};

/** Settings that may contain a resource's name. Alerts have no name. */
const NAMES = ['name', 'title', 'description', 'type'] as const;

/** Settings whose API name isn't self-explanatory. */
const SETTINGS: Record<string, string> = {
  after: 'delay',
  remind_every: 'reminders every',
  contact_id: 'contact',
  alert_defaults: 'defaults for its alert rules',
};
const settingOf = (name: string): string => SETTINGS[name] ?? words(name);

/**
 * Returns a sentence such as `Changed endpoint “Checkout”: interval, timeout`. For an alert, it names the endpoint. For
 * a session, it is just `Signed in`. `nameOf` returns a resource's current name.
 */
export function sentenceOf(entry: AuditEntry, nameOf: (id: string) => string | undefined = () => undefined): string {
  const { action, resource, resource_id, changed, before, after } = entry;
  if (resource === 'invitation' || resource === 'person')
    return peopleSentence(entry, nameOf(resource_id) ?? 'Someone');
  if (resource === 'session') return DONE[action];
  const texts = NAMES.map((key) => after?.[key] ?? before?.[key]);
  const name = texts.find((text): text is string => typeof text === 'string' && text !== '') ?? nameOf(resource_id);
  const endpointId = after?.['endpoint_id'] ?? before?.['endpoint_id'];
  const endpoint = resource === 'alert' && typeof endpointId === 'string' ? nameOf(endpointId) : undefined;
  const what =
    `${DONE[action]} ${KIND[resource] ?? words(resource)}${name === undefined ? '' : ` “${name}”`}` +
    (endpoint === undefined ? '' : ` of ${endpoint}`);
  return action === 'update' && changed.length > 0 ? `${what}: ${changed.map(settingOf).join(', ')}` : what;
}

/** Describes a change to a user. The log has only their role, so `name` is their current name. */
function peopleSentence(
  { action, resource, resource_id, changed, before, after, author }: AuditEntry,
  name: string,
): string {
  const stored = after?.['role'] ?? before?.['role'];
  const role = typeof stored === 'string' ? stored : '';
  if (action === 'create')
    return resource === 'invitation' ? `Invited a member as ${role}` : `${name} joined as ${role}`;
  if (action === 'delete' && resource === 'invitation') return 'Revoked an invitation';
  if (action === 'delete') return `${name} ${author.person_id === resource_id ? 'left' : 'was removed'}`;
  if (action !== 'update') return DONE[action];
  if (role !== '') return `${name} now has the role ${role}`;
  if (changed.includes('password_link')) return `Created a password link for ${name}`;
  return `Changed the account of ${name}: ${changed.map(settingOf).join(', ')}`;
}

/** Returns the author and the IP address, such as `Ada, 203.0.113.7` or `API key Terraform, 203.0.113.7`. */
export function authorOf({ via, key_name, person_name, ip }: AuditEntry['author']): string {
  const how = key_name === null ? VIA[via] : `${VIA[via]} ${key_name}`;
  const isPlain = via === 'password' || via === 'session';
  const who = person_name === null ? how : isPlain ? person_name : `${person_name} by ${how}`;
  return ip === null ? who : `${who}, ${ip}`;
}

/** Settings in seconds that are easier to read in larger units. */
const SPANS: readonly string[] = ['after', 'remind_every'];

function textOf(name: string, value: unknown): string {
  if (typeof value === 'number' && SPANS.includes(name)) return spanText(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the settings that changed in an entry. A value is `null` if there is none. */
export function changesOf({ before, after }: AuditEntry): { name: string; from: string | null; to: string | null }[] {
  const sides = [before, after].map((side): Settings => side ?? {});
  const names = new Set(sides.flatMap((side) => Object.keys(side)));
  return [...names].map((name) => {
    const [from = null, to = null] = sides.map((side) => (name in side ? textOf(name, side[name]) : null));
    return { name: settingOf(name), from, to };
  });
}
