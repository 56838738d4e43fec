import { isMasked } from '../../../src/channel/config/config-masking';
import type { Text } from '../../../src/configuration/document/document';
import type { ChannelRules } from '../conversion';
import { type Fields, isMapping, type Mapping } from './fields';
import { gatusBody, withPlaceholders } from './custom-body';
import { DECLARED_PROVIDERS } from './declared-providers';
import type { Reader, Source } from './provider-source';
import { asWritten, hasVariable, type Secrets } from './variables';

export interface ChannelSettings {
  type: string;
  config: Record<string, unknown>;
}

const webhookUrl: Reader = ({ read }) => ({ webhook_url: read('webhook-url') });

const PROVIDERS: Readonly<Record<string, { type: string; reader: Reader }>> = {
  slack: { type: 'slack', reader: webhookUrl },
  discord: {
    type: 'discord',
    reader: ({ read, say }) => ({ webhook_url: read('webhook-url'), content: say('message-content') }),
  },
  teams: { type: 'teams', reader: webhookUrl },
  'teams-workflows': { type: 'teams', reader: webhookUrl },
  telegram: { type: 'telegram', reader: telegram },
  pagerduty: {
    type: 'pagerduty',
    reader: ({ read }) => ({ routing_key: read('integration-key') }),
  },
  opsgenie: { type: 'opsgenie', reader: opsgenie },
  twilio: {
    type: 'twilio',
    reader: twilio,
  },
  email: { type: 'email', reader: email },
  custom: { type: 'webhook', reader: webhook },
  ...DECLARED_PROVIDERS,
};

/**
 * Converts a provider's settings to one of our channels, or returns why that isn't possible. Defaults and overrides
 * must already be merged.
 */
export function channelOf(
  provider: string,
  fields: Fields,
  secrets: Secrets,
  channels: ChannelRules,
): ChannelSettings | { refused: string } {
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (!known) return { refused: `there is no channel for ${provider}` };
  const refer = (text: string, name = 'MASKED'): Text =>
    secrets.refer(text, fields.differences.add, isMasked(text) ? `${provider}_${name}` : undefined);
  const read = (name: string): Text | null => {
    const text = fields.text(name)?.trim() ?? '';
    return text === '' ? null : refer(text, name);
  };
  const say = (name: string): string | null => (fields.plainText(name) ?? '').trim() || null;
  const config = withoutNull(known.reader({ fields, read, say, refer }));
  noteClient(fields);
  fields.noteRest();
  for (const { pointer, message } of channels.problems(known.type, config)) {
    if (isSecretAt(config, pointer) || isVariableAt(config, pointer)) continue;
    const key = pointer.slice(1);
    const value = config[key];
    if (key === 'account_sid' && typeof value === 'string') {
      fields.differences.add(`its ${key} ${message}. Write it into the document`);
      continue;
    }
    if (!REPLACEABLE.has(key) || typeof value !== 'string')
      return { refused: `its settings are not valid: ${key} ${message}` };
    const name = secrets.standFor(value, `${provider}_${key}`.toUpperCase());
    config[key] = { $secret: name };
    fields.differences.add(`its ${key} ${message}. Set another value as the secret ${name}`);
  }
  return { type: known.type, config };
}

/**
 * Fields that people often mask before they share a file. If the value isn't accepted, the document asks for it, so
 * that no alert is lost.
 */
const REPLACEABLE = new Set([
  'webhook_url',
  'routing_key',
  'api_key',
  'bot_token',
  'auth_token',
  'url',
  'access_token',
  'app_token',
  'user_key',
  'integration_key',
  'channel_access_token',
]);

const withoutNull = (config: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));

function noteClient(fields: Fields): void {
  const client = fields.inner('client');
  const said = client?.names().filter((name) => client.raw(name) !== false && client.has(name)) ?? [];
  if (said.length > 0) fields.note('client', `(${said.map(asWritten).join(', ')}) is not used`);
}

/** Whether the value, or an object that contains it, is a secret. Secrets are validated once their value is known. */
const isSecretAt = (config: unknown, pointer: string): boolean =>
  valuesOnWay(config, pointer).some((value) => isMapping(value) && '$secret' in value);

