import { randomBytes } from 'node:crypto';
import type { Sql } from '../../platform/database/database';
import { problems } from '../../platform/problem/problem';
import { slugOf } from './page-rules';

/** The fields that identify pages across all organizations. Their values are unique. */
export type AddressField = 'slug' | 'domain';

/** A slug or domain that is requested for a page. */
export interface WantedAddress {
  /** The page's UUID, or `null` for a new page. */
  id: string | null;
  address: string;
}

/**
 * Returns a slug for each name, with a random suffix if the slug is taken or too short. `others` are slugs that are
 * also taken.
 */
export async function freeSlugs(sql: Sql, names: readonly string[], others: readonly string[] = []): Promise<string[]> {
  if (names.length === 0) return [];
  const slugs = names.map(slugOf);
  const rows = await sql.query<{ slug: string }>('SELECT slug FROM status_page WHERE slug = ANY ($1::text[])', [slugs]);
  const taken = new Set([...others, ...rows.map(({ slug }) => slug)]);
  return slugs.map((slug) => {
    const free = slug.length >= 3 && !taken.has(slug) ? slug : `${slug || 'status'}-${randomBytes(4).toString('hex')}`;
    taken.add(free);
    return free;
  });
}

/**
 * Returns those wanted slugs or domains that another page has, or that an earlier item of the list wants, in order.
 * `leaving` are pages that will be deleted. Cost: one statement, with one lookup in a unique index for each.
 */
export async function takenAddresses<Wanted extends WantedAddress>(
  sql: Sql,
  field: AddressField,
  wanted: readonly Wanted[],
  leaving: readonly string[] = [],
): Promise<Wanted[]> {
  if (wanted.length === 0) return [];
  const rows = await sql.query<{ id: string; address: string }>(
    `SELECT id, ${field} AS address FROM status_page WHERE ${field} = ANY ($1::text[]) AND id <> ALL ($2::uuid[])`,
    [wanted.map(({ address }) => address), leaving],
  );
  const holders = new Map<string, string | null>(rows.map(({ id, address }) => [address, id]));
  return wanted.filter(({ id, address }) => {
    const isTaken = holders.has(address) && (id === null || holders.get(address) !== id);
    if (!isTaken) holders.set(address, id);
    return isTaken;
  });
}

export const takenMessage = (field: AddressField, address: string): string =>
  `The ${field} "${address}" is already taken.`;

/** Throws `conflict` for the first value that another page has. */
export async function expectFree(sql: Sql, field: AddressField, wanted: readonly WantedAddress[]): Promise<void> {
  const [taken] = await takenAddresses(sql, field, wanted);
  if (taken) throw problems.conflict(takenMessage(field, taken.address));
}
