import { isMasked } from '../../../src/channel/config/config-masking';
import { isRecord } from '../../../src/platform/text/json';
import type { DeclaredContact, SecretReference } from '../../../src/configuration/document/document';
import type { ChannelRules, ReportEntry } from '../conversion';
import { keyFrom } from '../../../src/configuration/document/keys';
import { SETTINGS_OF } from './contact-settings';
import type { MappedSettings } from './mapped-settings';
import { quoted } from './monitor/draft';
import { isActive, nameOf } from './monitor/endpoint';
import { Row } from './file/row';
import type { Secrets } from './secrets';

/** Config fields that grant access. Webhook and chat URLs also do. */
const SECRET_FIELDS = new Set([
  'webhook_url',
  'url',
  'password',
  'bot_token',
  'routing_key',
  'api_key',
  'auth_token',
  'access_token',
  'app_token',
  'user_key',
  'device_key',
  'channel_access_token',
  'secret',
  'topic',
]);

export type Channel =
  { name: string; key: string; tellsResolved: boolean; isActive: boolean } | { name: string; refused: string };

/** The contacts in a document, and their channel by notification ID. */
export interface Contacts {
  declared: DeclaredContact[];
  channels: ReadonlyMap<string, Channel>;
  report: ReportEntry[];
}

/** Converts each notification to a contact, or skips it with a reason. Credentials are moved to `secrets`. */
export function contactsOf(rows: readonly Row[], secrets: Secrets, rules: ChannelRules): Contacts {
  const [keys, declared, report] = [new Set<string>(), [] as DeclaredContact[], [] as ReportEntry[]];
  const channels = new Map<string, Channel>();
  for (const stored of rows) {
    const row = withConfig(stored);
    const at = row.at;
    const mapped = settingsOf(row, rules);
    if ('reason' in mapped) {
      report.push({ at, name: row.name, result: 'skipped', why: mapped.reason });
      channels.set(row.id, { name: row.name, refused: mapped.reason });
      continue;
    }
    const { name, difference } = nameOf(row);
    const key = keyFrom(name, keys);
    const asked: string[] = [];
    const isHidden = (path: readonly string[]): boolean => rules.isHidden(mapped.type, path);
    const ask = (path: readonly string[], value: string, hint: string): SecretReference | string => {
      if (!rules.isHidden(mapped.type, path)) {
        asked.push(`its ${path.join('.')} is masked in the file. Write it into the document`);
        return value;
      }
      const reference = secrets.askFor(hint);
      asked.push(`its ${path.at(-1)} is masked in the file. Set it as the secret ${reference.$secret}`);
      return reference;
    };
    declared.push({
      key,
      name,
      type: mapped.type,
      config: withoutSecrets(mapped.config, { hint: `contact ${key}`, path: [], isHidden }, secrets, ask),
      ...(row.flag('isDefault') ? { default: true } : {}),
      ...(mapped.tellsResolved === false ? { alert_defaults: { send_on_resolved: false } } : {}),
    });
    channels.set(row.id, { name, key, tellsResolved: mapped.tellsResolved !== false, isActive: isActive(stored) });
    const differences = [
      ...(difference === null ? [] : [difference]),
      ...mapped.differences,
      ...asked,
      ...(isActive(stored) ? [] : ['it is turned off, so its alerts are disabled']),
    ];
    report.push(entryOf(row, differences));
  }
  return { declared, channels, report };
}

/** Returns an `approximated` entry if there are differences. Otherwise, the entry is `mapped`. */
export const entryOf = ({ at, name }: Pick<Row, 'at' | 'name'>, differences: readonly string[]): ReportEntry => ({
  at,
  name,
  result: differences.length === 0 ? 'mapped' : 'approximated',
  why: differences.length === 0 ? null : differences.join('; '),
});

/** The settings are JSON in `config`. The row's name takes precedence. */
const withConfig = (row: Row): Row => {
  const config = row.mapping('config') ?? {};
  const own = ['id', 'name', 'active', 'isDefault', 'type'].map((name) => [name, row.raw(name)] as const);
  return new Row(row.at, Object.fromEntries(own), config);
};

function settingsOf(row: Row, rules: ChannelRules): MappedSettings | { reason: string } {
  const type = row.text('type');
  const read = Object.hasOwn(SETTINGS_OF, type.toLowerCase()) ? SETTINGS_OF[type.toLowerCase()] : undefined;
  if (type === '') return { reason: 'its settings cannot be read: config has no type' };
  if (!read) return { reason: `notifications of type ${quoted(type)} are not supported` };
  const settings = read(row);
  const [sender] =
    settings.type === 'twilio' && !('from' in settings.config || 'messaging_service_sid' in settings.config)
      ? ['/from is required']
      : [];
  const [problem] = [
    ...rules.problems(settings.type, settings.config).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`),
    ...(sender ? [sender] : []),
  ];
  return problem === undefined ? settings : { reason: `its settings would be refused: ${problem}` };
}

/** Moves credentials to `secrets`. For values that were masked, the document asks for them. */
function withoutSecrets(
  config: Readonly<Record<string, unknown>>,
  at: { hint: string; path: readonly string[]; isHidden: (path: readonly string[]) => boolean },
  secrets: Secrets,
  ask: (path: readonly string[], value: string, hint: string) => SecretReference | string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([field, value]): [string, unknown] => {
      const [own, path] = [`${at.hint} ${field}`, [...at.path, field]];
      if (typeof value === 'string' && isMasked(value)) return [field, ask(path, value, own)];
      if (field === 'headers' && Array.isArray(value))
        return [field, secrets.headers(at.hint, value as { key: string; value: string }[])];
      // The body of a webhook is a template without credentials.
      if (field === 'body' && path.length === 1) return [field, value];
      if (isRecord(value)) return [field, withoutSecrets(value, { ...at, hint: own, path }, secrets, ask)];
      const isSecret = SECRET_FIELDS.has(field) && typeof value === 'string' && at.isHidden(path);
      return [field, isSecret ? secrets.keep(own, value) : value];
    }),
  );
}
