/** @lane slow */
import { Logger } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configContext, ownerOf } from '../../../src/delivery/config/sealed-config';
import { Config } from '../../../src/platform/config/config';
import { newUuid } from '../../../src/platform/ids/id';
import { SecretBox } from '../../../src/platform/secrets/secret-box';
import { SecretKeysCheck } from '../../../src/platform/secrets/secret-keys-check';
import { SecretRotation } from '../../../src/platform/secrets/secret-rotation';
import { SealedServerSecrets1796432412000 } from '../../../src/platform/database/migrations/1796432412000-sealed-server-secrets';
import { SERVER_SECRETS, ServerSecrets } from '../../../src/platform/secrets/server-secrets';
import { Alerting } from '../../harness/app/alerting';

const OLD = `old:${randomBytes(32).toString('base64')}`;
const NEW = `new:${randomBytes(32).toString('base64')}`;
const boxWith = (...secretsKeys: string[]) => new SecretBox(Object.assign(new Config(), { secretsKeys }));

describe('the keys of stored secrets', () => {
  let alerting: Alerting;
  let endpointId: string;
  let alertId: string;
  const contactId = newUuid();

  beforeAll(async () => {
    alerting = await Alerting.start();
  });
  afterAll(() => alerting.close());

  /** Writes one secret to every column that can contain secrets, encrypted with the old key. */
  beforeEach(async () => {
    await alerting.database.query('DELETE FROM organization');
    await alerting.database.query('DELETE FROM notification');
    const orgId = await alerting.organization();
    endpointId = await alerting.endpoint(orgId);
    alertId = await alerting.alert(orgId, endpointId, { failureThreshold: 1, successThreshold: 1 });
    await alerting.database.query(
      `INSERT INTO contact (id, org_id, name, type, config) VALUES ($1, $2, 'Operations', 'slack', '{}')`,
      [contactId, orgId],
    );
    await sealAll(boxWith(OLD));
  });

  const sealAll = async (box: SecretBox): Promise<void> => {
    const config = JSON.stringify({ sealed: box.seal('{"token":"t"}', configContext(ownerOf(alertId, null))) });
    const headers = JSON.stringify([
      { key: 'Authorization', value: box.seal('Bearer b', `endpoint:${endpointId}:headers`), sealed: true },
      { key: 'Accept', value: 'v1:nobody:AAAA' },
    ]);
    const shared = JSON.stringify({ sealed: box.seal('{"token":"c"}', configContext(ownerOf(alertId, contactId))) });
    await alerting.database.query('UPDATE alert SET config = $2 WHERE id = $1', [alertId, config]);
    await alerting.database.query('UPDATE contact SET config = $2 WHERE id = $1', [contactId, shared]);
    const settings = JSON.stringify({
      values: { user: 'monitor' },
      sealed: box.seal('{"password":"p"}', `endpoint:${endpointId}:settings`),
    });
    await alerting.database.query('UPDATE endpoint SET headers = $2, settings = $3 WHERE id = $1', [
      endpointId,
      headers,
      settings,
    ]);
    await alerting.database.query(
      `INSERT INTO notification (id, org_id, alert_id, kind, incident_no, channel_type, destination, notice, config,
         contact_id, next_attempt_at, created_at)
       VALUES ($1, $1, $3, 'resolved', 1, 'slack', 'somewhere', '{}', $4, NULL, now(), now()),
              ($2, $2, $3, 'resolved', 2, 'slack', 'somewhere', '{}', $5, $6, now(), now())`,
      [newUuid(), newUuid(), alertId, config, shared, contactId],
    );
  };

  const stored = async () => {
    const [row] = await alerting.database.query<{
      alert: string;
      contact: string;
      notification: string;
      throughContact: string;
      header: string;
      plain: string;
      setting: string;
    }>(
      `SELECT a.config ->> 'sealed' AS alert, c.config ->> 'sealed' AS contact, n.config ->> 'sealed' AS notification,
         s.config ->> 'sealed' AS "throughContact", e.headers #>> '{0,value}' AS header, e.headers #>> '{1,value}' AS plain,
         e.settings ->> 'sealed' AS setting
       FROM alert a JOIN contact c ON c.org_id = a.org_id JOIN endpoint e ON e.id = a.endpoint_id
       JOIN notification n ON n.alert_id = a.id AND n.contact_id IS NULL
       JOIN notification s ON s.alert_id = a.id AND s.contact_id = c.id`,
    );
    if (!row) throw new Error('nothing is stored');
    return row;
  };

  const readable = async (box: SecretBox) => {
    const row = await stored();
    return {
      alert: box.open(row.alert, configContext(ownerOf(alertId, null))),
      contact: box.open(row.contact, configContext(ownerOf(alertId, contactId))),
      notification: box.open(row.notification, configContext(ownerOf(alertId, null))),
      throughContact: box.open(row.throughContact, configContext(ownerOf(alertId, contactId))),
      header: box.open(row.header, `endpoint:${endpointId}:headers`),
      setting: box.open(row.setting, `endpoint:${endpointId}:settings`),
      harmless: row.plain,
    };
  };
  const everything = {
    alert: '{"token":"t"}',
    contact: '{"token":"c"}',
    notification: '{"token":"t"}',
    throughContact: '{"token":"c"}',
    header: 'Bearer b',
    setting: '{"password":"p"}',
    // Not encrypted, although its value looks like it was encrypted with an unknown key.
    harmless: 'v1:nobody:AAAA',
  };
  const startWith = (box: SecretBox) => new SecretKeysCheck(alerting.database, box).onModuleInit();

  it('the service starts when SECRETS_KEYS has the key of every stored secret', async () => {
    await expect(startWith(boxWith(NEW, OLD))).resolves.toBeUndefined();
  });

  it('the service does not start without the key of a stored secret, and names it', async () => {
    await expect(startWith(boxWith(NEW))).rejects.toThrow(/keys missing from SECRETS_KEYS: old\./);
    await expect(startWith(boxWith())).rejects.toThrow(/keys missing from SECRETS_KEYS: old\./);
  });

  it('every start checks the keys of stored secrets', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'uptime-secrets-'));
    const start = (...secretsKeys: string[]) => Alerting.start({ databaseUrl: null, dataDir, secretsKeys });
    const first = await start(OLD);
    const orgId = await first.organization();
    await first.alert(orgId, await first.endpoint(orgId), { failureThreshold: 1, successThreshold: 1 });
    await first.close();
    await expect(start(NEW)).rejects.toThrow(/keys missing from SECRETS_KEYS: old\./);
    await rm(dataDir, { recursive: true });
  }, 120_000);

  it('rotation encrypts every stored secret with the new key, and the old one is no longer needed', async () => {
    const rotated = await new SecretRotation(alerting.database, boxWith(NEW, OLD)).rotate();
    expect(rotated).toEqual([
      { table: 'alert', column: 'config', rows: 1, unreadable: [] },
      { table: 'contact', column: 'config', rows: 1, unreadable: [] },
      { table: 'notification', column: 'config', rows: 2, unreadable: [] },
      { table: 'endpoint', column: 'headers', rows: 1, unreadable: [] },
      { table: 'endpoint', column: 'settings', rows: 1, unreadable: [] },
      { table: 'idempotency_key', column: 'body', rows: 0, unreadable: [] },
      { table: 'second_factor', column: 'secret', rows: 0, unreadable: [] },
      { table: 'server_secret', column: 'sealed', rows: 0, unreadable: [] },
    ]);
    await expect(startWith(boxWith(NEW))).resolves.toBeUndefined();
    expect(await readable(boxWith(NEW))).toEqual(everything);
  });

  it('rotation continues past a damaged value, leaves it and names its row', async () => {
    await alerting.database.query(`UPDATE alert SET config = '{"sealed": "v1:old:AAAA"}'`);
    const rotated = await new SecretRotation(alerting.database, boxWith(NEW, OLD)).rotate();
    expect(rotated.map(({ table, rows, unreadable }) => [table, rows, unreadable])).toEqual([
      ['alert', 0, [{ id: alertId, why: 'a stored secret is damaged or belongs to another row' }]],
      ['contact', 1, []],
      ['notification', 2, []],
      ['endpoint', 1, []],
      ['endpoint', 1, []],
      ['idempotency_key', 0, []],
      ['second_factor', 0, []],
      ['server_secret', 0, []],
    ]);
    expect([(await stored()).alert, (await stored()).header]).toEqual([
      'v1:old:AAAA',
      expect.stringMatching(/^v1:new:/) as string,
    ]);
  });

  it('a second rotation changes nothing', async () => {
    const rotation = new SecretRotation(alerting.database, boxWith(NEW, OLD));
    await rotation.rotate();
    const before = await stored();
    expect((await rotation.rotate()).map(({ rows }) => rows)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(await stored()).toEqual(before);
  });

  it('rotation encrypts the stored responses of requests with an Idempotency-Key', async () => {
    const id = '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11';
    const context = `idempotency_key:${id}:body`;
    await alerting.database.query(
      `INSERT INTO idempotency_key (id, org_id, key, route, body_digest, status, headers, body, bytes, expires_at)
       SELECT $1, id, 'k', 'POST /', '', 201, '{}', $2, 2, now() + interval '1 day' FROM organization LIMIT 1`,
      [id, JSON.stringify({ sealed: boxWith(OLD).seal('{}', context) })],
    );
    await new SecretRotation(alerting.database, boxWith(NEW, OLD)).rotate();
    const [row] = await alerting.database.query<{ body: { sealed: string } }>('SELECT body FROM idempotency_key');
    expect(boxWith(NEW).open(row?.body.sealed ?? '', context)).toBe('{}');
    await alerting.database.query('DELETE FROM idempotency_key');
  });

  describe('secrets of the service', () => {
    /** Reads the secrets as the service does at its start. */
    const readWith = async (...keys: string[]): Promise<string[]> => {
      const box = boxWith(...keys);
      const secrets = new ServerSecrets(alerting.database, box, new SecretKeysCheck(alerting.database, box));
      await secrets.onModuleInit();
      return SERVER_SECRETS.map((name) => secrets.get(name).toString('hex'));
    };
    const rows = () =>
      alerting.database.query<{ value: Buffer | null; keyId: string | null }>(
        `SELECT value, substring(sealed ->> 'sealed' FROM '^v1:(\\w+):') AS "keyId" FROM server_secret`,
      );
    beforeEach(async () => {
      await alerting.database.query('DELETE FROM endpoint');
      await alerting.database.query('DELETE FROM contact');
      await alerting.database.query('DELETE FROM notification');
      await alerting.database.query('DELETE FROM server_secret');
    });

    it('are the same before and after keys were introduced, and encrypted from the next start on', async () => {
      const before = await readWith();
      expect((await rows()).every(({ value }) => value !== null)).toBe(true);
      expect(await readWith(OLD)).toEqual(before);
      expect(await rows()).toEqual(SERVER_SECRETS.map(() => ({ value: null, keyId: 'old' })));
      expect(await readWith(OLD)).toEqual(before);
    });

    it('are encrypted from the start if there are keys, and the service does not start without them', async () => {
      const before = await readWith(OLD);
      expect(await rows()).toEqual(SERVER_SECRETS.map(() => ({ value: null, keyId: 'old' })));
      for (const keys of [[], [NEW]])
        await expect(readWith(...keys)).rejects.toThrow(/keys missing from SECRETS_KEYS: old\./);
      expect(await readWith(NEW, OLD)).toEqual(before);
    });

    it('stay the same through a rotation, after which the old key is no longer needed', async () => {
      const before = await readWith(OLD);
      const rotated = await new SecretRotation(alerting.database, boxWith(NEW, OLD)).rotate();
      expect(rotated.at(-1)).toEqual({
        table: 'server_secret',
        column: 'sealed',
        rows: SERVER_SECRETS.length,
        unreadable: [],
      });
      expect(await readWith(NEW)).toEqual(before);
    });

    it('are readable again for the previous version if its migration is reverted with the keys', async () => {
      const before = await readWith(OLD);
      const runner = alerting.database.dataSource.createQueryRunner();
      const migration = new SealedServerSecrets1796432412000();
      const stored = async () => {
        const found: { value: Buffer }[] = await runner.query('SELECT value FROM server_secret ORDER BY name');
        return found.map(({ value }) => value.toString('hex'));
      };
      try {
        await runner.startTransaction();
        await expect(migration.down(runner)).rejects.toThrow(/set SECRETS_KEYS as for the service/);
        await runner.rollbackTransaction();
        await runner.startTransaction();
        process.env['SECRETS_KEYS'] = `${NEW},${OLD}`;
        await migration.down(runner);
        expect((await stored()).sort()).toEqual(before.toSorted());
        await migration.up(runner);
        await runner.commitTransaction();
      } finally {
        delete process.env['SECRETS_KEYS'];
        await runner.release();
      }
      expect(await readWith(NEW)).toEqual(before);
    });
  });

  it('rotation encrypts secrets that were stored without a key', async () => {
    await alerting.database.query('DELETE FROM notification');
    await sealAll(boxWith());
    expect((await stored()).alert).toBe('plain:{"token":"t"}');
    await new SecretRotation(alerting.database, boxWith(NEW)).rotate();
    expect(Object.values(await stored()).join()).not.toContain('plain:');
    expect(await readable(boxWith(NEW))).toEqual(everything);
  });

  it('a start with keys warns of secrets that are stored without encryption, until they are rotated', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    try {
      await alerting.database.query('DELETE FROM notification');
      await sealAll(boxWith());
      await startWith(boxWith(NEW));
      expect(warn.mock.calls.flat().join()).toMatch(/\d+ stored secrets? (is|are) not encrypted/);
      warn.mockClear();
      await new SecretRotation(alerting.database, boxWith(NEW)).rotate();
      await startWith(boxWith(NEW));
      expect(warn).not.toHaveBeenCalled();
    } finally {
      warn.mockRestore();
    }
  });

  it('rotation handles more rows than one of its transactions', async () => {
    const orgId = await alerting.organization();
    const many = await alerting.endpoint(orgId);
    await alerting.database.query(
      `INSERT INTO alert (id, org_id, endpoint_id, type, config)
       SELECT gen_random_uuid(), $1, $2, 'slack', '{"sealed": "plain:{}"}' FROM generate_series(1, 450)`,
      [orgId, many],
    );
    const [alerts] = await new SecretRotation(alerting.database, boxWith(NEW, OLD)).rotate();
    expect(alerts).toEqual({ table: 'alert', column: 'config', rows: 451, unreadable: [] });
  });
});
