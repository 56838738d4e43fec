import type { Outcome } from '../../../src/checker/checker';
import type { CheckDefinition } from '../../../src/engine/check-definition';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import type { UptimeView } from '../../../src/history/read/uptime.dto';
import { CheckRecorder } from '../../../src/monitoring/record/check-recorder';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { recorded } from '../../harness/app/history';
import { newEndpoint, newWebsite } from '../../harness/app/resources';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
/** The database's time before its clock was set back by an hour. */
const BEFORE = Date.now();
const AFTER = BEFORE - HOUR;

describe('an outage during which the clock of the database is set back', () => {
  let app: TestApp;
  let websiteId: string;
  let endpointId: string;
  let definition: CheckDefinition;

  beforeAll(async () => {
    app = await startApp({ role: 'api' });
    websiteId = await newWebsite(app.write);
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    endpointId = await newEndpoint(app.write, websiteId);
    const uuid = parseId('endpoint', endpointId) ?? '';
    const loaded = await app.app.get(CheckDefinitions).loadOne(app.app.get(Database), uuid);
    if (!loaded) throw new Error('there is no such endpoint');
    definition = loaded;
  });

  /** Records the checks in one batch in this order, each with the database time at which it started. */
  async function record(...checks: (readonly [outcome: Outcome, checkedMs: number])[]): Promise<void> {
    const recorder = app.app.get(CheckRecorder);
    const key = { id: definition.endpointId, key: definition.endpointKey };
    const recordings = checks.map(([outcome, checkedMs]) => {
      const { orgId, revision } = definition;
      return recorder.record({ ...recorded(key, new Date(checkedMs), outcome, 12.5), orgId, revision });
    });
    expect(await Promise.all(recordings)).toEqual(checks.map(() => 'recorded'));
  }
  const outages = () =>
    app.app.get(Database).query<{ from: number; to: number | null }>(
      `SELECT (extract(epoch FROM started_at) * 1000)::float8 AS "from", (extract(epoch FROM ended_at) * 1000)::float8 AS "to"
         FROM outage WHERE endpoint_key = $1 ORDER BY started_at`,
      [definition.endpointKey],
    );
  const down = ['down', BEFORE] as const;

  it('ends an outage at its start if the recovery has an earlier time', async () => {
    await record(['up', BEFORE - SECOND], down);
    await record(['up', AFTER]);
    expect(await outages()).toEqual([{ from: BEFORE, to: BEFORE }]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    const { body } = await app.read.get<UptimeView>(`/endpoints/${endpointId}/uptime?window=24h`);
    expect(body.outages.map(({ ended_at, duration_seconds }) => [ended_at === null, duration_seconds])).toEqual([
      [false, 0],
    ]);
    expect(body.downtime_seconds).toBe(0);
  });

  it('ends an outage with the up check, not with a down check of an earlier time', async () => {
    await record(down);
    await record(['down', AFTER], ['down', AFTER + SECOND]);
    expect(await outages()).toEqual([{ from: BEFORE, to: null }]);
    await record(['up', BEFORE + SECOND]);
    expect(await outages()).toEqual([{ from: BEFORE, to: BEFORE + SECOND }]);
  });

  it('ends an outage although the next one, which stays open, starts in the same batch', async () => {
    await record(down);
    await record(['up', AFTER], ['down', AFTER + SECOND]);
    expect(await outages()).toEqual([
      { from: AFTER + SECOND, to: null },
      { from: BEFORE, to: BEFORE },
    ]);
    await record(['up', AFTER + 2 * SECOND]);
    expect(await outages()).toEqual([
      { from: AFTER + SECOND, to: AFTER + 2 * SECOND },
      { from: BEFORE, to: BEFORE },
    ]);
  });

  it('ends an outage by an up check that started earlier but was recorded later', async () => {
    await record(['down', BEFORE], ['up', BEFORE - SECOND]);
    expect(await outages()).toEqual([{ from: BEFORE, to: BEFORE }]);
  });
});
