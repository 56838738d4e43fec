import { z } from 'zod';
import { cut } from '../../../src/platform/text/text-limits';
import type { CallApi } from './call-api';
import { InputError } from './tool';
import { EndpointView, WebsiteView } from './views';

/** Candidates that are told of; the others are counted. */
const MOST_CANDIDATES = 10;
/** Websites that are asked for their key, when endpoints of several have the same one. */
const MOST_NAMESAKES = 20;
/** Pages of a thousand. */
const MOST_PAGES = 10;
/** The API takes no longer text to look for. */
const MAX_SEARCH_CHARACTERS = 100;

const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export type Endpoint = z.output<typeof EndpointView>;
export type Website = z.output<typeof WebsiteView>;

/** How a tool is told which endpoint. */
export const EndpointReference = z
  .string()
  .min(1)
  .max(300)
  .describe('Which endpoint: its id (ep_…), its key (front), its key path (shop/front) or its exact name.');

/** How a tool is told which website. */
export const WebsiteReference = z
  .string()
  .min(1)
  .max(300)
  .describe('Which website: its id (ws_…), its key or its exact name.');

/** What could have been meant, as data. */
interface Candidate {
  id: string;
  name: string;
  key: string | null;
  /** Of an endpoint: the name of its website. */
  website?: string;
}

/** The endpoint that is meant. Throws `InputError` when there is none, or more than one. */
export async function findEndpoint(api: CallApi, reference: string): Promise<{ endpoint: Endpoint; headers: Headers }> {
  if (/^ep_[0-9a-z]{26}$/.test(reference)) {
    const { value, headers } = await api.read(EndpointView, `/endpoints/${reference}`);
    return { endpoint: value, headers };
  }
  const byKey = await withKey(api, reference);
  const search = { q: cut(reference, MAX_SEARCH_CHARACTERS, '') };
  const { items: similar, headers } = await api.readAll(z.array(EndpointView), '/endpoints', search, MOST_PAGES);
  const endpoint = theOne('endpoint', [...byKey, ...named(similar, reference)], similar, candidateOf);
  return { endpoint, headers };
}

/** The website that is meant. Throws `InputError` when there is none, or more than one. */
export async function findWebsite(api: CallApi, reference: string): Promise<{ website: Website; headers: Headers }> {
  if (/^ws_[0-9a-z]{26}$/.test(reference)) {
    const { value, headers } = await api.read(WebsiteView, `/websites/${reference}`);
    return { website: value, headers };
  }
  const { items, headers } = await api.readAll(z.array(WebsiteView), '/websites', {}, MOST_PAGES);
  const byKey = items.filter(({ key }) => key === reference);
  const similar = items.filter(({ name }) => name.toLowerCase().includes(reference.toLowerCase()));
  const found = [...byKey, ...named(items, reference)];
  const website = theOne('website', found, similar.length > 0 ? similar : items, ({ id, name, key }) => ({
    id,
    name,
    key,
  }));
  return { website, headers };
}

const candidateOf = ({ id, name, key, group }: Endpoint): Candidate => ({ id, name, key, website: group });

const named = <T extends { name: string }>(things: readonly T[], name: string): T[] =>
  things.filter((thing) => thing.name.toLowerCase() === name.toLowerCase());

/** By key, `front`, or by key path, `shop/front`. */
async function withKey(api: CallApi, reference: string): Promise<Endpoint[]> {
  const parts = reference.split('/');
  const key = parts.pop() ?? '';
  const [website] = parts;
  if (parts.length > 1 || ![key, ...parts].every((part) => KEY.test(part))) return [];
  const { value } = await api.read(z.array(EndpointView), '/endpoints', { key, limit: 1000 });
  if (website === undefined) return value;
  const namesakes = value.slice(0, MOST_NAMESAKES);
  const websites = await Promise.all(namesakes.map((each) => api.read(WebsiteView, `/websites/${each.website_id}`)));
  return namesakes.filter((_, index) => websites[index]?.value.key === website);
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
    ? `${different.length} ${kind}s go by that${more}: say which by its id, from candidates.`
    : `No ${kind} goes exactly by that${more}. Give an id; candidates has what comes near.`;
  throw new InputError('unclear_reference', message, { candidates });
}
