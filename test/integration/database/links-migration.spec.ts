/**
 * @lane slow
 * @databases both
 */
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../../src/platform/database/data-source-options';
import { DatabaseServer } from '../../../src/platform/database/database-server';
import { Links1796432400000 } from '../../../src/platform/database/migrations/1796432400000-links';
import { migrations } from '../../../src/platform/database/migrations/migrations';
import { plainDatabase, type TestDatabase } from '../../harness/database/database';

const [ORG, ADA, BO, KEY] = ['01', '02', '03', '04'].map((n) => `01900000-0000-7000-8000-0000000000${n}`);

/** Accounts, links, invitations, and sessions in the form of the version before this migration. */
const BEFORE = `
  INSERT INTO organization (id, name, is_default) VALUES ('${ORG}', 'Default', true);
  INSERT INTO api_key (id, org_id, name, role, lookup, hash) VALUES ('${KEY}', '${ORG}', 'CI', 'admin', 'x', 'x');
  INSERT INTO person (id, name, email, password, created_at) VALUES
    ('${ADA}', 'Ada', 'ada@example.com', '$scrypt$', now()), ('${BO}', 'Bo', 'bo@example.com', NULL, now());
  INSERT INTO membership (person_id, org_id, role, source, created_at) VALUES
    ('${ADA}', '${ORG}', 'admin', 'invited', now()), ('${BO}', '${ORG}', 'read', 'groups', now());
  INSERT INTO identity (issuer, subject, person_id, created_at) VALUES ('https://login.example.com', 'bo', '${BO}', now());
  INSERT INTO session (hash, id, person_id, org_id, via, created_at, last_seen_at) VALUES
    ('s', gen_random_uuid(), '${ADA}', '${ORG}', 'password', now(), now());
  INSERT INTO sign_in_link (hash, key_id, person_id, purpose, expires_at) VALUES
    ('first', '${KEY}', NULL, 'first', now()), ('sign-in', NULL, '${BO}', 'sign_in', now()), ('password', NULL, '${BO}', 'password', now());
  INSERT INTO invitation (id, org_id, email, role, hash, created_by_id, created_by, created_at, expires_at) VALUES
    ('01900000-0000-7000-8000-000000000011', '${ORG}', 'person@example.com', 'read', '1', '${ADA}', NULL, now(), now()),
    ('01900000-0000-7000-8000-000000000012', '${ORG}', 'key@example.com', 'read', '2', NULL, 'CI', now(), now()),
    ('01900000-0000-7000-8000-000000000013', '${ORG}', 'machine@example.com', 'read', '3', NULL, 'Command line', now(), now()),
    ('01900000-0000-7000-8000-000000000014', '${ORG}', 'revoked@example.com', 'read', '4', NULL, 'Old key', now(), now());
  INSERT INTO audit_log (id, org_id, action, resource, resource_id, changed, via, key_id)
  SELECT gen_random_uuid(), '${ORG}', 'create', 'invitation', id, '{}', CASE email WHEN 'machine@example.com' THEN 'command_line' ELSE 'api_key' END,
         CASE email WHEN 'key@example.com' THEN '${KEY}'::uuid WHEN 'revoked@example.com' THEN gen_random_uuid() END FROM invitation`;

describe('the migration of links', () => {
  let database: TestDatabase;
  let server: DatabaseServer;
  const at = migrations.indexOf(Links1796432400000);

  /** Runs this many migrations, and then the work on the resulting database. */
  async function migratedTo<T>(count: number, work: (source: DataSource) => Promise<T>): Promise<T> {
    const options = dataSourceOptions(server.target, { size: 1, name: 'test', queryTimeoutMs: 0 });
    const source = await new DataSource({ ...options, migrations: migrations.slice(0, count) }).initialize();
    await source.runMigrations({ transaction: 'all' });
    const result = await work(source);
    await source.destroy();
    return result;
  }

  beforeAll(async () => {
    const url = process.env['TEST_DATABASE_URL'] ?? '';
    database = url === '' ? { url: 'embedded:memory', drop: async () => {} } : await plainDatabase(url);
    server = await DatabaseServer.open({ databaseUrl: database.url, dataDir: '' });
  });
  afterAll(async () => {
    await server.close();
    await database.drop();
  });

  it('keeps accounts and sessions, gives each invitation its creator, and ends invitations without one', async () => {
    await migratedTo(at, (source) => source.query(BEFORE));
    await migratedTo(at + 1, async (source) => {
      const rows = async (sql: string): Promise<unknown[]> => (await source.query(sql)) as unknown[];
      expect(
        await rows('SELECT email, created_by_id, created_by_key_id, by_command_line FROM invitation ORDER BY email'),
      ).toEqual([
        { email: 'key@example.com', created_by_id: null, created_by_key_id: KEY, by_command_line: false },
        { email: 'machine@example.com', created_by_id: null, created_by_key_id: null, by_command_line: true },
        { email: 'person@example.com', created_by_id: ADA, created_by_key_id: null, by_command_line: false },
      ]);
      expect(await rows('SELECT purpose FROM sign_in_link ORDER BY purpose')).toEqual([
        { purpose: 'first' },
        { purpose: 'sign_in' },
      ]);
      expect(await rows('SELECT email, email_verified FROM person ORDER BY email')).toEqual([
        { email: 'ada@example.com', email_verified: false },
        { email: 'bo@example.com', email_verified: false },
      ]);
      expect(await rows('SELECT via FROM session')).toEqual([{ via: 'password' }]);
      expect(await rows('SELECT people FROM organization_use')).toEqual([{ people: 5 }]);

      await source.query(
        `INSERT INTO person (id, name, email, created_at) VALUES (gen_random_uuid(), 'Eve', 'bo@example.com', now() + interval '1 s')`,
      );
      await source.undoLastMigration({ transaction: 'all' });
      // The older account keeps the email, which then belongs to only one account.
      expect(await rows('SELECT name, email FROM person ORDER BY name')).toEqual([
        { name: 'Ada', email: 'ada@example.com' },
        { name: 'Bo', email: 'bo@example.com' },
        { name: 'Eve', email: null },
      ]);
      expect(await rows('SELECT count(*)::int AS invitations FROM invitation')).toEqual([{ invitations: 3 }]);
    });
  });
});
