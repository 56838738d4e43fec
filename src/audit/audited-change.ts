import { isDeepStrictEqual } from 'node:util';
import { storableText } from '../platform/database/postgres-text';
import type { IdKind } from '../platform/ids/id';
import { cut } from '../platform/text/text-limits';

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

/**
 * The audited resources, each with its ID kind. A page that is changed through its website is a `status_page` with the
 * website's ID, and any other page is a `public_page`. A session has the ID of its key. Signing in and out with an
 * account are actions on a person.
 */
export const AUDITED = {
  website: 'website',
  endpoint: 'endpoint',
  alert: 'alert',
  acknowledgement: 'endpoint',
  status_page: 'website',
  public_page: 'statusPage',
  delivery: 'delivery',
  api_key: 'apiKey',
  session: 'apiKey',
  organization: 'organization',
  maintenance: 'maintenanceWindow',
  contact: 'contact',
  person: 'person',
  invitation: 'invitation',
  incident: 'incident',
  probe: 'probe',
  report_link: 'reportLink',
} as const satisfies Readonly<Record<string, IdKind>>;
/** A resource of the service, or one that an extension has registered. */
export type AuditedResource = keyof typeof AUDITED | (string & Record<never, never>);

const kinds: Record<string, IdKind> = { ...AUDITED };

/** Registers resources that are also ID kinds, for the whole process. */
export function registerAudited(resources: readonly IdKind[]): void {
  for (const resource of resources) kinds[resource] = resource;
}

/** Returns the resources of the service in order, followed by the resources of extensions. */
export const auditedResources = (): string[] => Object.keys(kinds);

/** Returns the ID kind in entries about a resource, or `null` if the resource isn't registered. */
export const auditedKind = (resource: AuditedResource): IdKind | null => kinds[resource] ?? null;

/** Settings with their API names. The caller must have masked or omitted credentials. */
export type Settings = Readonly<Record<string, unknown>>;

export interface Difference {
  /** The names of the settings that differ, in the order of the settings. */
  changed: string[];
  before: Settings | null;
  after: Settings | null;
}

/**
 * The maximum size of each side of an entry, as JSON. Entries are kept for `ROLLUP_RETENTION_DAYS`, however many there
 * are.
 */
export const MAX_SIDE_BYTES = 2048;
/**
 * The maximum number of characters in strings and of items in lists. The first pair that makes a side small enough is
 * used.
 */
const CUTS = [
  { text: 500, items: Infinity },
  { text: 120, items: 12 },
  { text: 40, items: 4 },
] as const;
type Cut = (typeof CUTS)[number];
/** Fields that the service derives or counts, so they aren't settings. */
const DERIVED = new Set([
  'id',
  'status',
  'degraded',
  'maintenance',
  'acknowledgement',
  'incident_id',
  'dependents',
  'by_location',
  'triggered',
  'group',
  'owner',
  'endpoint_count',
  'alert_count',
  'last_checked_at',
  'last_used_at',
  'created_at',
  'updated_at',
]);

/**
 * Returns all settings of a created or deleted resource, or the changed settings of an update. `hidden` lists settings
 * that changed behind a mask, so that both sides look the same.
 */
export function differenceOf(before: object | null, after: object | null, hidden: readonly string[] = []): Difference {
  const was = before ? auditedSettings(before) : null;
  const is = after ? auditedSettings(after) : null;
  // A hidden setting may have no mask to show. In that case, only its name shows that it changed.
  const names = [...new Set([...Object.keys({ ...was, ...is }), ...hidden])];
  if (!was || !is) return { changed: [], before: was && only(was, names), after: is && only(is, names) };
  const changed = names.filter((name) => hidden.includes(name) || !isDeepStrictEqual(was[name], is[name]));
  return { changed, before: only(was, changed), after: only(is, changed) };
}

/** Returns these settings within `MAX_SIDE_BYTES`. A truncated value ends with `…` and its original size. */
function only(settings: Settings, names: readonly string[]): Settings {
  const chosen = names.map((name) => [name, settings[name]] as const);
  for (const cuts of CUTS) {
    const side = Object.fromEntries(chosen.map(([name, value]) => [name, bounded(value, cuts)]));
    if (bytesOf(side) <= MAX_SIDE_BYTES) return side;
  }
  return withoutLargest(chosen);
}

/**
 * Returns the settings that fit, smallest first, in order, and only the size of each of the others. Names are few and
 * short, because the service defines them.
 */
function withoutLargest(chosen: readonly (readonly [string, unknown])[]): Settings {
  const side: Record<string, unknown> = {};
  const entryOf = (name: string, value: unknown): number => bytesOf({ [name]: value });
  const kept = chosen.map(([name, value]) => ({ name, value: bounded(value, CUTS[2]), size: bytesOf(value) }));
  let left = MAX_SIDE_BYTES - 2;
  for (const one of kept) {
    side[one.name] = `… (${one.size} bytes)`;
    left -= entryOf(one.name, side[one.name]);
  }
  for (const { name, value } of kept.toSorted((a, b) => entryOf(a.name, a.value) - entryOf(b.name, b.value))) {
    const more = entryOf(name, value) - entryOf(name, side[name]);
    if (more > left) continue;
    side[name] = value;
    left -= more;
  }
  return side;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * Returns all settings of a view. They are converted through JSON, so that a missing setting equals an undefined one.
 */
export function auditedSettings(view: object): Settings {
  const plain = JSON.parse(JSON.stringify(view)) as Settings;
  return Object.fromEntries(Object.entries(plain).filter(([name]) => !DERIVED.has(name)));
}

function bounded(value: unknown, cuts: Cut): unknown {
  if (typeof value === 'string') return boundedText(storableText(value), cuts.text);
  if (Array.isArray(value)) {
    const items = value.slice(0, cuts.items).map((item) => bounded(item, cuts));
    return value.length > items.length ? [...items, `… (${value.length - items.length} more)`] : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [storableText(name), bounded(item, cuts)]));
}

const boundedText = (text: string, max: number): string =>
  text.length > max ? `${cut(text, max, '')}… (${text.length} characters)` : text;
