import type { ApiClient } from './api-client';
import type { ExitCode } from './configuration-commands';
import { CommandError, type Io } from './io';
import { type Colour, painter, shown, table } from './style';

/** What is shown of an endpoint. */
export interface ListedEndpoint {
  id: string;
  website_id: string;
  name: string;
  url: string;
  type: string;
  group: string;
  key: string | null;
  status: string;
  degraded: boolean;
}

export interface ListOptions {
  status?: string;
  type?: string;
  tag?: string;
  quiet?: boolean;
  json?: boolean;
}

const STATUS_COLOURS: Readonly<Record<string, Colour>> = { up: 'green', down: 'red', degraded: 'yellow' };

/** Lists the endpoints of the organization. */
export async function list(io: Io, api: ApiClient, { quiet, json, status, type, tag }: ListOptions): Promise<ExitCode> {
  const found = await endpoints(api, { status, type: type?.toUpperCase(), tag });
  if (json) io.out(`${JSON.stringify(found, null, 2)}\n`);
  else if (quiet) io.out(found.map(({ id }) => `${id}\n`).join(''));
  else io.out(`${endpointLines(found, io.hasColour).join('\n')}\n`);
  return 0;
}

/** A line for each endpoint, in the order of the API. */
export function endpointLines(found: readonly ListedEndpoint[], hasColour: boolean): string[] {
  const paint = painter(hasColour);
  const rows = found.map((each) => [
    statusOf(each),
    each.id,
    each.type,
    shown(each.key ?? '-'),
    shown(each.group, 40),
    shown(each.name, 40),
    shown(each.url),
  ]);
  return table(['STATUS', 'ID', 'TYPE', 'KEY', 'WEBSITE', 'NAME', 'URL'], rows, (column, cell, [status = '']) =>
    column === 0 ? paint(STATUS_COLOURS[status] ?? 'faint', cell) : cell,
  );
}

const statusOf = ({ status, degraded }: ListedEndpoint): string => (degraded ? 'degraded' : status);

type Filters = Readonly<Record<string, string | undefined>>;

/** All pages. */
async function endpoints(api: ApiClient, filters: Filters): Promise<ListedEndpoint[]> {
  const found: ListedEndpoint[] = [];
  let cursor = null as string | null;
  do {
    const query = new URLSearchParams({ limit: '1000' });
    for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value);
    if (cursor !== null) query.set('cursor', cursor);
    const { body, headers } = await api.json({ path: `/endpoints?${query.toString()}` });
    found.push(...(body as ListedEndpoint[]));
    cursor = headers.get('x-next-cursor');
  } while (cursor !== null);
  return found;
}

/** What is shown of a check. */
export interface ShownCheck {
  outcome: string;
  duration_ms: number;
  status_code: number | null;
  address: string | null;
  error: { code: string; message: string } | null;
  warning?: { code: string; message: string } | null;
}

export interface CheckOptions {
  type?: string;
  json?: boolean;
}

/** A check on demand takes as long as the endpoint's own limit, and may wait for one that runs. */
export const CHECK_TIMEOUT_MS = 700_000;

/** Checks an endpoint now, recorded like any other; or a URL, of which nothing is stored. 2: it is not up. */
export async function check(io: Io, api: ApiClient, target: string, options: CheckOptions): Promise<ExitCode> {
  const type = options.type?.toUpperCase() ?? typeOfUrl(target);
  const made = type === null ? await checkEndpoint(api, target) : await testUrl(api, type, target);
  io.out(
    options.json
      ? `${JSON.stringify(made.check, null, 2)}\n`
      : `${checkLines(made.name, made.check, io.hasColour).join('\n')}\n`,
  );
  return made.check.outcome === 'up' ? 0 : 2;
}

/** Outcome first, then what was learned. */
export function checkLines(name: string, { outcome, duration_ms, ...check }: ShownCheck, hasColour: boolean): string[] {
  const warning = outcome === 'up' ? (check.warning ?? null) : null;
  const colour = STATUS_COLOURS[warning ? 'degraded' : outcome] ?? 'faint';
  const facts = [`${duration_ms.toFixed(1)} ms`, check.status_code && `status ${check.status_code}`, check.address];
  const title = `${painter(hasColour)(colour, outcome)}  ${shown(name)}  ${facts.filter(Boolean).join(', ')}`;
  return [
    title,
    ...[check.error, warning].flatMap((said) => (said ? [`  ${said.code}: ${shown(said.message, 500)}`] : [])),
  ];
}

const TYPES: Readonly<Record<string, string>> = {
  'http:': 'HTTP',
  'https:': 'HTTPS',
  'tcp:': 'TCP',
  'dns:': 'DNS',
  'ssh:': 'SSH',
  'icmp:': 'ICMP',
};

/** The type that the scheme of a URL tells; null when it has none of ours. */
export const typeOfUrl = (text: string): string | null =>
  TYPES[/^([a-z]+:)\/\//i.exec(text)?.[1]?.toLowerCase() ?? ''] ?? null;

async function testUrl(api: ApiClient, type: string, url: string) {
  const { body } = await api.json({
    method: 'POST',
    path: '/endpoints/test',
    body: JSON.stringify({ name: 'uptime check', type, url }),
    timeoutMs: CHECK_TIMEOUT_MS,
  });
  return { name: url, check: body as ShownCheck };
}

async function checkEndpoint(api: ApiClient, target: string) {
  const id = /^ep_[0-9a-z]+$/.test(target) ? target : (await endpointWithKey(api, target)).id;
  const { body } = await api.json({
    method: 'POST',
    path: `/endpoints/${id}/checks`,
    timeoutMs: CHECK_TIMEOUT_MS,
  });
  return { name: target, check: body as ShownCheck };
}

/** More websites than this are not asked for their key. */
const MAX_NAMESAKES = 50;

/** By key, `front`, or by key path, `shop/front`. */
async function endpointWithKey(api: ApiClient, target: string): Promise<ListedEndpoint> {
  const parts = target.split('/');
  const key = parts.pop() ?? '';
  const [website] = parts;
  if (parts.length > 1 || ![key, ...parts].every((part) => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(part)))
    throw new CommandError(
      `${shown(target)} is no URL with a scheme, no id of an endpoint (ep_…) and no key (front, or shop/front). With --type TCP a target needs no scheme.`,
    );
  const named = await endpoints(api, { key });
  if (named.length > MAX_NAMESAKES)
    throw new CommandError(`${named.length} endpoints have the key ${key}: name one by its id, from ls.`);
  const found = website === undefined ? named : await ofWebsite(api, named, website);
  const [first, second] = found;
  if (!first) throw new CommandError(`No endpoint has the key ${target}; ls shows those that there are.`);
  if (second)
    throw new CommandError(
      `Several endpoints have the key ${key}: put the key of the website before it, website/${key}.`,
    );
  return first;
}

async function ofWebsite(api: ApiClient, named: readonly ListedEndpoint[], key: string): Promise<ListedEndpoint[]> {
  const found: ListedEndpoint[] = [];
  for (const endpoint of named) {
    const { body } = await api.json({ path: `/websites/${endpoint.website_id}` });
    if ((body as { key: string | null }).key === key) found.push(endpoint);
  }
  return found;
}
