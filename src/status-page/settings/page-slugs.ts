import { randomBytes } from 'node:crypto';
import type { Tx } from '../../platform/database/database';
import { problems } from '../../platform/problem/problem';
import { slugOf } from './page-rules';

/** The slug of the name when it is free and long enough, otherwise with a random suffix. */
export async function freeSlug(tx: Tx, name: string): Promise<string> {
  const slug = slugOf(name);
  const [taken] = await tx.query('SELECT 1 FROM status_page WHERE slug = $1', [slug]);
  return slug.length >= 3 && !taken ? slug : `${slug || 'status'}-${randomBytes(4).toString('hex')}`;
}

/** Throws `conflict` when another page has the slug; `id` is the page that may have it. */
export async function expectFreeSlug(tx: Tx, slug: string, id: string | null): Promise<void> {
  const [taken] = await tx.query('SELECT 1 FROM status_page WHERE slug = $1 AND id IS DISTINCT FROM $2::uuid', [
    slug,
    id,
  ]);
  if (taken) throw problems.conflict(`The address "${slug}" is taken.`);
}
