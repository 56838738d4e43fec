/** @lane slow */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Server } from 'node:net';
import { Client } from 'pg';
import { wordsOf } from '../../../src/start/fail';
import { probeStartSettings, startSettings } from '../../../src/start/start-settings';
import { loadConfig } from '../../../src/platform/config/config';
import { envNames } from '../../../src/platform/config/env';
import { ProbeConfig } from '../../../src/platform/config/probe-config';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { eventually } from '../../../packages/testing/eventually';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';
import { buildService } from '../../harness/processes/service-process';
import { StartFolder, type StartOptions, takenPort } from '../../harness/processes/start-process';
import { oldPostgres } from '../../harness/servers/old-postgres';
import { ROOT } from '../../repository/project-files';

// Most mistakes need a separate start, on a machine that is shared with other tests.
jest.setTimeout(600_000);

const DOCUMENT = join(ROOT, 'docs/reference/start-errors.md');
const AT_ONCE = 3;
const ENDS = 'exits with code 1';

/** A start with a mistake. `null` if this machine can't make the mistake. */
interface Mistake {
  what: string;
  make: ((folder: StartFolder) => Promise<StartOptions> | StartOptions) | null;
  /** The outcome after the message, if the process continues. */
  outcome?: string;
  /** Runs the first checks of a start in this process. Without it, the mistake is made in a separate start. */
  refused?: (env?: Readonly<Record<string, string>>) => Promise<unknown>;
}

interface Row {
  what: string;
  printed: string;
  outcome: string;
}

/** Root may do everything, so restrictions of an ordinary user are tested as the user `nobody`. */
const isRoot = process.getuid?.() === 0;
const AS_NOBODY = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
const canBeNobody = (): boolean =>
  !isRoot || spawnSync('setpriv', [...AS_NOBODY.slice(1), 'test', '-r', join(ROOT, 'dist/main.js')]).status === 0;
const canTakePort80 = (): boolean =>
  readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8').trim() !== '1024';

const wrong = (env: Record<string, string>, more: Partial<Mistake> = {}): Mistake => ({
  what: Object.entries(env)
    .map(([name, value]) => `\`${name}=${value}\``)
    .join(' '),
  make: () => ({ env }),
  ...more,
});

/** A mistake in the settings alone, or in the URL. */
const misjudged = (env: Record<string, string>): Mistake => wrong(env, { refused: startSettings });

const PROBE = { ROLE: 'probe', PROBE_URL: 'http://127.0.0.1:1', PROBE_TOKEN: `ump_${'a'.repeat(36)}` };
/** A mistake in the settings of a probe, whose other settings are right. */
const probeMisjudged = (env: Record<string, string>): Mistake => ({
  ...wrong({ ROLE: 'probe', ...env }, { refused: probeStartSettings }),
  make: () => ({ env: { ...PROBE, ...env } }),
});

/** Returns the server's error for these settings. */
const askServer = async (env: Readonly<Record<string, string>> = {}): Promise<void> =>
  (await DatabaseServer.open(loadConfig(env))).migrate();

/** Returns the output, with only the messages of the log, and examples in place of variable parts. */
function textOf(said: string, folder: string, ports: Readonly<Record<string, string>>): string {
  const lines = said.split('\n').flatMap((line): string[] => {
    if (!line.startsWith('{')) return line === '' ? [] : [line];
    const { context, message } = JSON.parse(line) as { context: string; message: string };
    return ['Settings', 'Database'].includes(context) ? [message] : [];
  });
  let text = lines.join('\n').replaceAll(folder, '/srv/monitor');
  for (const [port, shown] of Object.entries(ports)) text = text.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), shown);
  return text
    .replace(/process \d+/, 'process 4711')
    .replace(/since [\dT:.Z-]+/, 'since 2026-11-20T08:00:00.000Z')
    .replace(/another \d+ s/, 'another 60 s');
}

function table(rows: readonly Row[]): string {
  const cells = rows.map(({ what, printed, outcome }) =>
    [
      what,
      printed
        .split('\n')
        .map((line) => `\`${line.trim()}\``)
        .join('<br>'),
      outcome,
    ].map((text) => text.replaceAll('|', '\\|')),
  );
  const all = [['Mistake', 'Message', 'Then the start'], ...cells];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = all;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)].join('\n');
}

const HEAD = `# Start errors

Search this page for the message that you see when the service does not start.

The service prints one sentence on stderr: the setting, the fault, and the solution. The exit code is 1, with and
without a terminal. A variable that looks like a misspelled setting only causes a warning, because it may belong to
another program.

\`test/e2e/start/start-errors.spec.ts\` makes each of these mistakes and writes this table
(\`UPDATE=1 npx jest start-errors --selectProjects e2e\`).
`;

