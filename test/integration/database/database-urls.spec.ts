/** @lane slow */
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Logger } from '@nestjs/common';
import { restoreBackup, saveBackup } from '../../../src/platform/database/backup';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { asSuperuser } from '../../harness/database/on-cluster';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';
import { TlsAuthority } from '../../harness/servers/tls-authority';

// Each URL is a database that is created twice.
jest.setTimeout(300_000);

const ROOT = join(__dirname, '../../..');
/** Every kind of character that has a meaning in a URL, a shell, or libpq's syntax. */
const ODD = `p@ss:w/o%rd#?&= ü'"\\$[x]{y}`;
const ODD_NAME = `up "time" %/ü=x`;
const encoded = encodeURIComponent;
const name = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const literal = (text: string): string => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;

const RULES = `
local   all all                     trust
hostssl all certified 127.0.0.1/32  cert
hostssl all encrypted 127.0.0.1/32  trust
host    all encrypted 127.0.0.1/32  reject
host    all plain     127.0.0.1/32  trust
host    all postgres  127.0.0.1/32  trust
host    all all       127.0.0.1/32  scram-sha-256
`;

interface Case {
  /** The URL, after `postgres://`. */
  url: string;
  /** Variables that the URL needs. */
  env?: Readonly<Record<string, string>>;
  /** The database that the URL selects, by default `monitor`. */
  database?: string;
}

