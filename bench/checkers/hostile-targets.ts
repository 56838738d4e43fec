/**
 * Targets for the memory benchmark: well-behaved ones for all six types, and the worst cases from the contract suites.
 * The first argument selects the part that this process serves, so that targets that send endlessly slow down only each
 * other. The second argument is `isolated` in a network namespace created by `own-network.mjs`. The process exits when
 * its parent does.
 */
import type { TlsOptions } from 'node:tls';
import { type DnsScript, DnsTestServer } from '../../packages/testing/servers/dns-server';
import { HttpTarget, always, rawResponse } from '../../packages/testing/servers/http-target';
import { Ssh2Server } from '../../packages/testing/servers/ssh-server';
import { closedPort, silence, slam, TcpTarget } from '../../packages/testing/servers/tcp-target';
import { selfSigned, TlsAuthority } from '../../test/harness/servers/tls-authority';
import { hostileScripts } from '../../test/contract/checker/http-hostility';
import { HOST_NAMES, hostileOwnResolvers, hostileResolvers, hostNames, NAME } from './hostile-dns';
import { startHostileHosts } from './hostile-icmp';
import { hostileSsh, hostileTcp } from './hostile-streams';

/** A target, and how it is checked. */
export interface BenchTarget {
  type: 'HTTP' | 'HTTPS' | 'TCP' | 'DNS' | 'ICMP' | 'SSH';
  name: string;
  url: string;
  /** DNS: the resolvers to use instead of the machine's resolvers, in the form `address:port`. */
  resolvers?: string[];
  /** ICMP: the only transport to use. */
  transport?: string;
  /** HTTP(S): the check reads the body, for an assertion. */
  wantsBody?: boolean;
  /** The egress policy refuses every address. */
  refused?: boolean;
  /** The monitor shuts down in the middle of the check. */
  interrupted?: boolean;
}

/** Addresses in `own-network.mjs` where packets vanish, no host has the address, or there is no route. */
const NOWHERE = {
  'a silent host': '10.99.0.9',
  'an absent host': '10.99.0.7',
  'a network without route': '198.51.100.1',
};

/** Below the ephemeral ports, because a connection whose source port is the refusing port would connect to itself. */
const REFUSING_PORT = 1;

/** In the namespace, the kernel replies only to IPv6 echo requests. */
const isIsolated = process.argv[3] === 'isolated';

async function hostileWeb(authority: TlsAuthority, tls: TlsOptions): Promise<BenchTarget[]> {
  const targets: BenchTarget[] = [];
  for (const { name, script } of hostileScripts) {
    const plain = await HttpTarget.listen(script);
    const secure = await HttpTarget.listen(script, { tls });
    for (const wantsBody of [false, true]) {
      targets.push({ type: 'HTTP', name, url: plain.url(), wantsBody });
      targets.push({ type: 'HTTPS', name, url: secure.url(), wantsBody });
    }
  }
  const expired = await authority.issue({ untilDays: -1, fromDays: -9 });
  for (const [name, identity] of Object.entries({
    'an expired certificate': expired,
    'self-signed': await selfSigned(),
  })) {
    const target = await HttpTarget.listen(always(rawResponse(200)), { tls: identity });
    targets.push({ type: 'HTTPS', name, url: target.url() });
  }
  const mute = await TcpTarget.listen(silence);
  const broken = await TcpTarget.listen((socket) => socket.once('data', () => slam(socket)));
  targets.push({ type: 'HTTPS', name: 'a mute handshake', url: `https://${mute.authority}/` });
  targets.push({ type: 'HTTPS', name: 'a handshake cut off', url: `https://${broken.authority}/` });
  return targets;
}

async function resolversOf(scripts: Record<string, DnsScript>): Promise<[name: string, server: DnsTestServer][]> {
  const started = Object.entries(scripts).map(async ([name, script]) => [name, await withoutLog(script)] as const);
  return (await Promise.all(started)).map(([name, server]) => [name, server]);
}

/** Keeps no list of questions, because it would grow during the run. */
async function withoutLog(script: DnsScript): Promise<DnsTestServer> {
  const server: DnsTestServer = await DnsTestServer.start((question) => {
    server.asked.length = 0;
    return script(question);
  });
  return server;
}

async function hostileDns(): Promise<BenchTarget[]> {
  const named = (await resolversOf(hostileResolvers)).map(([name, server]): BenchTarget => ({
    type: 'DNS',
    name,
    url: server.target(NAME),
  }));
  const own = (await resolversOf(hostileOwnResolvers)).map(([name, { address: place }]): BenchTarget => ({
    type: 'DNS',
    name: `of its own: ${name}`,
    url: NAME,
    resolvers: [place],
  }));
  const withoutTcp = await withoutLog(() => ({ truncated: true }));
  await withoutTcp.stopTcp();
  const closed = `127.0.0.1:${await closedPort()}`;
  return [
    ...named,
    ...own,
    { type: 'DNS', name: 'TCP refused', url: withoutTcp.target(NAME) },
    { type: 'DNS', name: 'nothing listens', url: `dns://${closed}/${NAME}` },
    { type: 'DNS', name: 'of its own: nothing listens', url: NAME, resolvers: [closed] },
    { type: 'DNS', name: 'of its own: none', url: NAME, resolvers: [] },
  ];
}

