import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { Checker, CheckPhase, CheckRequest, ErrorCode, Outcome } from '../../../src/checker/checker';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { HttpsChecker } from '../../../src/checker/http/http.checker';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import type { ResolverOptions } from '../../../src/platform/net/dns/host-resolver';
import { DeafPort } from '../../harness/servers/deaf-port';
import { type DnsScript, DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { always, rawResponse, type HttpScript, HttpTarget } from '../../../packages/testing/servers/http-target';
import { itOverIpv6, whyNotOverIpv6 } from '../../harness/machine/loopback';
import { dialerWith, egressWithout } from '../../../packages/testing/checker/network';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { selfSigned, TlsAuthority } from '../../harness/servers/tls-authority';
import { runCheck } from '../../../packages/testing/checker/describe-checker';
import { drip, hostileScripts } from './http-hostility';

type Type = 'HTTP' | 'HTTPS' | 'TCP';

/** The target of a check, and its differences from the defaults. */
interface Scenario extends Partial<CheckRequest<unknown>> {
  url: string;
  resolver?: ResolverOptions;
  timeoutMs?: number;
}

interface Cause {
  cause: string;
  type: Type;
  make: () => Promise<Scenario>;
  outcome: Outcome;
  code: ErrorCode;
  phase: CheckPhase;
}

const closers: (() => unknown)[] = [];
let authority: TlsAuthority;
let stranger: TlsAuthority;

const kept = <T extends { close(): unknown }>(thing: T): T => {
  closers.push(() => thing.close());
  return thing;
};

const web = async (script: HttpScript, path = '/', tls?: TlsOptions): Promise<string> =>
  kept(await HttpTarget.listen(script, tls ? { tls } : {})).url(path);
const tcp = async (script: (socket: Socket) => void, tls?: TlsOptions): Promise<string> =>
  kept(await TcpTarget.listen(script, tls ? { tls } : {})).authority;
const nameServer = async (script: DnsScript): Promise<ResolverOptions> => {
  const server = await DnsTestServer.start(script);
  closers.push(() => server.stop());
  return { servers: [server.address] };
};
const deaf = async (): Promise<string> => `127.0.0.1:${kept(await DeafPort.open()).port}`;

/** Answers only the query that every resolver can answer. */
const onlyTheRoot: DnsScript = ({ name, type }) =>
  type === 'NS' && (name === '.' || name === '')
    ? { answers: [{ type: 'NS', name: '.', ttl: 60, data: 'a.root-servers.net' }] }
    : null;
const rcode =
  (code: number): DnsScript =>
  () => ({ rcode: code });
const pointsTo =
  (...addresses: string[]): DnsScript =>
  ({ name, type }) => ({
    answers: addresses
      .filter((address) => (type === 'AAAA') === address.includes(':'))
      .map((data) => ({ type: type === 'AAAA' ? 'AAAA' : 'A', name, ttl: 0, data })),
  });

const HEAD = 'HTTP/1.1 200 OK\r\n';
/** Long enough, even on a busy machine, for the phases before the one that must time out. */
const SHORT = { timeoutMs: 800 };
/** Long enough for the query of the resolver, which is sent after 400 ms. */
const DNS_PATIENCE = { timeoutMs: 1500 };
const hostile = (name: string): HttpScript => {
  const found = hostileScripts.find((script) => script.name === name);
  if (!found) throw new Error(`there is no hostile script "${name}"`);
  return found.script;
};

const down = (type: Type, cause: string, code: ErrorCode, phase: CheckPhase, make: Cause['make']): Cause => ({
  cause,
  type,
  make,
  outcome: 'down',
  code,
  phase,
});
const ours = (type: Type, cause: string, code: ErrorCode, phase: CheckPhase, make: Cause['make']): Cause => ({
  cause,
  type,
  make,
  outcome: 'unknown',
  code,
  phase,
});

const lookups: Cause[] = (['HTTP', 'TCP'] as const).flatMap((type) => {
  const url = type === 'HTTP' ? 'http://www.example.com/' : 'www.example.com:80';
  const with_ = (script: DnsScript) => async () => ({ url, resolver: await nameServer(script), ...DNS_PATIENCE });
  return [
    down(type, 'a name that does not exist', 'dns_not_found', 'dns', with_(rcode(3))),
    down(type, 'a name without an address', 'dns_not_found', 'dns', with_(rcode(0))),
    down(type, 'a name server that fails', 'dns_failure', 'dns', with_(rcode(2))),
    down(type, 'a name whose servers are silent', 'dns_timeout', 'dns', with_(onlyTheRoot)),
    ours(type, 'a resolver that refuses us', 'monitor_offline', 'dns', with_(rcode(5))),
    ours(
      type,
      'a resolver that is silent',
      'monitor_offline',
      'dns',
      with_(() => null),
    ),
    ours(type, 'a resolver that is not there', 'monitor_offline', 'dns', async () => ({
      url,
      resolver: { servers: [`127.0.0.1:${await closedPort()}`] },
    })),
    ours(type, 'a name that leads to a refused address', 'target_blocked', 'connect', async () => ({
      url,
      resolver: await nameServer(pointsTo('127.0.0.66')),
      egress: egressWithout('127.0.0.66'),
    })),
    ours(type, 'a name with one refused address among good ones', 'target_blocked', 'connect', async () => ({
      url,
      resolver: await nameServer(pointsTo('127.0.0.1', '127.0.0.66')),
      egress: egressWithout('127.0.0.66'),
    })),
    ours(type, 'the name of a metadata service', 'target_blocked', 'dns', async () => ({
      url: url.replace('www.example.com', 'metadata.google.internal'),
    })),
  ];
});

const connections: Cause[] = [
  down('TCP', 'a closed port', 'connection_refused', 'connect', async () => ({
    url: `127.0.0.1:${await closedPort()}`,
  })),
  down('HTTP', 'a closed port', 'connection_refused', 'connect', async () => ({
    url: `http://127.0.0.1:${await closedPort()}/`,
  })),
  down('TCP', 'packets that are never answered', 'connection_timeout', 'connect', async () => ({
    url: await deaf(),
    ...SHORT,
  })),
  down('HTTP', 'packets that are never answered', 'connection_timeout', 'connect', async () => ({
    url: `http://${await deaf()}/`,
    ...SHORT,
  })),
  ours('TCP', 'an address that is refused', 'target_blocked', 'connect', async () => ({
    url: await tcp(silence),
    egress: egressWithout('127.0.0.1'),
  })),
];

const overIpv6: Cause[] = [
  down('HTTPS', 'a closed port over IPv6', 'connection_refused', 'connect', async () => ({
    url: `https://[::1]:${await closedPort('::1')}/`,
  })),
];

const certificates: Cause[] = [
  down('HTTPS', 'an expired certificate', 'tls_expired', 'tls', async () => ({
    url: await web(always(rawResponse(200)), '/', await authority.issue({ fromDays: -30, untilDays: -1 })),
  })),
  down('HTTPS', 'a certificate of the future', 'tls_not_yet_valid', 'tls', async () => ({
    url: await web(always(rawResponse(200)), '/', await authority.issue({ fromDays: 1 })),
  })),
  down('HTTPS', 'a certificate for another name', 'tls_hostname_mismatch', 'tls', async () => ({
    url: await web(always(rawResponse(200)), '/', await authority.issue({ names: ['other.example'] })),
  })),
  down('HTTPS', 'a self-signed certificate', 'tls_untrusted', 'tls', async () => ({
    url: await web(always(rawResponse(200)), '/', await selfSigned()),
  })),
  down('HTTPS', 'an authority nobody knows', 'tls_untrusted', 'tls', async () => ({
    url: await web(always(rawResponse(200)), '/', await stranger.issue()),
  })),
  down('HTTPS', 'a chain with a missing link', 'tls_untrusted', 'tls', async () => ({
    url: await web(always(rawResponse(200)), '/', await authority.issueWithoutIntermediate()),
  })),
  down('HTTPS', 'TLS 1.0 only', 'tls_handshake_failed', 'tls', async () => ({
    url: await web(always(rawResponse(200)), '/', {
      ...(await authority.issue()),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    }),
  })),
  down('HTTPS', 'a server that demands our certificate', 'tls_handshake_failed', 'tls', async () => ({
    url: await web(always(rawResponse(200)), '/', {
      ...(await authority.issue()),
      requestCert: true,
      rejectUnauthorized: true,
      maxVersion: 'TLSv1.2',
    }),
  })),
  down('HTTPS', 'plain HTTP on the TLS port', 'tls_handshake_failed', 'tls', async () => ({
    url: `https://${await tcp((socket) => socket.on('data', () => socket.end(rawResponse(400))))}/`,
  })),
  down('HTTPS', 'an end in the middle of the handshake', 'tls_handshake_failed', 'tls', async () => ({
    url: `https://${await tcp((socket) => socket.once('data', () => socket.end()))}/`,
  })),
  down('HTTPS', 'a reset in the middle of the handshake', 'connection_reset', 'tls', async () => ({
    url: `https://${await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))}/`,
  })),
  down('HTTPS', 'a handshake that hangs', 'tls_timeout', 'tls', async () => ({
    url: `https://${await tcp(silence)}/`,
    ...SHORT,
  })),
];

const answers: Cause[] = [
  down('HTTP', 'silence after the request', 'first_byte_timeout', 'first_byte', async () => ({
    url: await web(() => {}),
    ...SHORT,
  })),
  down('HTTPS', 'silence after the request', 'first_byte_timeout', 'first_byte', async () => ({
    url: await web(() => {}, '/', await authority.issue()),
    ...SHORT,
  })),
  down('HTTP', 'a server that reads nothing', 'first_byte_timeout', 'first_byte', async () => ({
    url: `http://${await tcp((socket) => socket.pause())}/`,
    method: 'POST',
    body: 'x'.repeat(65_536),
    ...SHORT,
  })),
  down('HTTP', 'headers at one byte a time', 'first_byte_timeout', 'first_byte', async () => ({
    url: await web(hostile('headers one byte at a time')),
    ...SHORT,
  })),
  down('HTTP', 'interim answers without end', 'first_byte_timeout', 'first_byte', async () => ({
    url: await web(hostile('interim answers without end')),
    ...SHORT,
  })),
  down('HTTP', 'a reset instead of a response', 'connection_reset', 'first_byte', async () => ({
    url: await web((_request, socket) => socket.resetAndDestroy()),
  })),
  down('HTTP', 'an end instead of a response', 'protocol_error', 'first_byte', async () => ({
    url: await web((_request, socket) => socket.end()),
  })),
  down('HTTP', 'a bad status line', 'protocol_error', 'first_byte', async () => ({
    url: await web(hostile('a bad status line')),
  })),
  down('HTTP', 'another protocol', 'protocol_error', 'first_byte', async () => ({
    url: await web(hostile('another protocol')),
  })),
  down('HTTP', 'a hundred thousand headers', 'protocol_error', 'first_byte', async () => ({
    url: await web(hostile('a hundred thousand headers')),
  })),
  down('HTTP', 'a header of one megabyte', 'protocol_error', 'first_byte', async () => ({
    url: await web(hostile('a header of one megabyte')),
  })),
  down('HTTP', 'a length and chunks at once', 'protocol_error', 'first_byte', async () => ({
    url: await web(hostile('a length and chunks at once')),
  })),
  down('HTTP', 'a TLS server on the plain port', 'protocol_error', 'first_byte', async () => ({
    url: (await web(always(rawResponse(200)), '/', await authority.issue())).replace('https:', 'http:'),
  })),
  down('HTTP', 'a status that is no success', 'status_unexpected', 'first_byte', async () => ({
    url: await web(always(rawResponse(503))),
  })),
  down('HTTPS', 'a status that is no success', 'status_unexpected', 'first_byte', async () => ({
    url: await web(always(rawResponse(404)), '/', await authority.issue()),
  })),
  down('HTTP', 'a redirect that is not to be followed', 'status_unexpected', 'first_byte', async () => ({
    url: await web(always(rawResponse(301, '', { Location: '/elsewhere' }))),
    followRedirects: false,
  })),
];

const bodies: Cause[] = [
  down('HTTP', 'a body that hangs', 'body_timeout', 'transfer', async () => ({
    url: await web((_request, socket) => socket.write(`${HEAD}Content-Length: 10\r\n\r\nhalf`)),
    ...SHORT,
  })),
  down('HTTP', 'a body at one byte a time', 'body_timeout', 'transfer', async () => ({
    url: await web((_request, socket) => {
      socket.write(`${HEAD}Content-Length: 100000\r\n\r\n`);
      drip(socket, 'x'.repeat(1000));
    }),
    ...SHORT,
  })),
  down('HTTP', 'a reset in the body', 'connection_reset', 'transfer', async () => ({
    url: await web((_request, socket) =>
      socket.write(`${HEAD}Content-Length: 10\r\n\r\nhalf`, () => setTimeout(() => socket.resetAndDestroy(), 50)),
    ),
  })),
  down('HTTP', 'a body that is cut', 'protocol_error', 'transfer', async () => ({
    url: await web(hostile('a body that is cut')),
  })),
  down('HTTP', 'a chunk that is no number', 'protocol_error', 'transfer', async () => ({
    url: await web(hostile('a chunk that is no number')),
  })),
  down('HTTP', 'a compression bomb that has to be opened', 'protocol_error', 'transfer', async () => ({
    url: await web(
      always(Buffer.concat([Buffer.from(`${HEAD}Content-Encoding: gzip\r\n\r\n`), gzipSync(Buffer.alloc(50_000_000))])),
    ),
    assertions: [{ source: 'body', comparison: 'contains', target: 'x' }],
  })),
  down('HTTP', 'an encoding nobody asked for', 'protocol_error', 'transfer', async () => ({
    url: await web(always(`${HEAD}Content-Encoding: zstd\r\nContent-Length: 2\r\n\r\nhi`)),
    assertions: [{ source: 'body', comparison: 'contains', target: 'x' }],
  })),
  down('HTTP', 'a body without the expected word', 'assertion_failed', 'assertion', async () => ({
    url: await web(always(rawResponse(200, 'all is lost'))),
    assertions: [{ source: 'body', comparison: 'contains', target: 'all is well' }],
  })),
  down('HTTP', 'a JSON value that differs', 'assertion_failed', 'assertion', async () => ({
    url: await web(always(rawResponse(200, '{"status":"failing"}'))),
    assertions: [{ source: 'json', property: '$.status', comparison: 'equals', target: 'passing' }],
  })),
  down('HTTPS', 'a certificate that expires too soon', 'assertion_failed', 'assertion', async () => ({
    url: await web(always(rawResponse(200)), '/', await authority.issue({ untilDays: 5 })),
    assertions: [{ source: 'certificate_days', comparison: 'greater_than', target: '14' }],
  })),
];

const redirects: Cause[] = [
  down('HTTP', 'a redirect loop', 'too_many_redirects', 'transfer', async () => ({
    url: await web(always(rawResponse(302, '', { Location: '/' }))),
  })),
  down('HTTP', 'a redirect to a file', 'protocol_error', 'transfer', async () => ({
    url: await web(always(rawResponse(302, '', { Location: 'file:///etc/passwd' }))),
  })),
  down('HTTP', 'a redirect to gopher', 'protocol_error', 'transfer', async () => ({
    url: await web(always(rawResponse(302, '', { Location: 'gopher://127.0.0.1:6379/_INFO' }))),
  })),
  ours('HTTP', 'a redirect to a refused address', 'target_blocked', 'connect', async () => ({
    url: await web(always(rawResponse(302, '', { Location: 'http://169.254.169.254/latest/meta-data/' }))),
    egress: egressWithout('169.254.169.254'),
  })),
  ours('HTTP', 'a redirect to a refused address in another notation', 'target_blocked', 'connect', async () => ({
    url: await web(always(rawResponse(302, '', { Location: 'http://0xa9fea9fe/' }))),
    egress: egressWithout('169.254.169.254'),
  })),
  ours('HTTP', 'a redirect to the name of a metadata service', 'target_blocked', 'dns', async () => ({
    url: await web(always(rawResponse(302, '', { Location: 'http://metadata.google.internal/' }))),
  })),
  down('HTTP', 'a redirect to a closed port', 'connection_refused', 'connect', async () => {
    const port = await closedPort();
    return { url: await web(always(rawResponse(302, '', { Location: `http://127.0.0.1:${port}/` }))) };
  }),
];

const causes = [...lookups, ...connections, ...certificates, ...answers, ...bodies, ...redirects];

function checkerOf(type: Type, resolver: ResolverOptions | undefined): Checker {
  const dialer = dialerWith({ roots: [authority.rootPem], ...resolver });
  switch (type) {
    case 'HTTP':
      return new HttpChecker(new HttpCheck(dialer));
    case 'HTTPS':
      return new HttpsChecker(new HttpCheck(dialer));
    case 'TCP':
      return new TcpChecker(dialer);
    default:
      return type satisfies never;
  }
}

beforeAll(async () => {
  [authority, stranger] = await Promise.all([TlsAuthority.create(), TlsAuthority.create('Somebody Else')]);
});
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

describe('The causes of a failure', () => {
  it('are at least forty', () => {
    expect(causes.length).toBeGreaterThanOrEqual(40);
  });

  const judge = async ({ type, make, outcome, code, phase }: Cause) => {
    const { url, resolver, ...options } = await make();
    const { error, ...result } = await runCheck(checkerOf(type, resolver), url, options);
    expect({ outcome: result.outcome, code: error?.code, phase: error?.phase }).toEqual({ outcome, code, phase });
  };
  it.each(causes)('$type, $cause: $outcome, $code in $phase', judge);
  itOverIpv6.each(overIpv6)(`$type, $cause: $outcome, $code in $phase${whyNotOverIpv6}`, judge);
});
