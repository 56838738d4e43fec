import type { ApiResponse } from '../../service/api';
import { type Operation, operationOf } from '../document/openapi';

/** What was asked, and what came back. */
interface Asked {
  /** What stands before the paths of the document, without a slash at its end. */
  baseUrl: string;
  path: string;
  response: Pick<ApiResponse, 'headers' | 'body' | 'text'>;
}

/**
 * Returns each address in a response that does not lead back to the service that was asked: `Location` and `Link`, resolved by
 * the address of the request as clients do it, the path of cookies, links of pages and feeds, and paths of operations in JSON.
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

/** What a page or feed links to and loads, without addresses of other servers. */
const linksIn = (type: string, text: string): string[] =>
  /^(text\/html|application\/atom\+xml|image\/svg\+xml)/.test(type)
    ? [...text.matchAll(/\s(?:href|src|action|xlink:href)="([^"#]+)/g)].map(([, link = '']) => link)
    : [];

/** Texts of a JSON body that may be paths: those of pointers into a body begin with a slash as well. */
function pathsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('/') ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => (name === 'pointer' ? [] : pathsIn(each)));
}

const isPathOf = (operations: readonly Operation[], path: string): boolean =>
  operationOf(operations, 'GET', path.split('?')[0] ?? '') !== null;