async function hostileStreams(): Promise<BenchTarget[]> {
  const targets: BenchTarget[] = [];
  for (const [type, scripts] of [['SSH', hostileSsh] as const, ['TCP', hostileTcp] as const]) {
    for (const [name, script] of Object.entries(scripts)) {
      targets.push({ type, name, url: (await TcpTarget.listen(script)).authority });
    }
    targets.push({ type, name: 'nothing listens', url: `127.0.0.1:${await closedPort()}` });
  }
  return targets;
}

const ICMP_TRANSPORTS = ['datagram socket', 'raw socket'];

function hostileHosts(): BenchTarget[] {
  if (!isIsolated) return [];
  const hosts = startHostileHosts();
  if (typeof hosts === 'string') {
    process.stderr.write(`No hostile ICMP hosts: ${hosts}\n`);
    return [];
  }
  return ICMP_TRANSPORTS.flatMap((transport) =>
    hosts.map(({ name, address }): BenchTarget => ({
      type: 'ICMP',
      name: `${name} (${transport})`,
      url: address,
      transport,
    })),
  );
}

/** Returns a target for every type at `host`, with the port where the type has one. */
const everyType = (host: string, port: number, fields: Pick<BenchTarget, 'name' | 'refused' | 'interrupted'>) => [
  { type: 'HTTP' as const, url: `http://${host}:${port}/`, ...fields },
  { type: 'HTTPS' as const, url: `https://${host}:${port}/`, ...fields },
  { type: 'TCP' as const, url: `${host}:${port}`, ...fields },
  { type: 'DNS' as const, url: `dns://${host}:${port}/${NAME}`, ...fields },
  { type: 'ICMP' as const, url: host, ...fields },
  { type: 'SSH' as const, url: `${host}:${port}`, ...fields },
];

/** A target with weight two is checked twice as often. */
async function ordinary(tls: TlsOptions): Promise<(BenchTarget & { weight: number })[]> {
  const page = always(rawResponse(200, 'x'.repeat(2048)));
  const [up, secure] = [await HttpTarget.listen(page), await HttpTarget.listen(page, { tls })];
  const redirecting = await HttpTarget.listen(({ path }, socket) =>
    socket.end(path === '/' ? rawResponse(302, '', { Location: '/landing' }) : rawResponse(200)),
  );
  const mute = await TcpTarget.listen(silence);
  const resolver = await withoutLog(() => ({ answers: [{ type: 'A', name: NAME, ttl: 60, data: '192.0.2.1' }] }));
  const ssh = await Ssh2Server.start();
  return [
    { type: 'HTTP', name: 'up', url: up.url(), weight: 9 },
    { type: 'HTTP', name: 'redirecting', url: redirecting.url(), weight: 3 },
    { type: 'HTTP', name: 'by name', url: up.url('/', 'fine.example.com'), weight: 1 },
    { type: 'HTTP', name: 'refusing', url: `http://127.0.0.1:${REFUSING_PORT}/`, weight: 2 },
    { type: 'HTTPS', name: 'up', url: secure.url(), weight: 3 },
    { type: 'TCP', name: 'up', url: mute.authority, weight: 8 },
    { type: 'DNS', name: 'up', url: resolver.target(NAME), weight: 8 },
    { type: 'ICMP', name: 'up', url: isIsolated ? '::1' : '127.0.0.1', weight: 5 },
    { type: 'SSH', name: 'up', url: `127.0.0.1:${ssh.port}`, weight: 1 },
  ];
}

async function hostileOthers(): Promise<BenchTarget[]> {
  const mute = await TcpTarget.listen(silence);
  return [
    ...(await hostileDns()),
    ...(await hostileStreams()),
    ...hostileHosts(),
    ...HOST_NAMES.flatMap((name) => everyType(name, mute.port, { name })),
    ...(isIsolated ? Object.entries(NOWHERE).flatMap(([name, host]) => everyType(host, 9, { name })) : []),
    ...everyType('127.0.0.1', mute.port, { name: 'refused by the egress policy', refused: true }),
    ...everyType('127.0.0.1', mute.port, { name: 'a shutdown', interrupted: true }),
  ];
}

/** The message sent to the parent process. */
interface Part {
  targets: BenchTarget[];
  /** An authority to trust, in PEM format. */
  root?: string;
  /** The DNS server for hostnames, in the form `address:port`. */
  nameServer?: string;
}

async function start(part: string | undefined): Promise<Part> {
  // Two roots with the same name would be mistaken for each other.
  const authority = await TlsAuthority.create(`Root of ${part}`);
  const tls = await authority.issue();
  const root = authority.rootPem;
  switch (part) {
    case 'ordinary':
      return { targets: await ordinary(tls), root };
    case 'web':
      return { targets: await hostileWeb(authority, tls), root };
    case 'others':
      return { targets: await hostileOthers(), nameServer: (await withoutLog(hostNames)).address };
    default:
      throw new Error(`there is no part "${part}"`);
  }
}

process.on('disconnect', () => process.exit());
start(process.argv[2]).then(
  (part) => process.send?.(part),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
