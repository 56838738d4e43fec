import { isByHttps } from './same-origin';

const PUBLIC = 'uptime.example.com';
const PORT = 3000;

/** Host names in requests to the service: the public name, two names for this machine, and another name. */
const HOSTS = {
  public: PUBLIC,
  'by address': `127.0.0.1:${PORT}`,
  localhost: `localhost:${PORT}`,
  network: `nas.lan:${PORT}`,
} as const;
type Host = keyof typeof HOSTS;

/** The origin that the browser sends in `Origin`. `own`: the same host, over http. */
const ORIGINS = {
  none: () => undefined,
  public: () => `https://${PUBLIC}`,
  own: (host: string) => `http://${host}`,
  other: () => 'https://evil.example',
} as const;
type OriginKind = keyof typeof ORIGINS;

/** The protocol that the proxy reports: none, http, or https. */
const PROTOCOLS = ['', 'http', 'https'] as const;

/**
 * For each combination of PUBLIC_URL, Host, and Origin, the three results for `PROTOCOLS`: S for https cookies, p for
 * plain cookies. The code doesn't compile if a cell is missing.
 */
const TABLE: Readonly<Record<'https' | 'http' | 'none', Readonly<Record<Host, Readonly<Record<OriginKind, string>>>>>> =
  {
    https: {
      public: { none: 'SSS', public: 'SSS', own: 'SSS', other: 'SSS' },
      'by address': { none: 'ppS', public: 'SSS', own: 'ppp', other: 'ppS' },
      localhost: { none: 'ppS', public: 'SSS', own: 'ppp', other: 'ppS' },
      network: { none: 'SSS', public: 'SSS', own: 'SSS', other: 'SSS' },
    },
    http: {
      public: { none: 'ppS', public: 'SSS', own: 'ppp', other: 'ppS' },
      'by address': { none: 'ppS', public: 'ppS', own: 'ppp', other: 'ppS' },
      localhost: { none: 'ppS', public: 'ppS', own: 'ppp', other: 'ppS' },
      network: { none: 'ppS', public: 'ppS', own: 'ppp', other: 'ppS' },
    },
    none: {
      public: { none: 'ppS', public: 'SSS', own: 'ppp', other: 'ppS' },
      'by address': { none: 'ppS', public: 'ppS', own: 'ppp', other: 'ppS' },
      localhost: { none: 'ppS', public: 'ppS', own: 'ppp', other: 'ppS' },
      network: { none: 'ppS', public: 'ppS', own: 'ppp', other: 'ppS' },
    },
  };
const PUBLIC_ORIGINS = { https: `https://${PUBLIC}`, http: `http://${PUBLIC}`, none: null } as const;

const ROWS = (Object.keys(TABLE) as (keyof typeof TABLE)[]).flatMap((publicUrl) =>
  (Object.keys(HOSTS) as Host[]).flatMap((host) =>
    (Object.keys(ORIGINS) as OriginKind[]).map((origin) => ({
      publicUrl,
      host,
      origin,
      expected: TABLE[publicUrl][host][origin],
    })),
  ),
);

describe('isByHttps', () => {
  it.each(ROWS)('with PUBLIC_URL $publicUrl, Host $host and Origin $origin says $expected', (row) => {
    const host = HOSTS[row.host];
    const answers = PROTOCOLS.map((forwarded) =>
      isByHttps(
        { isEncrypted: false, host, origin: ORIGINS[row.origin](host), forwarded, site: undefined },
        PUBLIC_ORIGINS[row.publicUrl],
      ),
    );
    expect(answers.map((isSecure) => (isSecure ? 'S' : 'p')).join('')).toBe(row.expected);
  });

  it.each([
    ['a browser says where it came from, to another host', { host: HOSTS.network, site: 'same-origin' }, true],
    ['a browser says where it came from, to this machine', { host: HOSTS.localhost, site: 'same-origin' }, false],
    ['TLS ends here', { host: HOSTS.localhost, isEncrypted: true }, true],
    ['there is no Host', { host: undefined }, false],
  ])('without PUBLIC_URL, when %s', (_, arrival, expected) => {
    const silent = { isEncrypted: false, host: undefined, origin: undefined, forwarded: '', site: undefined };
    expect(isByHttps({ ...silent, ...arrival }, null)).toBe(expected);
  });
});