(findPostgres() === null ? describe.skip : describe)('a DATABASE_URL (skipped without PostgreSQL’s programs)', () => {
  let cluster: PostgresCluster;
  let authority: TlsAuthority;
  let folder: string;
  const file = (each: string): string => join(folder, each);
  const before = { ...process.env };

  beforeAll(async () => {
    Logger.overrideLogger(false);
    folder = mkdtempSync(join(tmpdir(), 'uptime-urls-'));
    authority = await TlsAuthority.create();
    const [identity, client] = await Promise.all([
      authority.issue({ names: ['localhost'] }),
      authority.issue({ names: ['certified'] }),
    ]);
    writeFileSync(file('root.pem'), authority.rootPem);
    writeFileSync(file('client.pem'), client.cert);
    writeFileSync(file('client.key'), client.key);
    // libpq refuses a key that other users may read.
    chmodSync(file('client.key'), 0o644);
    cluster = await PostgresCluster.start({
      files: {
        'hba.conf': RULES,
        'root.pem': authority.rootPem,
        'server.pem': identity.cert,
        'server.key': identity.key,
      },
      settings: [
        'hba_file=%d/hba.conf',
        'ssl=on',
        'ssl_ca_file=%d/root.pem',
        'ssl_cert_file=%d/server.pem',
        'ssl_key_file=%d/server.key',
        'fsync=off',
      ],
    });
    await asSuperuser(
      cluster,
      'postgres',
      'CREATE DATABASE template',
      ...['plain', 'encrypted', 'certified'].map((user) => `CREATE ROLE ${user} LOGIN`),
      `CREATE ROLE secret LOGIN PASSWORD ${literal(ODD)}`,
      `CREATE ROLE stray LOGIN PASSWORD '100%sure'`,
      `CREATE ROLE ${name(ODD_NAME)} LOGIN PASSWORD ${literal(ODD)}`,
    );
    await migrated(`postgres://postgres@127.0.0.1:${cluster.port}/template`);
    await asSuperuser(
      cluster,
      'template',
      `INSERT INTO organization (id, name) VALUES (gen_random_uuid(), ${literal(ODD)})`,
    );
  });
  afterEach(() => {
    process.env = { ...before };
  });
  afterAll(async () => {
    await cluster.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const migrated = async (url: string): Promise<void> => {
    const server = await DatabaseServer.open({ databaseUrl: url, dataDir: '' });
    await server.migrate([], 1000);
    await server.close();
  };
  /** Creates a database from the template and lets every user use its tables. */
  const createDatabase = async (database: string, template = 'template'): Promise<void> => {
    await asSuperuser(
      cluster,
      'postgres',
      `DROP DATABASE IF EXISTS ${name(database)} WITH (FORCE)`,
      `CREATE DATABASE ${name(database)} TEMPLATE ${template}`,
    );
    await asSuperuser(
      cluster,
      database,
      'GRANT ALL ON SCHEMA public TO PUBLIC',
      'GRANT ALL ON ALL TABLES IN SCHEMA public TO PUBLIC',
      'GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO PUBLIC',
    );
  };
  const contents = async (database: string): Promise<unknown[]> =>
    asSuperuser(
      cluster,
      database,
      `SELECT (SELECT array_agg(name) FROM organization) AS names, (SELECT count(*)::int FROM migrations) AS migrations,
              (SELECT count(*)::int FROM pg_trigger WHERE NOT tgisinternal) AS triggers,
              (SELECT count(*)::int FROM pg_class WHERE relnamespace = 'public'::regnamespace) AS relations`,
    );

  const cases: Readonly<Record<string, () => Case>> = {
    'of a host and a port': () => ({ url: `plain@127.0.0.1:${cluster.port}/monitor` }),
    'with a password of odd characters, percent-encoded': () => ({
      url: `secret:${encoded(ODD)}@127.0.0.1:${cluster.port}/monitor`,
    }),
    'with a % in the password that is not encoded': () => ({ url: `stray:100%sure@127.0.0.1:${cluster.port}/monitor` }),
    'with odd characters in user and database': () => ({
      url: `${encoded(ODD_NAME)}:${encoded(ODD)}@127.0.0.1:${cluster.port}/${encoded(ODD_NAME)}`,
      database: ODD_NAME,
    }),
    'without a database, whose name is then the user’s': () => ({
      url: `plain@127.0.0.1:${cluster.port}`,
      database: 'plain',
    }),
    'with the password in PGPASSWORD': () => ({
      url: `secret@127.0.0.1:${cluster.port}/monitor`,
      env: { PGPASSWORD: ODD },
    }),
    'with the password in the file that PGPASSFILE names': () => {
      const line = ['127.0.0.1', cluster.port, 'monitor', 'secret', ODD.replaceAll(/[\\:]/g, '\\$&')].join(':');
      writeFileSync(file('passwords'), `${line}\n`, { mode: 0o600 });
      return { url: `secret@127.0.0.1:${cluster.port}/monitor`, env: { PGPASSFILE: file('passwords') } };
    },
    'whose parts are in PGHOST, PGPORT, PGUSER and PGDATABASE': () => ({
      url: '',
      env: { PGHOST: '127.0.0.1', PGPORT: String(cluster.port), PGUSER: 'plain', PGDATABASE: 'monitor' },
    }),
    'with sslmode=require and sslrootcert': () => ({
      url: `encrypted@localhost:${cluster.port}/monitor?sslmode=require&sslrootcert=${file('root.pem')}`,
    }),
    'with sslmode=verify-full and sslrootcert': () => ({
      url: `encrypted@localhost:${cluster.port}/monitor?sslmode=verify-full&sslrootcert=${file('root.pem')}`,
    }),
    'with sslmode=verify-ca and a host that the certificate does not have': () => ({
      url: `encrypted@127.0.0.1:${cluster.port}/monitor?sslmode=verify-ca&sslrootcert=${file('root.pem')}`,
    }),
    'with sslmode=no-verify': () => ({ url: `encrypted@127.0.0.1:${cluster.port}/monitor?sslmode=no-verify` }),
    'with sslmode=require and the meaning of libpq': () => ({
      url: `encrypted@127.0.0.1:${cluster.port}/monitor?sslmode=require&uselibpqcompat=true`,
    }),
    'with a client certificate, whose key others may read': () => ({
      url:
        `certified@localhost:${cluster.port}/monitor?sslmode=verify-full&sslrootcert=${file('root.pem')}` +
        `&sslcert=${file('client.pem')}&sslkey=${file('client.key')}`,
    }),
    'of TLS by PGSSLMODE and PGSSLROOTCERT': () => ({
      url: `encrypted@localhost:${cluster.port}/monitor`,
      env: { PGSSLMODE: 'verify-full', PGSSLROOTCERT: file('root.pem') },
    }),
    'of a socket by its parameter': () => ({ url: `plain@/monitor?host=${cluster.directory}&port=${cluster.port}` }),
    'of a socket, in addition to a host': () => ({
      url: `plain@localhost:${cluster.port}/monitor?host=${cluster.directory}`,
    }),
    'of a socket, percent-encoded as the host': () => ({
      url: `plain@${encoded(cluster.directory)}:${cluster.port}/monitor?sslmode=require`,
    }),
    'of several hosts, of which the first is away': () => ({
      url: `plain@127.0.0.1:1,127.0.0.1:${cluster.port}/monitor?target_session_attrs=read-write`,
    }),
    'with options for the session': () => ({
      url: `plain@127.0.0.1:${cluster.port}/monitor?options=-c%20work_mem%3D8MB`,
    }),
  };

  it.each(Object.keys(cases))('%s connects, and its database is saved and restored', async (what) => {
    const { url: rest, env = {}, database = 'monitor' } = cases[what]?.() ?? { url: '' };
    process.env = { ...before, ...env };
    const databaseUrl = `postgres://${rest}`;
    const backup = file('backup');
    rmSync(backup, { force: true });
    await createDatabase(database);
    await migrated(databaseUrl);
    const saved = await contents(database);
    await saveBackup({ databaseUrl, dataDir: '' }, backup);
    await createDatabase(database, 'template1');
    await restoreBackup({ databaseUrl, dataDir: '' }, backup);
    expect(await contents(database)).toEqual(saved);
    expect(saved).toEqual([expect.objectContaining({ names: [ODD] })]);
  });

  it('with an authority in NODE_EXTRA_CA_CERTS is saved by a separate process', async () => {
    await createDatabase('monitor');
    rmSync(file('backup'), { force: true });
    await promisify(execFile)(
      process.execPath,
      ['-r', './scripts/typescript.cjs', 'packages/cli/backup.ts', 'save', file('backup')],
      {
        cwd: ROOT,
        env: {
          PATH: process.env['PATH'],
          NODE_EXTRA_CA_CERTS: file('root.pem'),
          DATABASE_URL: `postgres://encrypted@localhost:${cluster.port}/monitor?sslmode=require`,
        },
      },
    );
    await createDatabase('monitor', 'template1');
    const databaseUrl = `postgres://plain@127.0.0.1:${cluster.port}/monitor`;
    await restoreBackup({ databaseUrl, dataDir: '' }, file('backup'));
    expect(await contents('monitor')).toEqual([expect.objectContaining({ names: [ODD] })]);
  });

  it('of a user who owns only a schema is saved and restored, next to tables that the user may not read', async () => {
    const databaseUrl = `postgres://plain@127.0.0.1:${cluster.port}/shared?options=-c%20search_path%3D%22Own-one%22`;
    const begin = (more: readonly string[]): Promise<unknown[]> =>
      asSuperuser(
        cluster,
        'shared',
        'CREATE TABLE public.of_others (id int)',
        'CREATE SCHEMA "Own-one" AUTHORIZATION plain',
        ...more,
      );
    await asSuperuser(cluster, 'postgres', 'CREATE DATABASE shared');
    await begin([`CREATE ROLE reader`]);
    await migrated(databaseUrl);
    await asSuperuser(cluster, 'shared', 'GRANT SELECT ON ALL TABLES IN SCHEMA "Own-one" TO reader');
    rmSync(file('backup'), { force: true });
    await saveBackup({ databaseUrl, dataDir: '' }, file('backup'));
    await asSuperuser(cluster, 'postgres', 'DROP DATABASE shared', 'DROP ROLE reader', 'CREATE DATABASE shared');
    await begin([]);
    await restoreBackup({ databaseUrl, dataDir: '' }, file('backup'));
    const [row] = await asSuperuser<{ count: number }>(
      cluster,
      'shared',
      'SELECT count(*)::int FROM "Own-one".migrations',
    );
    expect(row?.count).toBeGreaterThan(10);
    await expect(restoreBackup({ databaseUrl, dataDir: '' }, file('backup'))).rejects.toThrow('is not empty');
    await expect(
      restoreBackup(
        { databaseUrl: `postgres://plain@127.0.0.1:${cluster.port}/template1`, dataDir: '' },
        file('backup'),
      ),
    ).rejects.toThrow('contains the schema "Own-one", but DATABASE_URL uses the schema "public"');
  });

  it.each<[string, () => string, string]>([
    ['an unknown authority', () => `encrypted@localhost:${cluster.port}/monitor?sslmode=require`, 'is not trusted ('],
    [
      'a host that is not in the certificate',
      () => `encrypted@127.0.0.1:${cluster.port}/monitor?sslmode=verify-full&sslrootcert=${file('root.pem')}`,
      'is for another host (',
    ],
    [
      'a file of authorities that does not exist',
      () => `encrypted@localhost:${cluster.port}/monitor?sslrootcert=/none.pem`,
      "DATABASE_URL: sslrootcert cannot be read (ENOENT: no such file or directory, open '/none.pem').",
    ],
    [
      'an invalid file of authorities',
      () => `encrypted@localhost:${cluster.port}/monitor?sslrootcert=${__filename}`,
      'DATABASE_URL: sslrootcert must be a file of certificates in PEM',
    ],
    [
      'a certificate without its key',
      () => `certified@localhost:${cluster.port}/monitor?sslmode=no-verify&sslcert=${file('client.pem')}`,
      'DATABASE_URL: sslcert and sslkey require each other.',
    ],
    [
      'no client certificate although it is required',
      () => `certified@localhost:${cluster.port}/monitor?sslmode=no-verify`,
      'rejected user "certified" (connection requires a valid client certificate)',
    ],
    [
      'no TLS although it is required',
      () => `encrypted@localhost:${cluster.port}/monitor`,
      'rejected user "encrypted" (pg_hba.conf rejects connection',
    ],
  ])('with %s is refused at once with an explanation, by the service and by a backup', async (_, rest, sentence) => {
    const databaseUrl = `postgres://${rest()}`;
    const server = await DatabaseServer.open({ databaseUrl, dataDir: '' });
    await expect(server.migrate()).rejects.toThrow(sentence);
    await expect(saveBackup({ databaseUrl, dataDir: '' }, file('refused'))).rejects.toThrow(sentence);
  });
});
