import { Database } from '../../../src/platform/database/database';
import { formatId, newUuid, parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

interface Shown {
  id: string;
  status: string;
  degraded: boolean;
  maintenance: { id: string; name: string; until: string; mute: boolean; exclude_from_uptime: boolean } | null;
  acknowledgement: { by: string; at: string; note: string; until: string | null } | null;
}

interface Occurrence {
  name: string;
  /** Minutes from now. */
  from: number;
  to: number;
  mute?: boolean;
  exclude?: boolean;
  all?: boolean;
  websites?: string[];
  endpoints?: string[];
  tags?: string[];
}

describe('the details that an endpoint shows in addition to its status', () => {
  let app: TestApp;
  let owner: ServiceOrganization;
  let website: string;
  let endpoint: string;
  let counter = 0;
  const began = Date.now();
  beforeAll(async () => {
    app = await startApp({ role: 'api' });
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    owner = await app.organization(`Owner ${++counter}`);
    website = await newWebsite(owner.write);
    endpoint = await newEndpoint(owner.write, website);
  });

  const sql = (text: string, parameters: unknown[]) => app.app.get(Database).query(text, parameters);
  const uuid = (id: string) => parseId('endpoint', id) ?? parseId('website', id);
  /** Writes `degraded_since` and the status as the recorder does. */
  const state = (status: number, degradedSince: string | null) =>
    sql('UPDATE endpoint_state SET status = $2, degraded_since = $3, last_checked_at = now() WHERE endpoint_id = $1', [
      uuid(endpoint),
      status,
      degradedSince,
    ]);
  const minutes = (from: number): Date => new Date(began + from * 60_000);
  /** Writes a window and its occurrence as they are planned ahead. Returns the window's ID. */
  const window = async (occurrence: Occurrence): Promise<string> => {
    const [scope, id] = [newUuid(), newUuid()];
    const { all = false, websites = [], endpoints = [], tags = [], mute = true, exclude = true } = occurrence;
    await sql('INSERT INTO maintenance_scope VALUES ($1, $2, $3, $4, $5, $6)', [
      scope,
      owner.orgId,
      all,
      websites.map(uuid),
      endpoints.map(uuid),
      tags,
    ]);
    await sql(
      `INSERT INTO maintenance_occurrence (window_id, starts_at, ends_at, org_id, scope_id, name, mute, exclude_from_uptime, public)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true)`,
      [id, minutes(occurrence.from), minutes(occurrence.to), owner.orgId, scope, occurrence.name, mute, exclude],
    );
    return formatId('maintenanceWindow', id);
  };
  const shown = async (id = endpoint): Promise<Shown> => (await owner.read.get<Shown>(`/endpoints/${id}`)).body;

  it('is degraded while its checks are up with a warning, in the list as well', async () => {
    await state(1, '2026-11-20T10:00:00Z');
    expect(await shown()).toMatchObject({ status: 'up', degraded: true });
    const { body } = await owner.read.get<Shown[]>(`/websites/${website}/endpoints`);
    expect(body).toMatchObject([{ id: endpoint, degraded: true }]);
    await state(1, null);
    expect(await shown()).toMatchObject({ status: 'up', degraded: false });
  });

  it('is no longer degraded once it is paused, nor after it is resumed', async () => {
    await state(1, '2026-11-20T10:00:00Z');
    expect((await owner.write.put<Shown>(`/endpoints/${endpoint}`, { enabled: false })).body.degraded).toBe(false);
    expect((await owner.write.put<Shown>(`/endpoints/${endpoint}`, { enabled: true })).body.degraded).toBe(false);
  });

  it('is no longer degraded with another target', async () => {
    await state(1, '2026-11-20T10:00:00Z');
    await owner.write.put(`/endpoints/${endpoint}`, { url: 'https://other.example/' });
    expect(await shown()).toMatchObject({ status: 'unknown', degraded: false });
  });

  it.each<[string, () => Partial<Occurrence>]>([
    ['all endpoints', () => ({ all: true })],
    ['the endpoint', () => ({ endpoints: [endpoint] })],
    ['its website', () => ({ websites: [website] })],
    ['a tag of it', () => ({ tags: ['db', 'mine'] })],
    ['a tag of its website', () => ({ tags: ['ours'] })],
  ])('names the window in force that covers %s', async (_, scope) => {
    await owner.write.put(`/endpoints/${endpoint}`, { tags: ['mine'] });
    await owner.write.put(`/websites/${website}`, { tags: ['ours'] });
    const id = await window({ name: 'Upgrade', from: -5, to: 60, ...scope() });
    const maintenance = {
      id,
      name: 'Upgrade',
      until: minutes(60).toISOString(),
      mute: true,
      exclude_from_uptime: true,
    };
    expect((await shown()).maintenance).toEqual(maintenance);
    const { body } = await owner.read.get<Shown[]>(`/websites/${website}/endpoints`);
    expect(body).toMatchObject([{ maintenance }]);
  });

  it.each<[string, Occurrence]>([
    ['is over', { name: 'Past', from: -60, to: -1, all: true }],
    ['has not started', { name: 'Later', from: 60, to: 120, all: true }],
    ['does not cover the endpoint', { name: 'Others', from: -5, to: 60, tags: ['other'] }],
  ])('names no window that %s', async (_, occurrence) => {
    await window(occurrence);
    expect((await shown()).maintenance).toBeNull();
  });

  it('names no window of another organization', async () => {
    await window({ name: 'Mine', from: -5, to: 60, all: true });
    const other = await app.organization(`Other ${++counter}`);
    const foreign = await newEndpoint(other.write, await newWebsite(other.write));
    expect((await other.read.get<Shown>(`/endpoints/${foreign}`)).body.maintenance).toBeNull();
  });

  it('names the last of several windows, with the end of all that follow and the message of any of them', async () => {
    await window({ name: 'Short', from: -5, to: 10, all: true, mute: false });
    const id = await window({ name: 'Long', from: -5, to: 20, all: true, exclude: false });
    await window({ name: 'Next', from: 20, to: 40, all: true });
    await window({ name: 'Not for us', from: 40, to: 80, tags: ['other'] });
    expect((await shown()).maintenance).toEqual({
      id,
      name: 'Long',
      until: minutes(40).toISOString(),
      mute: true,
      exclude_from_uptime: true,
    });
  });

  describe('of an endpoint that is acknowledged', () => {
    const acknowledged = (until: string | null) =>
      sql(
        `INSERT INTO acknowledgement (endpoint_id, org_id, by_name, at, note, until)
         VALUES ($1, $2, 'Ann', '2026-11-20T10:00:00Z', 'On it', $3)`,
        [uuid(endpoint), owner.orgId, until],
      );

    it.each([null, '2099-01-01T00:00:00.000Z'])('shows by whom, when, and until %s', async (until) => {
      await acknowledged(until);
      const acknowledgement = { by: 'Ann', at: '2026-11-20T10:00:00.000Z', note: 'On it', until };
      expect((await shown()).acknowledgement).toEqual(acknowledgement);
      const { body } = await owner.read.get<Shown[]>(`/websites/${website}/endpoints`);
      expect(body).toMatchObject([{ acknowledgement }]);
    });

    it('shows no acknowledgement once its time is over', async () => {
      await acknowledged('2026-11-20T11:00:00.000Z');
      expect((await shown()).acknowledgement).toBeNull();
    });
  });

  it('may be sent back unchanged', async () => {
    await window({ name: 'Upgrade', from: -5, to: 60, all: true });
    const read = await shown();
    expect(read.maintenance).not.toBeNull();
    expect((await owner.write.put(`/endpoints/${endpoint}`, read)).status).toBe(200);
  });
});
