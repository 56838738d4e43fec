/** @lane slow */
import { Logger } from '@nestjs/common';
import type { Outcome } from '../../../src/checker/checker';
import type { CheckDefinition } from '../../../src/engine/check-definition';
import { CheckDefinitions } from '../../../src/endpoint/check-definitions';
import type { FinishedCheck } from '../../../src/engine/finished-check';
import { Database } from '../../../src/platform/database/database';
import { parseId } from '../../../src/platform/ids/id';
import { startOwnApp, type TestApp } from '../../harness/app/app';
import type { Api } from '../../../packages/testing/service/api';
import type { ServiceOrganization } from '../../../packages/testing/service/start-service';
import { recorded as finishedCheck } from '../../harness/app/history';
import { newRecorder } from '../../harness/app/recorder';
import { newAlert, newEndpoint, newWebsite } from '../../harness/app/resources';

describe('the results of one organization', () => {
  let app: TestApp;
  let database: Database;
  let other: ServiceOrganization;
  let tick = Date.now() - 3_600_000;

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    app = await startOwnApp({ role: 'api' });
    database = app.app.get(Database);
    other = await app.organization('Other');
  });
  afterAll(async () => {
    await app.close();
    jest.restoreAllMocks();
  });

  const definitionOf = async (endpointId: string): Promise<CheckDefinition> => {
    const definition = await app.app.get(CheckDefinitions).loadOne(database, endpointId);
    if (!definition) throw new Error('there is no such endpoint');
    return definition;
  };

  function next({ endpointId, endpointKey, orgId, revision }: CheckDefinition, outcome: Outcome): FinishedCheck {
    tick += 5;
    const check = finishedCheck({ id: endpointId, key: endpointKey }, new Date(tick), outcome, 12.5);
    return { ...check, orgId, revision, slotMs: tick };
  }

  const endpointOf = async (api: Api): Promise<string> => newEndpoint(api, await newWebsite(api));
  const uuidOf = (id: string): string => parseId('endpoint', id) ?? '';
  /** Creates endpoints with fifty alerts each, all of which the next failure triggers. */
  async function endpointsWithAlerts(count: number): Promise<CheckDefinition[]> {
    const website = await newWebsite(other.write);
    const ids: string[] = [];
    // One after the other, because a busy machine refuses many requests at once.
    while (ids.length < count) ids.push(await newEndpoint(other.write, website));
    await newAlert(other.write, ids[0] ?? '', { failure_threshold: 1 });
    await database.query(
      `INSERT INTO alert (id, org_id, endpoint_id, type, config, destination, failure_threshold)
       SELECT gen_random_uuid(), a.org_id, e.id, a.type, a.config, a.destination, 1
         FROM alert a, unnest($1::uuid[]) AS e (id), generate_series(1, 50)`,
      [ids.map(uuidOf)],
    );
    return Promise.all(ids.map((id) => definitionOf(uuidOf(id))));
  }

  it('are written with the next batch, no matter how many results of another one wait', async () => {
    const mine = await definitionOf(uuidOf(await endpointOf(app.write)));
    const theirs = await definitionOf(uuidOf(await endpointOf(other.write)));
    const recorder = newRecorder(app);
    for (let count = 0; count < 5000; count++) recorder.add(next(theirs, 'up'));
    expect(await recorder.record(next(mine, 'down'))).toBe('recorded');
    expect(recorder.backlog).toBeGreaterThanOrEqual(4000);
    await recorder.drain(20_000);
    expect(recorder.backlog).toBe(0);
  });

  it('do not wait until thousands of alerts of another one are triggered', async () => {
    const mine = await definitionOf(uuidOf(await endpointOf(app.write)));
    const theirs = await endpointsWithAlerts(60);
    const recorder = newRecorder(app);
    for (const definition of theirs) recorder.add(next(definition, 'down'));
    expect(await recorder.record(next(mine, 'up'))).toBe('recorded');
    expect(recorder.backlog).toBeGreaterThanOrEqual(30);
    await recorder.drain(60_000);
    expect(await database.query('SELECT count(*)::int AS count FROM alert WHERE triggered')).toEqual([{ count: 3001 }]);
  });
});
