import { isDeepStrictEqual } from 'node:util';
import type { IdKind } from '../platform/ids/id';

export const AUDIT_ACTIONS = [
  'create',
  'update',
  'delete',
  'test',
  'check',
  'redeliver',
  'sign_in',
  'sign_in_failed',
  'sign_out',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The audited resources with the kind of their ids: a status page has that of its website, a session that of its key. */
export const AUDITED = {
  website: 'website',
  endpoint: 'endpoint',
  alert: 'alert',
  status_page: 'website',
  delivery: 'delivery',
  api_key: 'apiKey',
  session: 'apiKey',
  organization: 'organization',
} as const satisfies Readonly<Record<string, IdKind>>;
export type AuditedResource = keyof typeof AUDITED;
export const AUDITED_RESOURCES = Object.keys(AUDITED) as readonly AuditedResource[];

/** Settings under the names of the API. The caller has masked or left out credentials. */
export type Settings = Readonly<Record<string, unknown>>;

/** What an entry holds of a change. */
export interface Difference {
  /** Names of the settings that differ, in the order of the settings. */
  changed: string[];
  before: Settings | null;
  after: Settings | null;
}

/** Texts are cut after this many characters, so that a request body of 64 KiB is not copied with every edit. */
const LONGEST = 500;
/** Fields that the service derives or counts itself: they are no settings. */
const DERIVED = new Set([
  'id',
  'status',
  'triggered',
  'group',
  'endpoint_count',
  'last_checked_at',
  'last_used_at',
  'created_at',
  'updated_at',
]);

/**
 * All settings of a created or deleted resource; of an update only those that changed. `hidden` names settings that changed
 * behind a mask, where both sides look alike.
 */
export function differenceOf(before: object | null, after: object | null, hidden: readonly string[] = []): Difference {
  const was = before ? settingsOf(before) : null;
  const is = after ? settingsOf(after) : null;
  const names = Object.keys({ ...was, ...is });
  if (!was || !is) return { changed: [], before: was && only(was, names), after: is && only(is, names) };
  const changed = names.filter((name) => hidden.includes(name) || !isDeepStrictEqual(was[name], is[name]));
  return { changed, before: only(was, changed), after: only(is, changed) };
}

const only = (settings: Settings, names: readonly string[]): Settings =>
  Object.fromEntries(names.map((name) => [name, bounded(settings[name])]));

/** By way of JSON, so that a missing and an undefined setting are equal. */
function settingsOf(view: object): Settings {
  const plain = JSON.parse(JSON.stringify(view)) as Settings;
  return Object.fromEntries(Object.entries(plain).filter(([name]) => !DERIVED.has(name)));
}

function bounded(value: unknown): unknown {
  if (typeof value === 'string' && value.length > LONGEST) {
    return `${value.slice(0, LONGEST)}… (${value.length} characters)`;
  }
  if (Array.isArray(value)) return value.map(bounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, bounded(item)]));
}
