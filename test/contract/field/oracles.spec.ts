/** @lane slow */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checker } from '../../../src/checker/checker';
import { DnsChecker } from '../../../src/checker/dns/dns.checker';
import { SystemResolvers } from '../../../src/checker/dns/system-resolvers';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { IcmpTransports } from '../../../src/checker/icmp/icmp-transports';
import { IcmpChecker } from '../../../src/checker/icmp/icmp.checker';
import { SshChecker } from '../../../src/checker/ssh/ssh.checker';
import { TcpChecker } from '../../../src/checker/tcp/tcp.checker';
import { startDeadline } from '../../../src/platform/net/deadline';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import { DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { type HttpScript, HttpTarget } from '../../../packages/testing/servers/http-target';
import { isSshdInstalled, OpenSshServer } from '../../../packages/testing/servers/ssh-server';
import { closedPort, silence, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import {
  certificateCases,
  dnsCases,
  dnsScript,
  FIELD_NAME,
  httpCases,
  httpScript,
  serveCertificate,
} from '../../harness/field/field-targets';
import { askPlugin, Blackbox, type BlackboxModule, noOracles, type Verdict } from '../../harness/field/oracles';
import { DeafPort } from '../../harness/servers/deaf-port';
import { hostileScripts } from '../checker/http-hostility';
import { REASONS } from './verdict-reasons';

const PAGE = join(__dirname, '../../../docs/contributing/verdicts.md');
/** A target that keeps a program waiting for this long is down. */
const SECONDS = 6;
const AT_ONCE = 6;
const HOSTILE = 'HTTP, hostile';
const POURING = /^(a body|chunks) without end$|^a hundred thousand/;

const IPV4 = { preferred_ip_protocol: 'ip4', ip_protocol_fallback: false };

/** One target, and how to run each program against it. */
interface Question {
  kind: string;
  name: string;
  checker: Checker;
  url: string;
  tls?: { ca: string };
  plugin: [name: string, ...words: string[]] | null;
  module: { name: string; target: string };
}

interface Row {
  kind: string;
  name: string;
  ours: Verdict;
  plugin: Verdict | null;
  pluginName: string;
  blackbox: Verdict;
}

const suite = noOracles === null ? describe : describe.skip;
const why = noOracles === null ? '' : ` (skipped: ${noOracles})`;

suite(`The verdicts of monitoring-plugins and blackbox_exporter on the same targets${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'oracles-'));
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  const modules: Record<string, BlackboxModule> = {
    http: moduleOf('http', { http: IPV4 }),
    tcp: moduleOf('tcp', { tcp: IPV4 }),
    ssh: moduleOf('tcp', { tcp: { ...IPV4, query_response: [{ expect: '^SSH-2.0-' }] } }),
    icmp: moduleOf('icmp', { icmp: IPV4 }),
  };
  let rows: Row[] = [];

  beforeAll(async () => {
    const questions = await openAll();
    const blackbox = await Blackbox.start(modules);
    closers.push(() => blackbox.stop());
    // A server that sends endlessly leaves no time for the others, so it is checked by one program after the other.
    const calm = questions.filter(({ name }) => !POURING.test(name));
    const pouring = questions.filter(({ name }) => POURING.test(name));
    rows = await inTurns(calm, AT_ONCE, (question) => ask(question, blackbox));
    rows.push(...(await inTurns(pouring, 1, (question) => askOneByOne(question, blackbox))));
    // On a busy machine, a program may have had no time, so surprising results are checked again, alone.
    for (const [at, row] of rows.entries()) {
      const question = questions.find(({ kind, name }) => kind === row.kind && name === row.name);
      if (question && isSurprising(row)) rows[at] = await askOneByOne(question, blackbox);
    }
  }, 400_000);
  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
  });

  const keep = <T extends { close(): unknown }>(target: T): T => {
    closers.push(() => target.close());
    return target;
  };

  async function openAll(): Promise<Question[]> {
    const dialer = dialerWith();
    const http = new HttpChecker(new HttpCheck(dialer));
    const web = async (kind: string, name: string, script: HttpScript): Promise<Question> => {
      const target = keep(await HttpTarget.listen(script));
      const words = [
        '-I',
        '127.0.0.1',
        '-p',
        String(target.tcp.port),
        '-u',
        '/',
        '-f',
        'follow',
        '-t',
        String(SECONDS),
      ];
      return {
        kind,
        name,
        checker: http,
        url: target.url(),
        plugin: ['check_http', ...words],
        module: { name: 'http', target: target.url() },
      };
    };
    const port = async (kind: 'TCP' | 'SSH', name: string, place: number): Promise<Question> => ({
      kind,
      name,
      checker: kind === 'TCP' ? new TcpChecker(dialer) : new SshChecker(dialer),
      url: `127.0.0.1:${place}`,
      plugin:
        kind === 'TCP'
          ? ['check_tcp', '-H', '127.0.0.1', '-p', String(place), '-t', String(SECONDS)]
          : ['check_ssh', '-p', String(place), '-t', String(SECONDS), '127.0.0.1'],
      module: { name: kind === 'TCP' ? 'tcp' : 'ssh', target: `127.0.0.1:${place}` },
    });
    const listen = async (script: (socket: Socket) => void) => keep(await TcpTarget.listen(script)).port;
    const says = (text: string) =>
      listen(
        (socket) =>
          void socket
            .on('error', () => {})
            .resume()
            .write(text),
      );
    const deaf = keep(await DeafPort.open());
    const ports = {
      'a port that accepts': await listen(silence),
      'a port that speaks first': await says('220 ready\r\n'),
      'a port that ends at once': await listen((socket) => void socket.on('error', () => {}).end()),
      'a closed port': await closedPort(),
      'a port that drops packets': deaf.port,
      'an identification of SSH 2.0': await says('SSH-2.0-x\r\n'),
      'an identification of SSH 1.99': await says('SSH-1.99-x\r\n'),
      'an identification of SSH 1.5': await says('SSH-1.5-x\r\n'),
      'lines before the identification': await says('Welcome\r\nSSH-2.0-x\r\n'),
      'half an identification': await says('SSH-2.0-Open'),
      'a web server': await says('HTTP/1.1 400 Bad Request\r\n\r\n'),
    };
    if (isSshdInstalled) {
      const sshd = await OpenSshServer.start();
      closers.push(() => sshd.stop());
      Object.assign(ports, { OpenSSH: sshd.port });
    }
    const icmp = new IcmpTransports();
    closers.push(() => icmp.onModuleDestroy());
    return [
      ...(await Promise.all(httpCases().map((one) => web('HTTP', one.name, httpScript(one))))),
      ...(await Promise.all(hostileScripts.map(({ name, script }) => web(HOSTILE, name, script)))),
      ...(await certificates(http)),
      ...(await names(dialer)),
      ...(await Promise.all(
        Object.entries(ports).flatMap(([name, place]) => [port('TCP', name, place), port('SSH', name, place)]),
      )),
      {
        kind: 'ICMP',
        name: 'this machine',
        checker: new IcmpChecker(dialer, icmp),
        url: '127.0.0.1',
        plugin: ['check_ping', '-H', '127.0.0.1', '-w', '1000,50%', '-c', '2000,90%', '-p', '1', '-t', String(SECONDS)],
        module: { name: 'icmp', target: '127.0.0.1' },
      },
    ];
  }

  const certificates = (checker: Checker): Promise<Question[]> =>
    Promise.all(
      certificateCases().map(async (given) => {
        const { target, authority } = await serveCertificate(given);
        keep(target);
        const file = join(folder, `${given.name}.pem`);
        writeFileSync(file, authority.rootPem);
        modules[given.name] = moduleOf('http', { http: { ...IPV4, tls_config: { ca_file: file } } });
        const words = ['-S', '-I', '127.0.0.1', '-p', String(target.tcp.port), '-t', String(SECONDS)];
        return {
          kind: 'HTTPS',
          name: given.name,
          checker,
          url: target.url(),
          tls: { ca: authority.rootPem },
          plugin: ['check_http', ...words],
          module: { name: given.name, target: target.url() },
        };
      }),
    );

  /** check_dns runs nslookup, which always uses port 53. */
  const names = (dialer: ReturnType<typeof dialerWith>): Promise<Question[]> =>
    Promise.all(
      dnsCases().map(async (given, at) => {
        const host = `127.53.0.${at + 1}`;
        const server = await DnsTestServer.start(dnsScript(given), host, 53);
        closers.push(() => server.stop());
        modules[given.name] = moduleOf('dns', { dns: { ...IPV4, query_name: FIELD_NAME, query_type: given.type } });
        const isHost = given.type === 'A' || given.type === 'AAAA';
        return {
          kind: 'DNS',
          name: given.name,
          checker: new DnsChecker(dialer, new SystemResolvers(() => [])),
          url: `dns://${host}/${FIELD_NAME}?type=${given.type}`,
          plugin: isHost ? ['check_dns', '-H', FIELD_NAME, '-s', host, '-t', String(SECONDS)] : null,
          module: { name: given.name, target: `${host}:53` },
        };
      }),
    );

  it("differ from the service's verdicts only with a known reason", () => {
    expect(rows.flatMap(differencesOf).filter((difference) => !(difference in REASONS))).toEqual([]);
  });

  it("still differ from the service's verdicts wherever a reason is given", () => {
    const isHere = (difference: string) => isSshdInstalled || !difference.startsWith('SSH: OpenSSH');
    const found = new Set(rows.flatMap(differencesOf));
    expect(Object.keys(REASONS).filter((one) => isHere(one) && !found.has(one))).toEqual([]);
  });

  it('are listed in docs/contributing/verdicts.md; UPDATE_VERDICTS=1 writes the list again', () => {
    const text = formatted(pageOf(rows));
    if (process.env['UPDATE_VERDICTS'] === '1') writeFileSync(PAGE, text);
    expect(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '').toBe(text);
  });
});

