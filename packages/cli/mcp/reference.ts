import { z } from 'zod';
import { cut } from '../../../src/platform/text/text-limits';
import type { UptimeClient } from '../../client/index.cjs';
import { read, readPages } from './read-response';
import { InputError } from './tool';
import { EndpointView, WebsiteView } from './views';

/** The number of candidates that an error lists. It reports only the count of the rest. */
const MOST_CANDIDATES = 10;
/** How many websites to read if endpoints on several websites share a key. */
const MOST_NAMESAKES = 20;
/** The API's limit for search strings. */
const MAX_SEARCH_CHARACTERS = 100;

const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export type Endpoint = z.output<typeof EndpointView>;
export type Website = z.output<typeof WebsiteView>;

/** How the caller of a tool identifies an endpoint. */
export const EndpointReference = z
  .string()
  .min(1)
  .max(300)
  .describe('The endpoint, by its ID (ep_…), key (front), key path (shop/front), or exact name.');

/** How the caller of a tool identifies a website. */
export const WebsiteReference = z
  .string()
  .min(1)
  .max(300)
  .describe('The website, by its ID (ws_…), key, or exact name.');

/** A resource that the caller might have meant. */
interface Candidate {
  id: string;
  name: string;
  key: string | null;
  website?: string;
}

/** Finds the named endpoint. Throws: `InputError` if none or more than one matches. */
export async function findEndpoint(
  uptime: UptimeClient,
  reference: string,
): Promise<{ endpoint: Endpoint; headers: Headers }> {
  if (/^ep_[0-9a-z]{26}$/.test(reference)) {
    const { data, response } = await uptime.getEndpoint.withResponse({ path: { id: reference } });
    return { endpoint: read(EndpointView, data), headers: response.headers };
  }
  const byKey = await withKey(uptime, reference);
  const q = cut(reference, MAX_SEARCH_CHARACTERS, '');
  const search = (page: object) => uptime.searchEndpoints.withResponse({ query: { ...page, q } });
  const { items: similar, headers } = await readPages(EndpointView, search);
  const endpoint = theOne('endpoint', [...byKey, ...named(similar, reference)], similar, candidateOf);
  return { endpoint, headers };
}

/** Finds the named website. Throws: `InputError` if none or more than one matches. */
export async function findWebsite(
  uptime: UptimeClient,
  reference: string,
): Promise<{ website: Website; headers: Headers }> {
  if (/^ws_[0-9a-z]{26}$/.test(reference)) {
    const { data, response } = await uptime.getWebsite.withResponse({ path: { id: reference } });
    return { website: read(WebsiteView, data), headers: response.headers };
  }
  const search = (page: object) => uptime.listWebsites.withResponse({ query: page });
  const { items, headers } = await readPages(WebsiteView, search);
  const byKey = items.filter(({ key }) => key === reference);
  const similar = items.filter(({ name }) => name.toLowerCase().includes(reference.toLowerCase()));
  const offered = similar.length > 0 ? similar : items;
  const website = theOne('website', [...byKey, ...named(items, reference)], offered, ({ id, name, key }) => ({
    id,
    name,
    key,
  }));
  return { website, headers };
}

const candidateOf = ({ id, name, key, group }: Endpoint): Candidate => ({ id, name, key, website: group });

const named = <T extends { name: string }>(things: readonly T[], name: string): T[] =>
  things.filter((thing) => thing.name.toLowerCase() === name.toLowerCase());

/** Finds endpoints by key (`front`) or key path (`shop/front`). */
async function withKey(uptime: UptimeClient, reference: string): Promise<Endpoint[]> {
  const parts = reference.split('/');
  const key = parts.pop() ?? '';
  const [website] = parts;
  if (parts.length > 1 || ![key, ...parts].every((part) => KEY.test(part))) return [];
  const found = read(z.array(EndpointView), await uptime.searchEndpoints({ query: { key, limit: 1000 } }));
  if (website === undefined) return found;
  const namesakes = found.slice(0, MOST_NAMESAKES);
  const websites = await Promise.all(namesakes.map((each) => uptime.getWebsite({ path: { id: each.website_id } })));
  return namesakes.filter((_, index) => websites[index]?.key === website);
}

function theOne<T extends { id: string }>(
  kind: 'endpoint' | 'website',
  found: readonly T[],
  similar: readonly T[],
  candidate: (thing: T) => Candidate,
): T {
  const different = [...new Map(found.map((thing) => [thing.id, thing])).values()];
  const [first, second] = different;
  if (first && !second) return first;
  const offered = first ? different : similar;
  const candidates = offered.slice(0, MOST_CANDIDATES).map(candidate);
  const more = offered.length > candidates.length ? `, ${offered.length - candidates.length} more not shown` : '';
  const message = first
    ? `${different.length} ${kind}s match that${more}. Choose one by its ID, from candidates.`
    : `No ${kind} matches that exactly${more}. Give an ID. candidates lists similar ${kind}s.`;
  throw new InputError('unclear_reference', message, { candidates });
}
