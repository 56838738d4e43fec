import type { CreateEndpoint, Endpoint, SearchEndpointsQuery, UptimeClient } from '../../client/index.cjs';
import { type CheckOptions, checkSettings, endpointFields } from '../check-options';
import { checkLines, type ShownCheck } from './check-text';
import type { ExitCode } from './configuration-commands';
import { CommandError, type Io } from './io';
import { allPages } from './pages';
import { painter, shown, STATUS_COLOURS, table } from './style';

export type ListedEndpoint = Pick<Endpoint, 'id' | 'name' | 'url' | 'type' | 'group' | 'key' | 'status' | 'degraded'>;

export interface ListOptions {
  status?: Endpoint['status'];
  type?: string;
  tag?: string;
  location?: string;
  quiet?: boolean;
  json?: boolean;
}

export async function list(io: Io, uptime: UptimeClient, options: ListOptions): Promise<ExitCode> {
  const { quiet, json, status, type, tag, location } = options;
  const found = await endpoints(uptime, { status, type: type?.toUpperCase(), tag, location });
  if (json) io.out(`${JSON.stringify(found, null, 2)}\n`);
  else if (quiet) io.out(found.map(({ id }) => `${id}\n`).join(''));
  else io.out(`${endpointLines(found, io.hasColour).join('\n')}\n`);
  return 0;
}

/** Returns one line for each endpoint, in API order. */
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

const endpoints = async (uptime: UptimeClient, filters: SearchEndpointsQuery): Promise<Endpoint[]> =>
  (await allPages((page) => uptime.searchEndpoints.withResponse({ query: { ...page, ...filters } }))).items;

/** An on-demand check takes up to the endpoint's timeout, and may first have to wait for a running check. */
export const CHECK_TIMEOUT_MS = 700_000;

/**
 * Checks an endpoint now and records the result, or checks a URL without storing anything. The check runs on the
 * service or on this machine. `words` is the target, optionally preceded by its type. Returns 2 if the target isn't up.
 */
export async function check(
  io: Io,
  connect: () => UptimeClient,
  words: readonly string[],
  options: CheckOptions,
): Promise<ExitCode> {
  const [target = '', ...more] = words.toReversed();
  const [type = options.type] = more;
  if (more.length > 1) throw new CommandError('The check command takes only one target.');
  const known = type === undefined ? typeOfUrl(target) : typeNamed(type);
  const settings = checkSettings(target, options, io.folder);
  const made = known === null ? await checkEndpoint() : await checkUrl(known);
  io.out(
    options.json
      ? `${JSON.stringify(made, null, 2)}\n`
      : `${checkLines(target, made, io.hasColour, options.verbose).join('\n')}\n`,
  );
  return made.outcome === 'up' ? 0 : 2;

  async function checkEndpoint(): Promise<ShownCheck> {
    if (options.local || Object.values(endpointFields(settings)).some((value) => value !== undefined))
      throw new CommandError(
        `${shown(target)} is not a URL with a scheme. For an endpoint, only --json and --verbose can be used. With --type, such as --type TCP, a target needs no scheme.`,
      );
    const uptime = connect();
    const id = /^ep_[0-9a-z]+$/.test(target) ? target : (await endpointWithKey(uptime, target)).id;
    return uptime.runCheck({ path: { id } }, { timeoutMs: CHECK_TIMEOUT_MS });
  }

  async function checkUrl(type: EndpointType): Promise<ShownCheck> {
    if (options.local) return loadLocalCheck().checkLocally(type, target, settings, io.env);
    const body = { name: 'uptime check', type, url: target, ...endpointFields(settings) };
    return connect().testEndpoint({ body }, { timeoutMs: CHECK_TIMEOUT_MS });
  }
}

/** Loads local checks lazily, so that other commands start without Nest and the checkers. */
function loadLocalCheck(): typeof import('../check-locally') {
  // oxlint-disable-next-line typescript/no-require-imports -- loaded only when it is needed.
  return require('../check-locally') as typeof import('../check-locally');
}

type EndpointType = CreateEndpoint['type'];

const TYPES: Readonly<Record<string, EndpointType>> = {
  'http:': 'HTTP',
  'https:': 'HTTPS',
  'tcp:': 'TCP',
  'dns:': 'DNS',
  'ssh:': 'SSH',
  'icmp:': 'ICMP',
  'udp:': 'UDP',
  'ws:': 'WEBSOCKET',
  'wss:': 'WEBSOCKET',
  'grpc:': 'GRPC',
  'grpcs:': 'GRPC',
  'postgres:': 'POSTGRES',
  'postgresql:': 'POSTGRES',
  'redis:': 'REDIS',
  'rediss:': 'REDIS',
  'domain:': 'DOMAIN',
};

/** Returns the type that the URL scheme implies, or null if the scheme is unknown. */
export const typeOfUrl = (text: string): EndpointType | null =>
  TYPES[/^([a-z]+:)\/\//i.exec(text)?.[1]?.toLowerCase() ?? ''] ?? null;

/**
 * Returns the type name in upper case. Only the service knows whether the type exists, because extensions can add
 * types.
 */
export const typeNamed = (text: string): EndpointType => text.toUpperCase() as EndpointType;

/** The maximum number of websites whose key is read. */
const MAX_NAMESAKES = 50;

/** Finds an endpoint by key (`front`) or key path (`shop/front`). */
export async function endpointWithKey(uptime: UptimeClient, target: string): Promise<Endpoint> {
  const parts = target.split('/');
  const key = parts.pop() ?? '';
  const [website] = parts;
  if (parts.length > 1 || ![key, ...parts].every((part) => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(part)))
    throw new CommandError(
      `${shown(target)} is not a URL with a scheme, an endpoint ID (ep_…), or a key (front, or shop/front). With --type, such as --type TCP, a target needs no scheme.`,
    );
  const named = await endpoints(uptime, { key });
  if (named.length > MAX_NAMESAKES)
    throw new CommandError(
      `${named.length} endpoints have the key ${key}. Use the ID of one of them, from "uptime endpoints ls".`,
    );
  const found = website === undefined ? named : await ofWebsite(uptime, named, website);
  const [first, second] = found;
  if (!first)
    throw new CommandError(`No endpoint has the key ${target}. Run "uptime endpoints ls" to list all endpoints.`);
  if (second)
    throw new CommandError(
      `Several endpoints have the key ${key}. Put the key of the website before it: website/${key}.`,
    );
  return first;
}

async function ofWebsite(uptime: UptimeClient, named: readonly Endpoint[], key: string): Promise<Endpoint[]> {
  const found: Endpoint[] = [];
  for (const endpoint of named) {
    const website = await uptime.getWebsite({ path: { id: endpoint.website_id } });
    if (website.key === key) found.push(endpoint);
  }
  return found;
}
