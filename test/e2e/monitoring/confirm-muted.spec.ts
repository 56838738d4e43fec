/** @lane slow */
import { Database } from '../../../src/platform/database/database';
import { newUuid } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { checksOnDemand } from '../../../packages/testing/service/checks-on-demand';
import { noStalls } from '../../../packages/testing/service/no-stalls';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';
import { SwitchableServer } from '../../harness/servers/switchable-server';

interface Check {
  outcome: string;
  attempts: number;
}

describe('a failure that would trigger an alert', () => {
  let app: TestApp;
  let server: SwitchableServer;
  beforeAll(async () => {
    server = await SwitchableServer.start();
    app = await startOwnApp({ confirmFailures: true }, { extensions: [checksOnDemand, noStalls] });
  });
  afterAll(async () => {
    await app.close();
    await server.close();
  });

  const sql = (text: string, parameters: unknown[]) => app.app.get(Database).query(text, parameters);
  /** Writes an occurrence of a window that covers everything with the tag in the hour around now. */
  const window = async (tag: string, mute: boolean): Promise<void> => {
    const scope = newUuid();
    await sql(
      `INSERT INTO maintenance_scope (id, org_id, covers_all, tags) SELECT $1, id, false, ARRAY[$2] FROM organization WHERE is_default`,
      [scope, tag],
    );
    await sql(
      `INSERT INTO maintenance_occurrence (window_id, starts_at, ends_at, org_id, scope_id, name, mute, exclude_from_uptime, public)
       SELECT $1, now() - interval '1 hour', now() + interval '1 hour', org_id, id, 'Upgrade', $2, true, true
         FROM maintenance_scope WHERE id = $3`,
      [newUuid(), mute, scope],
    );
  };
  const check = async (id: string): Promise<Check> => (await app.write.post<Check>(`/endpoints/${id}/checks`)).body;
  /** Returns how often a failing endpoint with this tag is checked. */
  const attemptsOf = async (tag: string): Promise<number> => {
    const target = { type: 'HTTP', url: `${server.url}/${tag}`, interval: 3600, tags: [tag] };
    const id = await newEndpoint(app.write, await newWebsite(app.write), target);
    expect(await check(id)).toMatchObject({ outcome: 'up', attempts: 1 });
    await newAlert(app.write, id, { failure_threshold: 1 });
    server.switch(tag, 'error');
    const { outcome, attempts } = await check(id);
    expect(outcome).toBe('down');
    return attempts;
  };

  it('is confirmed by a second check', async () => {
    expect(await attemptsOf('plain')).toBe(2);
  });

  it('is not confirmed in a window that mutes: nothing triggers', async () => {
    await window('muted', true);
    expect(await attemptsOf('muted')).toBe(1);
  });

  it('is confirmed in a window that does not mute', async () => {
    await window('counted', false);
    expect(await attemptsOf('counted')).toBe(2);
  });
});
