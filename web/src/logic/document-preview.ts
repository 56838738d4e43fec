import type { Header } from '../api/types';
import type { ConfigValue, Schema } from './config-schema';
import { secretsIn } from './config-schema';
import { yamlOf } from './yaml';

/** Returns the key that the service derives from a name: `Ops chat` → `ops-chat`. */
export const keyOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^[^a-z0-9]+|-$/g, '')
    .slice(0, 64) || 'unnamed';

const named = (place: string): string => place.toUpperCase().replace(/[^A-Z0-9]+/g, '_');

/** In a document, receiver URLs are secrets, because anyone who knows one can send messages to it. */
const isAddress = (schema: Schema | undefined): boolean => schema?.format === 'uri';

/** Returns the config with secrets and masked values replaced by references. */
function withReferences(config: ConfigValue, schema: Schema, key: string): ConfigValue {
  const secret = new Set(secretsIn(schema, config, ''));
  const replaced = (value: ConfigValue, within: Schema | undefined, at: string): ConfigValue =>
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        const [pointer, own] = [`${at}/${name}`, within?.properties?.[name]];
        const isHidden = typeof each === 'string' && (each.startsWith('***') || isAddress(own) || secret.has(pointer));
        if (isHidden) return [name, { $secret: named(`contact_${key}${pointer}`) }];
        const isGroup = typeof each === 'object' && each !== null && !Array.isArray(each);
        return [name, isGroup ? replaced(each as ConfigValue, own, pointer) : each];
      }),
    );
  return replaced(config, schema, '');
}

export function contactDocument(body: { name: string; type: string; config: ConfigValue }, schema: Schema): string {
  const key = keyOf(body.name);
  const contact = { key, ...body, config: withReferences(body.config, schema, key) };
  return yamlOf({ version: 1, contacts: [contact] });
}

/** Headers whose values don't belong in a repository. */
const CREDENTIAL = /auth|cookie|key|password|secret|token/i;

/**
 * Returns a document that declares a new endpoint and its website. It omits dependencies, because documents refer to
 * them by keys that aren't known here.
 */
export function endpointDocument(website: { name: string; url: string }, endpoint: Record<string, unknown>): string {
  const { depends_on: _, ...rest } = endpoint;
  const key = keyOf(String(endpoint['name']));
  const headers = (endpoint['headers'] ?? []) as Header[];
  const own = {
    key,
    ...rest,
    ...(headers.length > 0 && {
      headers: headers.map(({ key: name, value }) => ({
        key: name,
        value: CREDENTIAL.test(name) ? { $secret: named(`${key}_${name}`) } : value,
      })),
    }),
  };
  return yamlOf({ version: 1, websites: [{ key: keyOf(website.name), ...website, endpoints: [own] }] });
}
