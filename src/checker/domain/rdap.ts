import { isRecord } from '../../platform/text/json';
import { cut } from '../../platform/text/text-limits';

/** The registration of a domain, as its registry publishes it. */
export interface Registration {
  /** In milliseconds since the epoch, or `null` if the registry publishes no date. */
  expiresMs: number | null;
  registrar: string | null;
}

const MAX_EVENTS = 50;
const MAX_NAME = 100;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
};

const listIn = (value: unknown, key: string): readonly unknown[] => {
  const list = isRecord(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.slice(0, MAX_EVENTS) : [];
};

/** Reads the answer of an RDAP server about a domain (RFC 9083). Returns `null` if it isn't one about this domain. */
export function readRegistration(text: string, domain: string): Registration | null {
  const answer = parsed(text);
  if (!isRecord(answer) || answer['objectClassName'] !== 'domain') return null;
  const names = [answer['ldhName'], answer['unicodeName']].filter((name) => typeof name === 'string');
  if (!names.some((name) => name.toLowerCase().replace(/\.$/, '') === domain)) return null;
  const expiry = listIn(answer, 'events').find((event) => isRecord(event) && event['eventAction'] === 'expiration');
  const date = isRecord(expiry) && typeof expiry['eventDate'] === 'string' ? Date.parse(expiry['eventDate']) : NaN;
  return { expiresMs: Number.isFinite(date) ? date : null, registrar: registrarIn(answer) };
}

function registrarIn(answer: unknown): string | null {
  const entity = listIn(answer, 'entities').find((one) => listIn(one, 'roles').includes('registrar'));
  const card = isRecord(entity) && Array.isArray(entity['vcardArray']) ? (entity['vcardArray'] as unknown[])[1] : null;
  const name = listIn({ card }, 'card').find((one) => Array.isArray(one) && one[0] === 'fn');
  const text = Array.isArray(name) ? (name as unknown[])[3] : null;
  // oxlint-disable-next-line no-control-regex -- control characters are what is being removed.
  return typeof text === 'string' ? cut(text.replace(/[\0-\x1f\x7f]/g, ' '), MAX_NAME) : null;
}

/** Returns the URL of the RDAP server for a top-level domain in the list of IANA (RFC 9224), or `null`. */
export function serverFor(list: string, domain: string): string | null {
  const suffix = domain.split('.').at(-1) ?? '';
  const services = parsed(list);
  const all = isRecord(services) && Array.isArray(services['services']) ? (services['services'] as unknown[]) : [];
  for (const service of all) {
    const [suffixes, urls] = Array.isArray(service) ? (service as unknown[]) : [];
    if (!Array.isArray(suffixes) || !suffixes.includes(suffix) || !Array.isArray(urls)) continue;
    const url: unknown = urls.find((one) => typeof one === 'string' && one.startsWith('https://'));
    return typeof url === 'string' ? url : null;
  }
  return null;
}
