import { INTERVAL_BOUNDS } from '../../../../src/platform/config/check-bounds';
import { cut, oneLine } from '../../../../src/platform/text/text-limits';
import { HEARTBEAT } from '../../../../src/endpoint/heartbeat/heartbeat-schedule';
import { everyFrom, graceFrom, heartbeatRefusal, NEW_ADDRESS } from '../../heartbeat';
import type { DeclaredEndpoint } from '../../../../src/configuration/document/document';
import { type Draft, type Mapped, quoted } from './draft';
import { refusalOf } from './acceptable';
import { httpCheck } from './http-check';
import { dnsCheck, pingCheck, portCheck } from './other-checks';
import { mailCheck, postgresCheck, redisCheck, webSocketCheck } from './server-checks';
import type { Row } from '../file/row';
import { reasonForType } from './skipped-types';
import { tagsOf } from './tags';

const MAX_NAME = 255;
const INTERVAL = { min: INTERVAL_BOUNDS.minimum, max: INTERVAL_BOUNDS.maximum, usual: 60 };
const TIMEOUT = { min: 1, max: 300 };
/** Kuma's default timeout as a fraction of the interval. */
const TIMEOUT_SHARE = 0.8;
/** Timeouts can have values such as 69119.999999999999999. */
const ROUNDING = 1e-6;

const CHECKS: Readonly<Record<string, (monitor: Row) => Mapped>> = {
  http: httpCheck,
  keyword: httpCheck,
  'json-query': httpCheck,
  'real-browser': httpCheck,
  port: portCheck,
  ping: pingCheck,
  dns: dnsCheck,
  redis: redisCheck,
  postgres: postgresCheck,
  'websocket-upgrade': webSocketCheck,
  smtp: mailCheck,
};

/**
 * A converted monitor that has no website yet and still contains its credentials, and how it differs from the original.
 */
export interface MappedEndpoint {
  endpoint: Omit<DeclaredEndpoint, 'key' | 'alerts' | 'url' | 'headers' | 'body' | 'heartbeat' | 'settings'> &
    Partial<Pick<Draft, 'url' | 'headers' | 'body' | 'settings'>> & {
      heartbeat?: { every: number; grace: number; push_token?: string };
    };
  differences: string[];
}

/** The other parts of the file that a monitor refers to. */
export interface MonitorContext {
  proxies: readonly Row[];
  /** Name-value pairs. */
  tags: readonly Row[];
}

/** Converts a monitor to an endpoint that the API accepts, or returns why it was left out. */
export function endpointOf(monitor: Row, { proxies, tags }: MonitorContext): MappedEndpoint | { reason: string } {
  if (monitor.flag('upsideDown'))
    return { reason: 'it is in upside down mode, but a check cannot be up because its target is down' };
  if (monitor.text('type') === 'push') return heartbeatOf(monitor, tags);
  const check = Object.hasOwn(CHECKS, monitor.text('type')) ? CHECKS[monitor.text('type')] : undefined;
  if (!check) return { reason: reasonForType(monitor) };
  const mapped = check(monitor);
  if ('reason' in mapped) return mapped;
  const { differences } = mapped;
  const draft = withFamily(mapped.draft, monitor);
  const refusal = refusalOf(draft);
  if (refusal !== null) return { reason: refusal };
  const named = nameOf(monitor);
  const interval = intervalOf(monitor);
  const timeout = timeoutOf(monitor, interval.value);
  const tagged = tagsOf(tags);
  const endpoint = {
    name: named.name,
    ...draft,
    interval: interval.value,
    timeout: timeout.value,
    ...(isActive(monitor) ? {} : { enabled: false }),
    ...(tagged.tags.length > 0 ? { tags: tagged.tags } : {}),
  };
  const all = [
    named.difference,
    interval.difference,
    timeout.difference,
    ...differences,
    tagged.difference,
    ...unsaid(monitor, proxies),
  ];
  return { endpoint, differences: all.filter((difference) => difference !== null) };
}

/** The IP version is a setting of every type but DNS. */
function withFamily(draft: Draft, monitor: Row): Draft {
  const [, ip] = /^ipv([46])$/.exec(monitor.text('ipFamily')) ?? [];
  return ip === undefined || draft.type === 'DNS' ? draft : { ...draft, settings: { ...draft.settings, ip } };
}

