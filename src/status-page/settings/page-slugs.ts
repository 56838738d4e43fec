import { randomBytes } from 'node:crypto';
import type { Sql } from '../../platform/database/database';
import { problems } from '../../platform/problem/problem';
import { slugOf } from './page-rules';

/** What pages are found by, of all organizations: no two have the same. */
export type AddressField = 'slug' | 'domain';

/** An address that a page is to have. */
export interface WantedAddress {
  /** uuid; `null` for a page that is new. */
  id: string | null;
  address: string;
}

/** The slug of each name where it is free and long enough, otherwise with a random suffix. `others`: what else is given away. */
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
 * Those that another page has, or one before it in the list wants, in their order. `leaving`: pages that will be gone. One
 * statement, a probe of a unique index for each.
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

/** What is said of a taken one. */
export const takenMessage = (field: AddressField, address: string): string =>
  `The ${field} "${address}" is already taken.`;

/** Throws `conflict` for the first that another page has. */
export async function expectFree(sql: Sql, field: AddressField, wanted: readonly WantedAddress[]): Promise<void> {
  const [taken] = await takenAddresses(sql, field, wanted);
  if (taken) throw problems.conflict(takenMessage(field, taken.address));
}