describe('a start with a mistake', () => {
  let cluster: PostgresCluster | null = null;
  let rules: string;
  let taken: { port: string; server: Server };
  let old: { port: number; server: Server };
  let mistakes: Mistake[];
  const shownPorts: Record<string, string> = {};

  beforeAll(async () => {
    buildService();
    taken = await takenPort();
    old = await oldPostgres();
    rules = mkdtempSync(join(tmpdir(), 'uptime-hba-'));
    if (findPostgres() !== null) cluster = await clusterWithUsers(rules);
    Object.assign(shownPorts, { [taken.port]: '3000', [old.port]: '5432', [cluster?.port ?? 0]: '5432' });
    mistakes = allMistakes();
  });
  afterAll(async () => {
    taken.server.close();
    old.server.close();
    await cluster?.remove();
    rmSync(rules, { recursive: true, force: true });
  });

  const onServer = (account: string, database: string, what: string, more: Partial<Mistake> = {}): Mistake => {
    const env = { DATABASE_URL: `postgres://${account}@127.0.0.1:${cluster?.port}/${database}` };
    return {
      what: `${what}: \`DATABASE_URL=postgres://${account}@127.0.0.1/${database}\``,
      make: cluster && (() => ({ env })),
      refused: askServer,
      ...more,
    };
  };

  const allMistakes = (): Mistake[] => [
    misjudged({ PORT: 'abc' }),
    misjudged({ PORT: '70000', MIN_INTERVAL_SECONDS: '0', AUTH: 'maybe' }),
    misjudged({ ROLE: 'boss' }),
    misjudged({ AUTH: 'off', HOST: '0.0.0.0' }),
    misjudged({ BOOTSTRAP_API_KEY: 'secret' }),
    wrong({ BOOTSTRAP_API_KEY: 'ums_a_0123456789abcdefghijklmnopqrstuvwxyz' }),
    misjudged({ SECRETS_KEYS: 'k1:secret' }),
    misjudged({ EGRESS_DENY: '10.0.0.0' }),
    misjudged({ HEARTBEAT_URL: 'example.com' }),
    misjudged({ OIDC_ISSUER: 'http://login.example.com' }),
    misjudged({ OIDC_ISSUER: 'https://login.example.com' }),
    misjudged({
      OIDC_ISSUER: 'https://login.example.com',
      OIDC_CLIENT_ID: 'uptime',
      PUBLIC_URL: 'https://uptime.example.com',
      AUTH: 'off',
    }),
    misjudged({ OIDC_CLIENT_ID: 'uptime' }),
    misjudged({ OIDC_SCOPES: 'profile email' }),
    misjudged({ GROUP_ROLES: 'ops=Default' }),
    misjudged({ TRUSTED_PROXIES: '0.0.0.0/0' }),
    misjudged({ PROXY_USER_HEADER: 'Authorization', TRUSTED_PROXIES: '10.0.0.7/32' }),
    misjudged({ PROXY_USER_HEADER: 'Remote-User' }),
    misjudged({ PROXY_USER_HEADER: 'Remote-User', TRUSTED_PROXIES: '10.0.0.7/32', AUTH: 'off' }),
    misjudged({ PROXY_GROUPS_HEADER: 'Remote-Groups' }),
    wrong({ ROLE: 'probe' }, { refused: probeStartSettings }),
    probeMisjudged({ PROBE_URL: 'http://uptime.example.com', PROBE_TOKEN: 'umk_w_secret' }),
    probeMisjudged({ PROBE_TOKEN_FILE: '/run/secrets/probe' }),
    probeMisjudged({ PROBE_INSECURE: 'maybe', PROBE_CA: '/etc/uptime-probe/ca.pem' }),
    probeMisjudged({ HTTPS_PROXY: 'socks5://office:secret@proxy.example.com:1080' }),
    probeMisjudged({ NO_PROXY: 'corp.example.com', no_proxy: 'example.com' }),
    {
      ...probeMisjudged({ DATABASE_URL: 'embedded:memory' }),
      refused: undefined,
      outcome: 'continues',
    },
    wrong({ PROT: '8080' }, { outcome: 'continues' }),
    wrong({ SMTP_PASSWORD: 'secret' }, { outcome: 'continues' }),
    wrong({ SMTP_URL: 'smtp://relay.example.com:25' }, { outcome: 'continues' }),
    wrong(
      { SMTP_URL: 'smtp://uptime%40example.com:secret@relay.example.com?ignoreTLS=true' },
      { outcome: 'continues' },
    ),
    misjudged({ SMTP_URL: 'smtp://uptime:100%secret@relay.example.com', SMTP_FROM: 'Uptime' }),
    {
      what: '`.env` is a directory',
      make: (folder) => {
        mkdirSync(join(folder.path, '.env'));
        return {};
      },
    },
    {
      what: '`PORT=3000`, which another program has',
      make: () => ({ env: { PORT: taken.port } }),
      refused: startSettings,
    },
    {
      what: '`PORT=80` as an ordinary user',
      make: canBeNobody() && !canTakePort80() ? () => ({ env: { PORT: '80' }, entry: AS_NOBODY }) : null,
    },
    misjudged({ HOST: '192.0.2.1' }),
    misjudged({ HOST: 'monitor.invalid' }),
    {
      what: 'a second process on the same `DATA_DIR`',
      make: async (folder) => {
        await folder.launch({ env: { PORT: '0' } }).url();
        return {};
      },
    },
    {
      what: '`DATA_DIR` is a file',
      make: (folder) => {
        const path = join(folder.path, 'file');
        writeFileSync(path, '');
        return { env: { DATA_DIR: path } };
      },
    },
    {
      what: '`DATA_DIR` in a directory of another user',
      make: canBeNobody()
        ? (folder) => {
            chmodSync(folder.path, 0o755);
            const path = join(folder.path, 'locked');
            mkdirSync(path, { mode: 0o500 });
            return { env: { DATA_DIR: join(path, 'data') }, entry: AS_NOBODY };
          }
        : null,
    },
    {
      what: 'a file in `DATA_DIR` that belongs to another user',
      make: isRoot && canBeNobody() ? fileOfRoot : null,
    },
    misjudged({ DATABASE_URL: 'mysql://monitor:secret@db/monitor' }),
    misjudged({ DATABASE_URL: 'postgres://monitor:secret/=@db/monitor' }),
    misjudged({ DATABASE_URL: 'postgres://monitor:secret@db/monitor?sslmode=on' }),
    misjudged({ DATABASE_URL: 'postgres://monitor:secret@db1,db2/monitor?target_session_attrs=standby' }),
    wrong({ DATABASE_URL: 'postgres://monitor:secret@db/monitor?sslrootcert=/etc/none.pem' }, { refused: askServer }),
    wrong({ DATABASE_URL: 'postgres://monitor:secret@db.invalid/monitor' }, { outcome: 'waits for a minute' }),
    wrong({ DATABASE_URL: 'postgres://monitor:secret@127.0.0.1:1/monitor' }, { outcome: 'waits for a minute' }),
    onServer('monitor:wrong', 'monitor', 'the wrong password', { refused: undefined }),
    onServer('monitor', 'monitor', 'no password'),
    onServer('nobody', 'monitor', 'a user that does not exist'),
    onServer('stranger', 'monitor', 'a user that the server does not let in'),
    onServer('monitor:right', 'moniter', 'a database that does not exist'),
    onServer('guest', 'monitor', 'a user without rights'),
    {
      what: 'PostgreSQL 14',
      make: () => ({ env: { DATABASE_URL: `postgres://monitor@127.0.0.1:${old.port}/monitor` } }),
      refused: askServer,
    },
    {
      what: 'Node 18',
      make: (folder) => {
        const preload = join(folder.path, 'older.cjs');
        writeFileSync(
          preload,
          `Object.defineProperty(process, 'version', { value: 'v18.20.4' });
           Object.defineProperty(process, 'execPath', { value: '/usr/bin/node' });`,
        );
        return { preload };
      },
    },
  ];

  /** Starts with the mistake. Returns the output as the table shows it. */
  async function rowOf({ what, make, outcome = ENDS, refused }: Mistake): Promise<Row | null> {
    if (make === null) return null;
    const folder = new StartFolder();
    try {
      const options = await make(folder);
      if (refused) {
        const error: unknown = await refused(options.env).catch((reason: unknown) => reason);
        return { what, printed: textOf(wordsOf(error), folder.path, shownPorts), outcome };
      }
      const started = folder.launch(options);
      const said = () => textOf(started.said, folder.path, shownPorts);
      if (outcome === ENDS) expect([what, await started.ended()]).toEqual([what, 1]);
      else await eventually(`what is said of ${what}`, () => started.said.endsWith('\n') && said() !== '', 120_000);
      const printed = said()
        .split('\n')
        .slice(0, outcome === ENDS ? undefined : 1)
        .join('\n');
      expect([what, started.said]).toEqual([what, expect.not.stringMatching(/^\s+at |"stack"/m)]);
      return { what, printed, outcome };
    } finally {
      await folder.remove();
    }
  }

  it('prints one sentence that names the setting and the cure, as docs/reference/start-errors.md shows', async () => {
    const rows = new Map<string, Row | null>();
    const waiting = [...mistakes];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) rows.set(next.what, await rowOf(next));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const made = mistakes.flatMap(({ what }) => rows.get(what) ?? []);
    if (process.env['UPDATE'] === '1') {
      expect(made).toHaveLength(mistakes.length);
      writeFileSync(DOCUMENT, `${HEAD}\n${table(made)}\n`);
    }
    for (const { what, printed, outcome } of made) {
      const secret = /\bsecret\b|wrong@/.test(printed);
      expect([what, printed.length > 30, secret]).toEqual([what, true, false]);
      expect([what, printed.split('\n').every((line) => line.length < 320)]).toEqual([what, true]);
      if (outcome === ENDS) expect([what, printed]).toEqual([what, expect.stringMatching(/[.)]$/)]);
    }
    expect(made.length).toBeGreaterThan(15);
    const text = readFileSync(DOCUMENT, 'utf8');
    // A machine that can't make a mistake keeps its line.
    const shown = text
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .slice(2);
    expect(shown).toHaveLength(mistakes.length);
    const squeezed = (line: string): string => line.replaceAll(/ +/g, ' ');
    const lines = shown.map(squeezed);
    for (const line of table(made).split('\n').slice(2)) expect(lines).toContain(squeezed(line));
    expect(text.startsWith(HEAD)).toBe(true);
    for (const name of envNames(ProbeConfig).values()) expect(text).toContain(name);
  });

  it('is reported by loading only the modules of the settings', async () => {
    const folder = new StartFolder();
    const preload = join(folder.path, 'loaded.cjs');
    writeFileSync(preload, `process.on('exit', () => console.log(Object.keys(require.cache).join('\\n')));`);
    const started = [{ PORT: 'abc' }, { PORT: taken.port }].map((env) => folder.launch({ env, preload }));
    for (const each of started) {
      expect(await each.ended()).toBe(1);
      const loaded = each.said.split('\n').filter((line) => line.endsWith('js'));
      expect(loaded).toContain(join(ROOT, 'dist/start/start-settings.js'));
      expect(loaded.filter((file) => /node_modules/.test(file) && !/reflect-metadata|ipaddr/.test(file))).toEqual([]);
      expect(loaded.length).toBeLessThan(30);
    }
    await folder.remove();
  });

  it.each([
    ['a wrong setting', { PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535, not "abc".\n'],
    [
      'a database that cannot be opened',
      { DATA_DIR: '/dev/null/data' },
      'DATA_DIR: /dev/null/data cannot be used: its path contains something that is not a directory',
    ],
  ])('prints the same on a terminal: %s', async (_, env, sentence) => {
    const folder = new StartFolder();
    const started = folder.launch({ env, terminal: true });
    expect(await started.ended()).toBe(1);
    // A version of Node.js without security fixes causes a warning first.
    const lines = started.said.split('\n').filter((line) => !line.includes('has had no security fixes'));
    expect(lines.join('\n').slice(0, sentence.length)).toBe(sentence);
    expect(started.said).not.toMatch(/^\s+at /m);
    await folder.remove();
  });
});

