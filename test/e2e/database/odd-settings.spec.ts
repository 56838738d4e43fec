/** @lane slow */
import { describeContract } from '../../../packages/testing/contract/describe-service';
import { eventually } from '../../../packages/testing/eventually';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { asSuperuser } from '../../harness/database/on-cluster';
import { findPostgres, PostgresCluster } from '../../harness/database/postgres-cluster';

interface Setting {
  name: string;
  vartype: string;
  enumvals: string[] | null;
  min_val: string | null;
  boot_val: string | null;
}

/** Everything that an administrator may set for sessions: formats that clients see, and behavior of old versions. */
const SETTINGS = `
  SELECT name, vartype, enumvals, min_val, boot_val FROM pg_settings
   WHERE context = 'user' AND category ~ '^(Client Connection Defaults|Version and Platform Compatibility)' ORDER BY name`;

/** Odd values that can't be computed. */
const CHOSEN: Readonly<Record<string, string>> = {
  DateStyle: 'German, DMY',
  TimeZone: 'Asia/Kolkata',
  client_encoding: 'LATIN1',
  default_text_search_config: 'german',
  extra_float_digits: '-15',
  search_path: 'own, public',
  statement_timeout: '1ms',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '1ms',
  idle_session_timeout: '1ms',
  transaction_timeout: '1ms',
};
/** Settings that are not changed, with the reason. */
const LEFT: Readonly<Record<string, string>> = {
  default_transaction_read_only: 'it is respected: the test below',
  transaction_isolation: 'of one transaction',
  transaction_read_only: 'of one transaction',
  transaction_deferrable: 'of one transaction',
  // The values are names of files or of objects on the server.
  default_table_access_method: 'none other is installed',
  default_tablespace: 'none other is there',
  temp_tablespaces: 'none other is there',
  local_preload_libraries: 'none is there',
  timezone_abbreviations: 'a file of the server',
  lc_messages: 'only a superuser sets it',
  lc_monetary: 'nothing is money',
  lc_numeric: 'depends on the locales of the machine',
  lc_time: 'depends on the locales of the machine',
};

/** Returns the value that is furthest from the default, or `null` if the setting has no other value. */
function oddValue({ name, vartype, enumvals, min_val, boot_val }: Setting): string | null {
  const chosen = CHOSEN[name];
  if (chosen !== undefined) return chosen;
  if (vartype === 'bool') return boot_val === 'on' ? 'off' : 'on';
  if (vartype === 'enum') return (enumvals ?? []).filter((value) => value !== boot_val).at(-1) ?? null;
  return min_val !== boot_val ? min_val : null;
}

const suite = findPostgres() === null ? describe.skip : describe;

suite(
  'a database whose administrator has changed every setting for its user (skipped without PostgreSQL’s programs)',
  () => {
    let cluster: PostgresCluster;
    let app: TestApp;
    const set: string[] = [];
    const url = () => `postgres://uptime@127.0.0.1:${cluster.port}/uptime`;

    beforeAll(async () => {
      cluster = await PostgresCluster.start();
      await asSuperuser(cluster, 'postgres', 'CREATE ROLE uptime LOGIN', 'CREATE DATABASE uptime OWNER uptime');
      await asSuperuser(cluster, 'uptime', 'CREATE SCHEMA own AUTHORIZATION uptime');
      for (const setting of await asSuperuser<Setting>(cluster, 'uptime', SETTINGS)) {
        const value = setting.name in LEFT ? null : oddValue(setting);
        if (value === null) continue;
        const list = setting.name === 'search_path' ? value : `'${value}'`;
        await asSuperuser(cluster, 'uptime', `ALTER ROLE uptime IN DATABASE uptime SET ${setting.name} = ${list}`);
        set.push(setting.name);
      }
      app = await startOwnApp({ databaseUrl: url() });
    }, 180_000);
    afterAll(async () => {
      await app.close();
      await cluster.remove();
    });

    it('has an odd value for each setting', () => {
      expect(set).toEqual(expect.arrayContaining(Object.keys(CHOSEN).filter((name) => name !== 'transaction_timeout')));
      expect(set.length).toBeGreaterThan(30);
    });

    const keys = { admin: () => app.admin.key, write: () => app.write.key, read: () => app.read.key, operator: null };
    describeContract(() => app.url, keys, { name: 'the public contract with odd settings' }, []);

    it('has all tables in the schema that its search_path names first', async () => {
      const rows = await asSuperuser(
        cluster,
        'uptime',
        `SELECT DISTINCT schemaname FROM pg_tables WHERE tableowner = 'uptime'`,
      );
      expect(rows).toEqual([{ schemaname: 'own' }]);
    });

    it('is waited for while it is read-only by a setting, with the reason', async () => {
      const readOnly = (value: string) =>
        asSuperuser(
          cluster,
          'uptime',
          `ALTER ROLE uptime IN DATABASE uptime SET default_transaction_read_only = ${value}`,
        );
      await readOnly('on');
      const server = await DatabaseServer.open({ databaseUrl: url(), dataDir: '' });
      await expect(server.migrate([], 100)).rejects.toThrow(
        /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ cannot be used: default_transaction_read_only is on there,/,
      );
      const migrated = server.migrate();
      await readOnly('off');
      await expect(migrated).resolves.toBeUndefined();
      await eventually(
        'the service writes',
        async () => (await app.write.post('/websites', { name: 'A', url: 'https://a.example' })).status === 201,
      );
    });
  },
);
