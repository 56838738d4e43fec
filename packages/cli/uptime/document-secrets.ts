import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isScalar, parseDocument } from 'yaml';
import { isRecord } from '../../../src/platform/text/json';
import { CommandError, type Environment } from './io';

const PREFIX = 'UPTIME_SECRET_';
/** More than anyone would write in one document. The API validates the rest. */
const MAX_ALIASES = 100;

/**
 * Adds the values of the secrets that the document references: `{$secret: CHAT_URL}` reads UPTIME_SECRET_CHAT_URL. No
 * other environment variable is added, and line numbers don't change. A document that can't be parsed is left
 * unchanged, and the API reports the error.
 */
export function withSecrets(text: string, env: Environment): string {
  const read = readObject(text);
  if (!read) return text;
  const { document, value } = read;
  const given = Object.fromEntries(
    [...referredSecrets(value)].flatMap((name) => {
      const found = env[PREFIX + name];
      // Pipelines set a variable to an empty value if its secret isn't available.
      return found === undefined || found === '' ? [] : [[name, found]];
    }),
  );
  if (Object.keys(given).length === 0) return text;
  const own = value['secrets'];
  const secrets = { ...(isRecord(own) ? own : {}), ...given };
  const changed = spliced(text, document, JSON.stringify(secrets));
  const result = changed === null ? null : readObject(changed);
  if (changed !== null && result && isDeepStrictEqual(result.value, { ...value, secrets })) return changed;
  throw new CommandError(
    'The values of UPTIME_SECRET_… cannot be added to this document. Add an empty "secrets: {}" at its top level.',
  );
}

/** Returns the names used in `{$secret: NAME}`, at any depth. */
export function referredSecrets(value: unknown): Set<string> {
  const names = new Set<string>();
  const seen = new Set<object>();
  const walk = (each: unknown): void => {
    if (typeof each !== 'object' || each === null || seen.has(each)) return;
    seen.add(each);
    const { $secret: name } = each as { $secret?: unknown };
    if (typeof name === 'string' && Object.keys(each).length === 1) names.add(name);
    for (const inner of Object.values(each)) walk(inner);
  };
  walk(value);
  return names;
}

type Fields = Record<string, unknown>;

function readObject(text: string): { document: Document; value: Fields } | null {
  try {
    const document = parseDocument(text, { merge: true, prettyErrors: false });
    if (document.errors.length > 0) return null;
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    return isRecord(value) ? { document, value } : null;
  } catch {
    return null;
  }
}

/**
 * Returns the text with the secrets added to existing lines or after the last line. Returns null if they can't be
 * added.
 */
function spliced(text: string, { contents }: Document, secrets: string): string | null {
  if (!isMap(contents) || !contents.range) return null;
  const [start, end, nodeEnd] = contents.range;
  const own = contents.items.find(({ key }) => isScalar(key) && key.value === 'secrets')?.value;
  if (isMap(own) && own.range) {
    const [from, to] = own.range;
    const lines = text.slice(from, to).match(/\n/g) ?? [];
    return text.slice(0, from) + secrets + lines.join('') + text.slice(to);
  }
  if (own !== undefined) return null;
  if (contents.flow === true) {
    const comma = contents.items.length > 0 ? ', ' : '';
    return `${text.slice(0, start + 1)}"secrets": ${secrets}${comma}${text.slice(start + 1)}`;
  }
  const indent = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1));
  const at = Math.max(end, nodeEnd);
  const before = text.slice(0, at);
  return `${before}${before.endsWith('\n') ? '' : '\n'}${indent}secrets: ${secrets}\n${text.slice(at)}`;
}
