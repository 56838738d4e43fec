/** The most likely meaning of a pasted URL. `website` is the site it belongs to: a host and an HTTP(S) URL. */
export interface Guess {
  type: string;
  url: string;
  name: string;
  website: { host: string; url: string };
}

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/;
const HOST = /^(\[[\da-fA-F:.]+\]|[\p{L}\p{N}_.-]+)$/u;
const PORT_TYPES: Record<string, [type: string, scheme: string]> = {
  '22': ['SSH', 'ssh'],
  '80': ['HTTP', 'http'],
  '443': ['HTTPS', 'https'],
  '8080': ['HTTP', 'http'],
  '8443': ['HTTPS', 'https'],
};

/** The types of URLs that no browser opens, by scheme. */
const SCHEME_TYPES: Record<string, string> = {
  tcp: 'TCP',
  udp: 'UDP',
  ssh: 'SSH',
  icmp: 'ICMP',
  dns: 'DNS',
  ws: 'WEBSOCKET',
  wss: 'WEBSOCKET',
  grpc: 'GRPC',
  grpcs: 'GRPC',
  redis: 'REDIS',
  rediss: 'REDIS',
  postgres: 'POSTGRES',
  postgresql: 'POSTGRES',
  domain: 'DOMAIN',
};

function guess(type: string, url: string, host: string, name: string, siteUrl = `http://${host}/`): Guess {
  return { type, url, name: name.replace(/^www\./, ''), website: { host: host.replace(/^www\./, ''), url: siteUrl } };
}

function ofWebUrl(text: string): Guess | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const name = `${url.host}${url.pathname === '/' ? '' : url.pathname}`;
  return guess(url.protocol === 'https:' ? 'HTTPS' : 'HTTP', url.href, url.hostname, name, `${url.origin}/`);
}

function ofScheme(scheme: string, rest: string, text: string): Guess | null {
  const type = SCHEME_TYPES[scheme];
  const [name = ''] = rest.replace(/^\/\//, '').split('?');
  const host = (scheme === 'dns' ? name.split('/').at(-1) : name.split('/')[0]?.replace(/:\d+$/, '')) ?? '';
  if (type === undefined || host === '') return null;
  return guess(type, text, host, `${name.replace(/\/$/, '')} ${type}`);
}

/**
 * Returns the website for a URL, even if nothing else can be guessed because of an invalid port or an unknown scheme.
 */
export function siteOf(input: string): Guess['website'] {
  const [, host = ''] = /^(?:[a-z]+:)?\/*(\[[^\]]*\]|[^:/?#\s]*)/i.exec(input.trim()) ?? [];
  return guessEndpoint(input)?.website ?? { host, url: host && `http://${host}/` };
}

/**
 * Guesses an endpoint from a URL, `host:port`, IP address, or hostname. Returns `null` for other text. Doesn't use the
 * network.
 */
export function guessEndpoint(input: string): Guess | null {
  const text = input.trim();
  if (/^https?:\/\//i.test(text)) return ofWebUrl(text);
  const [, scheme, rest] = /^([a-z]+):(.+)$/i.exec(text) ?? [];
  if (scheme !== undefined && rest !== undefined && Object.hasOwn(SCHEME_TYPES, scheme.toLowerCase()))
    return ofScheme(scheme.toLowerCase(), rest, text);
  if (text.includes('://')) return null;
  if (text.includes('/')) return ofWebUrl(`https://${text}`);
  const [, host = text, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (!HOST.test(host) || (port !== undefined && Number(port) > 65_535)) return null;
  if (port !== undefined) {
    const [type, webScheme] = PORT_TYPES[port] ?? ['TCP', 'tcp'];
    if (type === 'HTTP' || type === 'HTTPS') return ofWebUrl(`${webScheme}://${text}/`);
    return guess(type, `${webScheme}://${text}`, host, `${host} ${type === 'SSH' ? 'SSH' : `port ${port}`}`);
  }
  if (IPV4.test(host) || host.startsWith('[')) return guess('ICMP', `icmp://${host}`, host, `${host} ping`);
  return host.includes('.') || host === 'localhost' ? ofWebUrl(`https://${host}/`) : null;
}