function moduleOf(prober: BlackboxModule['prober'], settings: object): BlackboxModule {
  return { prober, timeout: `${SECONDS}s`, ...settings };
}

async function ask(question: Question, blackbox: Blackbox): Promise<Row> {
  const { kind, name, plugin, module } = question;
  const [ours, theirs, exporter] = await Promise.all([
    ourVerdict(question),
    plugin === null ? null : askPlugin(...plugin),
    blackbox.ask(module.name, module.target),
  ]);
  return { kind, name, ours, plugin: theirs, pluginName: plugin?.[0] ?? '', blackbox: exporter };
}

async function ourVerdict({ checker, url, tls }: Question): Promise<Verdict> {
  const deadline = startDeadline(SECONDS * 1000);
  const request = {
    target: checker.parseTarget(url),
    settings: {},
    method: 'GET',
    headers: [],
    body: null,
    followRedirects: true,
    tls: tls ? { verify: true, ca: tls.ca, serverName: null } : null,
    assertions: [],
    egress: openEgress,
  };
  const { outcome } = await checker.check(request, deadline.signal);
  deadline.clear();
  return outcome;
}

async function askOneByOne(question: Question, blackbox: Blackbox): Promise<Row> {
  const { kind, name, plugin, module } = question;
  const ours = await ourVerdict(question);
  const theirs = plugin === null ? null : await askPlugin(...plugin);
  const exporter = await blackbox.ask(module.name, module.target);
  return { kind, name, ours, plugin: theirs, pluginName: plugin?.[0] ?? '', blackbox: exporter };
}

