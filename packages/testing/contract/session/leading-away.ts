import type { ApiResponse } from '../../service/api';
import { type Operation, operationOf } from '../document/openapi';

interface Asked {
  /** The part before the document's paths, without a trailing slash. */
  baseUrl: string;
  path: string;
  response: Pick<ApiResponse, 'headers' | 'body' | 'text'>;
}

/**
 * Returns each URL in a response that doesn't point to the service. It reads `Location` and `Link`, which clients
 * resolve against the request URL. It also reads cookie paths, links in pages and feeds, and operation paths in JSON.
 */
export function addressesLeadingAway(operations: readonly Operation[], { baseUrl, path, response }: Asked): string[] {
  const { headers, body, text } = response;
  const base = new URL(baseUrl);
  const basePath = base.pathname.replace(/\/$/, '');
  const leadsBack = (address: string): boolean => {
    const { origin, pathname } = new URL(address, baseUrl + path);
    return origin !== base.origin || pathname === basePath || pathname.startsWith(`${basePath}/`);
  };
  const links = [...(headers['link'] ?? '').matchAll(/<([^<>]*)>/g)].map(([, link = '']) => link);
  const cookies = [...(headers['set-cookie'] ?? '').matchAll(/;\s*Path=([^;,]*)/gi)].map(([, of = '']) => of);
  return [
    ...[headers['location'] ?? '', ...links, ...linksIn(headers['content-type'] ?? '', text)].filter(
      (address) => !leadsBack(address),
    ),
    ...cookies.filter((of) => of !== basePath && !`${basePath}/`.startsWith(of)),
    ...pathsIn(body).filter((each) => isPathOf(operations, each) && !leadsBack(each)),
  ];
}

/** Returns the URLs that a page or feed links to or loads, except those on other servers. */
const linksIn = (type: string, text: string): string[] =>
  /^(text\/html|application\/atom\+xml|image\/svg\+xml)/.test(type)
    ? [...text.matchAll(/\s(?:href|src|action|xlink:href)="([^"#]+)/g)].map(([, link = '']) => link)
    : [];

/** Returns strings in a JSON body that may be paths. JSON pointers also start with a slash. */
function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('/') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => (name === 'pointer' ? [] : pathsIn(each)));
}

const isPathOf = (operations: readonly Operation[], path: string): boolean =>
  operationOf(operations, 'GET', path.split('?')[0] ?? '') !== null;
