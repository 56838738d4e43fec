import type { DeclaredWebsite, DeclaredWindow } from '../../../src/configuration/document/document';
import { cut, oneLine } from '../../../src/platform/text/text-limits';
import type { ReportEntry } from '../conversion';
import type { ReadEndpoint } from './endpoints';
import { keyFrom } from '../../../src/configuration/document/keys';

const MAX_NAME = 255;

interface Website {
  declared: DeclaredWebsite;
  keys: Set<string>;
}

/** Websites with their endpoints, and the maintenance windows for individual endpoints. */
export interface Declared {
  websites: DeclaredWebsite[];
  windows: DeclaredWindow[];
}

/**
 * Creates a website for each group. Endpoints without a group are grouped by origin. Endpoints without an HTTP or HTTPS
 * URL join the first origin that has the same host.
 */
export function groupIntoWebsites(
  endpoints: readonly ReadEndpoint[],
  windowKeys: Set<string>,
  report: (entry: ReportEntry) => void,
): Declared {
  const members = new Map<string, ReadEndpoint[]>();
  const placed = placeOf(endpoints);
  for (const endpoint of endpoints) {
    const own = members.get(placed(endpoint));
    if (own) own.push(endpoint);
    else members.set(placed(endpoint), [endpoint]);
  }
  const taken = new Set<string>();
  const windows: DeclaredWindow[] = [];
  const websites = [...members.values()].map((own) => {
    const website = websiteOf(own, taken, report);
    for (const read of own) windows.push(...add(read, website, windowKeys));
    return website.declared;
  });
  return { websites, windows };
}

/** Returns a key that all endpoints on a website share. */
function placeOf(endpoints: readonly ReadEndpoint[]): (endpoint: ReadEndpoint) => string {
  const origins = new Map<string, string>();
  for (const { group, target } of endpoints)
    if (group === null && target.origin !== null && !origins.has(target.host)) origins.set(target.host, target.origin);
  return ({ group, target }) =>
    group === null ? `origin ${target.origin ?? origins.get(target.host) ?? target.host}` : `group ${group}`;
}

function websiteOf(
  members: readonly ReadEndpoint[],
  taken: Set<string>,
  report: (entry: ReportEntry) => void,
): Website {
  const first = members[0];
  const origin = members.map(({ target }) => target.origin).find((known) => known !== null) ?? null;
  const name = first?.group ?? (origin === null ? null : new URL(origin).host) ?? first?.target.host ?? 'Gatus';
  const key = keyFrom(name, taken);
  const url = origin ?? `https://${key.replace(/[^a-z0-9]+/g, '-').replace(/-$/, '')}.invalid`;
  if (origin === null)
    report({
      at: first?.at ?? '',
      name,
      result: 'approximated',
      why: `a website must have a URL, and its endpoints have none, so ${url} is used as a placeholder`,
    });
  return { declared: { key, name: cut(oneLine(name), MAX_NAME), url, endpoints: [] }, keys: new Set() };
}

function add(
  { endpoint, windows }: ReadEndpoint,
  { declared, keys }: Website,
  windowKeys: Set<string>,
): DeclaredWindow[] {
  const key = keyFrom(endpoint.name, keys);
  declared.endpoints?.push({ key, ...endpoint });
  return windows.map((window) => ({
    key: keyFrom(`${declared.key}-${key}`, windowKeys),
    name: cut(`Maintenance of ${endpoint.name}`, MAX_NAME),
    ...window,
    scope: { endpoints: [`${declared.key}/${key}`] },
  }));
}