/** Creates a directory of an ordinary user with one file that belongs to root. */
async function fileOfRoot(folder: StartFolder): Promise<StartOptions> {
  const path = join(folder.path, 'data');
  chmodSync(folder.path, 0o755);
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, 65_534, 65_534);
  const options = { env: { DATA_DIR: path }, entry: AS_NOBODY };
  const first = folder.launch(options);
  await first.url();
  await first.stop();
  chownSync(join(path, 'pgdata/pg_logical/replorigin_checkpoint'), 0, 0);
  return options;
}

/** Starts a server with passwords for one user, without passwords for others, and with one user who is rejected. */
async function clusterWithUsers(folder: string): Promise<PostgresCluster> {
  const file = join(folder, 'pg_hba.conf');
  const rules = ['host all monitor 127.0.0.1/32 scram-sha-256', 'host all stranger 127.0.0.1/32 reject'];
  writeFileSync(file, `${[...rules, 'host all all 127.0.0.1/32 trust'].join('\n')}\n`);
  chmodSync(folder, 0o755);
  const cluster = await PostgresCluster.start({ settings: [`hba_file=${file}`] });
  const client = new Client({ connectionString: cluster.url });
  await client.connect();
  await client.query(`CREATE USER monitor PASSWORD 'right'`);
  await client.query('CREATE USER stranger');
  await client.query('CREATE USER guest');
  await client.query('CREATE DATABASE monitor OWNER monitor');
  await client.end();
  return cluster;
}
