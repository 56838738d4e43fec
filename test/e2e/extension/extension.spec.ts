/** @lane slow */
import { Controller, Get, Module } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { Access } from '../../../src/exports/module';
import type { Extension } from '../../../src/extension/extension';
import { Database } from '../../../src/platform/database/database';
import { eventually } from '../../../packages/testing/eventually';
import { startExactly, type Service } from '../../../packages/testing/service/start-service';
import { freshDatabase } from '../../harness/database/database';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { billing, Invoices1800000000000 } from './billing';

interface Invoice {
  id: string;
  currency: string;
}

describe('an extension with a table, ids, audited resources and settings', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({ role: 'api' }, { extensions: [billing] });
  });
  afterAll(() => app.close());

  const invoice = { title: 'November', cents: 4200 };

  it('serves its routes by the rules of the service: roles, ids, validation, organizations', async () => {
    const made = await app.write.post<Invoice>('/invoices', invoice);
    expect(made).toMatchObject({
      status: 201,
      body: { ...invoice, id: expect.stringMatching(/^invc_/), currency: 'EUR' },
    });
    expect(made.headers['location']).toBe(`/api/v1/invoices/${made.body.id}`);
    expect((await app.read.post('/invoices', invoice)).status).toBe(403);
    expect((await app.anonymous.get('/invoices')).status).toBe(401);
    const wrong = await app.write.post('/invoices', { title: '', cents: 0, more: 1 });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    const other = await app.organization('Other');
    expect((await other.read.get('/invoices')).body).toEqual([]);
    expect((await other.admin.delete(`/invoices/${made.body.id}`)).status).toBe(404);
    expect((await app.admin.delete('/invoices/ws_01jd3k6q7be5y9x4v2m8n0r1st')).status).toBe(404);
    expect((await app.admin.delete(`/invoices/${made.body.id}`)).status).toBe(204);
  });

  it('writes its changes to the audit log, which is filtered by its resource and its ids', async () => {
    const { body } = await app.write.post<Invoice>('/invoices', invoice);
    const log = await app.admin.get(`/audit-log?resource=invoice&resource_id=${body.id}`);
    expect(log.body).toMatchObject([{ action: 'create', resource: 'invoice', resource_id: body.id }]);
    expect((await app.admin.get('/audit-log?resource=receipt')).status).toBe(400);
  });

  it('creates nothing twice for one Idempotency-Key', async () => {
    const once = { 'Idempotency-Key': 'invoice-of-november-0001' };
    const first = await app.write.post<Invoice>('/invoices', invoice, once);
    const second = await app.write.post<Invoice>('/invoices', invoice, once);
    expect(second).toMatchObject({ status: 201, body: first.body, headers: { 'idempotency-replayed': 'true' } });
  });

  it('is in the API document, with its resource among the audited ones', async () => {
    const { body } = await app.anonymous.get<{ paths: object; components: object }>('/openapi.json');
    expect(body.paths).toHaveProperty(['/api/v1/invoices', 'post']);
    expect(body.components).toHaveProperty(
      ['schemas', 'AuditEntry', 'properties', 'resource', 'enum'],
      expect.arrayContaining(['website', 'invoice']),
    );
  });

  it('has removed its rows when an organization was deleted', async () => {
    const other = await app.organization('Short-lived');
    await other.write.post('/invoices', invoice);
    const { body } = await app.operator.get<{ id: string; name: string }[]>('/organizations');
    const id = body.find(({ name }) => name === 'Short-lived')?.id ?? '';
    expect((await app.operator.delete(`/organizations/${id}`)).status).toBe(204);
    await eventually('the invoices to be gone', async () => {
      const rows = await app.app.get(Database).query('SELECT 1 FROM invoice WHERE org_id = $1', [other.orgId]);
      return rows.length === 0;
    });
  });
});

describe('the start with extensions', () => {
  class Refunds1800000001000 implements MigrationInterface {
    async up(runner: QueryRunner): Promise<void> {
      await runner.query('ALTER TABLE invoice ADD COLUMN refunded boolean NOT NULL DEFAULT false');
    }
    async down(): Promise<void> {}
  }
  class Broken1800000002000 implements MigrationInterface {
    async up(runner: QueryRunner): Promise<void> {
      await runner.query('CREATE TABLE half_done (id int)');
      await runner.query('ALTER TABLE nowhere ADD COLUMN x int');
    }
    async down(): Promise<void> {}
  }

  it('keeps the data of an extension when a newer one is installed, and when it is removed', async () => {
    const database = await freshDatabase();
    const isServer = database.url.startsWith('postgres');
    const start = (extensions: readonly Extension[], kept: { dataDir?: string } = {}): Promise<Service> =>
      startExactly({
        database: isServer ? database.url : 'temporary',
        extensions,
        config: { role: 'api', ...(kept.dataDir === undefined ? {} : { dataDir: kept.dataDir }) },
      });
    const first = await start([billing]);
    const kept = { dataDir: first.config.dataDir };
    const { body } = await first.write.post<Invoice>('/invoices', { title: 'Kept', cents: 1 });
    await first.stop();

    const newer = { ...billing, migrations: [Refunds1800000001000, Invoices1800000000000] };
    const second = await start([newer], kept);
    expect((await second.read.get<Invoice[]>('/invoices')).body).toMatchObject([{ id: body.id, title: 'Kept' }]);
    const ran = await second.app.get(Database).query('SELECT extension, name FROM extension_migration ORDER BY name');
    expect(ran).toEqual([
      { extension: 'billing', name: 'Invoices1800000000000' },
      { extension: 'billing', name: 'Refunds1800000001000' },
    ]);
    await second.stop();

    await expect(start([{ ...newer, migrations: [...newer.migrations, Broken1800000002000] }], kept)).rejects.toThrow(
      /nowhere/,
    );
    const third = await start([], kept);
    const rows = await third.app
      .get(Database)
      .query(`SELECT title, refunded, to_regclass('half_done') AS half FROM invoice`);
    expect(rows).toEqual([{ title: 'Kept', refunded: false, half: null }]);
    expect((await third.read.get('/invoices')).status).toBe(404);
    expect((await third.admin.get('/audit-log')).status).toBe(200);
    await third.stop();
    await first.close();
    await database.drop();
  });

  it('is stopped by a route that does not declare its callers, and by a path that is already served', async () => {
    @Controller('api/v1/open')
    class OpenController {
      @Get()
      list(): string[] {
        return [];
      }
    }
    @Controller('api/v1/websites')
    class SecondController {
      @Get(':name')
      @Access('read')
      get(): string {
        return '';
      }
    }
    @Module({ controllers: [OpenController, SecondController] })
    class WrongModule {}
    const start = startOwnApp({ role: 'api' }, { extensions: [{ name: 'wrong', modules: [WrongModule] }] });
    await expect(start).rejects.toThrow(
      /OpenController\.list \(GET \/api\/v1\/open\) does not declare who may call it[\s\S]*GET \/api\/v1\/websites\/:name is served twice: by WebsiteController\.get and by SecondController\.get/,
    );
  });

  it('is stopped by an invalid setting, with an explanation', async () => {
    const start = startExactly({ extensions: [billing], environment: { BILLING_CURRENCY: 'euro' } });
    await expect(start).rejects.toThrow('BILLING_CURRENCY must be three capital letters, not "euro".');
  });
});