/** Converts a push monitor. It keeps its token, so callers only need to change the host in the ping URL. */
function heartbeatOf(monitor: Row, tags: readonly Row[]): MappedEndpoint | { reason: string } {
  const interval = monitor.number('interval') ?? INTERVAL.usual;
  const [retries, retryInterval] = [monitor.number('maxretries') ?? 0, monitor.number('retryInterval') ?? 0];
  const { every, difference } = everyFrom(interval > 0 ? interval : INTERVAL.usual);
  const grace = graceFrom(Math.max(0, retries) * (retryInterval > 0 ? retryInterval : every));
  const token = monitor.text('pushToken');
  const heartbeat = { every, grace, ...(token !== '' && { push_token: token }) };
  const refusal = heartbeatRefusal(heartbeat);
  if (refusal !== null) return { reason: `${refusal}; its token is ${quoted(token)}` };
  const named = nameOf(monitor);
  const tagged = tagsOf(tags);
  const endpoint = {
    name: named.name,
    type: HEARTBEAT,
    heartbeat,
    ...(isActive(monitor) ? {} : { enabled: false }),
    ...(tagged.tags.length > 0 ? { tags: tagged.tags } : {}),
  };
  const address = token === '' ? `its token is not in the file: ${NEW_ADDRESS}` : null;
  const all = [named.difference, address, difference, tagged.difference, ...descriptionOf(monitor)];
  return { endpoint, differences: all.filter((each) => each !== null) };
}

/** Returns a name that the API accepts, and how it was changed. */
export function nameOf(row: Row, max = MAX_NAME): { name: string; difference: string | null } {
  const line = oneLine(row.name) || `#${row.id}`;
  const name = cut(line, max);
  return { name, difference: name === line ? null : `its name is shortened to ${max} characters` };
}

/** Treats a monitor as active unless the file says it isn't. */
export const isActive = (row: Row): boolean => !row.has('active') || row.raw('active') === null || row.flag('active');

interface Value {
  value: number;
  difference: string | null;
}

function intervalOf(monitor: Row): Value {
  const sent = monitor.number('interval');
  if (sent === null || sent <= 0) return { value: INTERVAL.usual, difference: null };
  const value = Math.min(Math.max(Math.ceil(sent - ROUNDING), INTERVAL.min), INTERVAL.max);
  return { value, difference: differenceOf('it is checked every', sent, value) };
}

function timeoutOf(monitor: Row, interval: number): Value {
  const sent = monitor.number('timeout');
  const wanted = sent === null || sent <= 0 ? interval * TIMEOUT_SHARE : sent;
  const value = Math.min(Math.max(Math.ceil(wanted - ROUNDING), TIMEOUT.min), TIMEOUT.max);
  return { value, difference: differenceOf('its timeout is', wanted, value) };
}

const differenceOf = (what: string, wanted: number, value: number): string | null =>
  Math.abs(wanted - value) < ROUNDING * 10 ? null : `${what} ${value} seconds, not ${Number(wanted.toFixed(3))}`;

/** Lists settings that endpoints don't support. */
function unsaid(monitor: Row, proxies: readonly Row[]): string[] {
  const [retries, retryInterval] = [monitor.number('maxretries') ?? 0, monitor.number('retryInterval') ?? 0];
  const hasOtherPace = retries > 0 && retryInterval > 0 && retryInterval !== monitor.number('interval');
  const proxy = proxyOf(monitor, proxies);
  return [
    ...(hasOtherPace
      ? [`while it fails, it is still checked at its interval, not every ${retryInterval} seconds`]
      : []),
    ...(proxy === null ? [] : [proxy]),
    ...(monitor.flag('domainExpiryNotification') ? ['the expiry of its domain is not monitored'] : []),
    ...descriptionOf(monitor),
  ];
}

function descriptionOf(monitor: Row): string[] {
  const description = oneLine(monitor.text('description'));
  return description === '' ? [] : [`endpoints have no description; it was ${quoted(description, 200)}`];
}

/** Returns the monitor's proxy. Like Kuma, ignores a disabled one. */
function proxyOf(monitor: Row, proxies: readonly Row[]): string | null {
  const id = monitor.text('proxyId');
  if (id === '' || id === '0') return null;
  const proxy = proxies.find((one) => one.id === id);
  if (proxy && !isActive(proxy)) return null;
  return `it is checked directly, not through ${proxy ? `the proxy ${proxyAddress(proxy)}` : `proxy #${id}`}`;
}

/** Returns a proxy URL without its password. */
export const proxyAddress = (proxy: Row): string =>
  `${proxy.text('protocol') || 'http'}://${proxy.text('host')}:${proxy.text('port')}`;