/** Whether the value is an unreplaced variable. The user who applies the document provides its value. */
function isVariableAt(config: unknown, pointer: string): boolean {
  const value = valuesOnWay(config, pointer).at(-1);
  return typeof value === 'string' && /\$\{\w/.test(value);
}

function valuesOnWay(config: unknown, pointer: string): unknown[] {
  let value = config;
  return pointer
    .split('/')
    .slice(1)
    .map((step) => (value = typeof value === 'object' && value !== null ? (value as Mapping)[step] : undefined));
}

function telegram({ fields, read, say }: Source): Record<string, unknown> {
  const topic = fields.plainText('topic-id');
  return {
    bot_token: read('token'),
    chat_id: read('id'),
    message_thread_id: topic !== null && /^\d{1,10}$/.test(topic) ? Number(topic) : null,
    api_url: say('api-url'),
  };
}

function twilio({ fields, read, say }: Source): Record<string, unknown> {
  for (const name of ['text-twilio-triggered', 'text-twilio-resolved'])
    if (fields.raw(name) !== null) fields.note(name, 'is not used: this service has its own message texts');
  return { account_sid: say('sid'), auth_token: read('token'), from: phone(say('from')), to: phone(read('to')) };
}

/** Removes formatting from a number such as `+1 500-555-0006`. */
const phone = (number: Text | null): Text | null =>
  typeof number === 'string' && /^\+[\d ().-]+$/.test(number) ? number.replace(/[^+\d]/g, '') : number;

function opsgenie({ fields, read }: Source): Record<string, unknown> {
  const tags = fields.list('tags').filter((tag) => typeof tag === 'string');
  return {
    api_key: read('api-key'),
    priority: (fields.plainText('priority') ?? '') || 'P1',
    tags: tags.length > 0 ? tags.map(asWritten) : null,
  };
}

/** Gatus uses TLS if the server offers it. Our channel requires TLS if a password is set. */
function email({ fields, read, say, refer }: Source): Record<string, unknown> {
  const to = (fields.text('to') ?? '').split(',').map((address) => address.trim());
  const password = read('password');
  const from = say('from');
  const username = say('username') ?? from;
  if (password !== null) fields.differences.add('its password is only sent over TLS');
  if (to.some(hasVariable)) fields.note('to', 'contains a variable: the secret must be a single address');
  return {
    to: to.filter((address) => address !== '').map((address) => refer(address)),
    from,
    smtp: withoutNull({
      host: say('host'),
      port: fields.integer('port'),
      secure: password === null ? false : null,
      username: password === null ? null : username,
      password,
    }),
  };
}

const METHODS = ['POST', 'PUT', 'PATCH'];
const PLACEHOLDER = /\[(?:ALERT|ENDPOINT|RESULT)_[A-Z_]+\]/;

/** In Gatus, the user writes the message body. A body that is JSON becomes a template. */
function webhook({ fields, read, refer }: Source): Record<string, unknown> {
  const method = (fields.plainText('method') ?? 'GET').toUpperCase();
  if (!METHODS.includes(method)) fields.note('method', `is changed from ${method} to POST`);
  const body = ownBody(fields);
  const url = fields.text('url') ?? '';
  const isFilled = body !== undefined && PLACEHOLDER.test(url) && !hasVariable(url);
  if (!isFilled && PLACEHOLDER.test(url)) fields.note('url', 'contains a placeholder that is not filled in');
  const headers = fields
    .texts('headers')
    .filter(([key]) => !/^content-type$/i.test(key))
    .map(([key, value]) => ({ key: asWritten(key), value: refer(value.trim()) }));
  return {
    url: isFilled ? withPlaceholders(url.trim(), new Set()) : read('url'),
    method: METHODS.includes(method) ? method : 'POST',
    headers: headers.length > 0 ? headers : null,
    body: body ?? null,
    audience: body === undefined ? null : 'people',
  };
}

function ownBody(fields: Fields): unknown {
  const text = fields.text('body');
  if (text === null) return undefined;
  if (hasVariable(text)) {
    fields.note('body', 'contains a variable, so the JSON of this service is sent instead');
    return undefined;
  }
  const words = fields.inner('placeholders')?.inner('ALERT_TRIGGERED_OR_RESOLVED');
  const { body, differences } = gatusBody(text, {
    triggered: words?.plainText('TRIGGERED') ?? 'TRIGGERED',
    resolved: words?.plainText('RESOLVED') ?? 'RESOLVED',
  });
  for (const difference of differences) fields.differences.add(`body: ${difference}`);
  return body;
}