const keysOf = ({ kind, name, pluginName }: Row): [plugin: string, blackbox: string] => [
  `${kind}: ${name}: ${pluginName}`,
  `${kind}: ${name}: blackbox_exporter`,
];

function differencesOf(row: Row): string[] {
  const [plugin, blackbox] = keysOf(row);
  return [
    ...(row.plugin !== null && row.plugin !== row.ours ? [plugin] : []),
    ...(row.blackbox !== row.ours ? [blackbox] : []),
  ];
}

/** Returns whether the result differs without a reason, or does not differ although there is a reason. */
function isSurprising(row: Row): boolean {
  const found = differencesOf(row);
  return keysOf(row).some((key) => found.includes(key) !== Object.hasOwn(REASONS, key));
}

/** Runs a few at a time, because each is a process. */
async function inTurns<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      if (item !== undefined) results[at] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

/** Formats the page as `npm run format` does. */
const formatted = (page: string): string =>
  execFileSync(
    process.execPath,
    ['node_modules/prettier/bin/prettier.cjs', '--stdin-filepath', 'docs/contributing/verdicts.md'],
    {
      input: page,
      encoding: 'utf8',
    },
  );

function pageOf(rows: readonly Row[]): string {
  const line = (row: Row) => {
    const reasons = [
      ...new Set(
        keysOf(row)
          .map((key) => REASONS[key])
          .filter((reason) => reason !== undefined),
      ),
    ];
    const cell = (verdict: Verdict | null) =>
      verdict === null ? '' : verdict === row.ours ? verdict : `**${verdict}**`;
    return `| ${row.name} | ${row.ours} | ${cell(row.plugin)} | ${cell(row.blackbox)} | ${reasons.join(' ')} |`;
  };
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  const tables = kinds.map((kind) => {
    const of = rows.filter((row) => row.kind === kind).sort((one, other) => (one.name < other.name ? -1 : 1));
    const plugin = of.find(({ pluginName }) => pluginName !== '')?.pluginName ?? '';
    return `## ${kind}\n\n| Target | Service | ${plugin} | blackbox_exporter | Reason for a difference |\n|---|---|---|---|---|\n${of.map(line).join('\n')}`;
  });
  return `# Verdicts of other programs

Use this page to find out whether the service and another program judge the same target differently. It compares the
service with Debian's monitoring-plugins 2.3.3 and with blackbox_exporter 0.23.0.

The targets are the [inputs from the field](../../test/fixtures/field/README.md) and the hostile servers of the test suite.
Each program runs with its defaults and follows redirects. A verdict in bold differs from the service's verdict. CI
repeats the comparison, and fails if a difference has no reason.

${tables.join('\n\n')}
`;
}
