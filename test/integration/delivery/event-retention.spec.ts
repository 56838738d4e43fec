import { checkConsistency } from '../../../src/alert/consistency/consistency-check';
import { EVENT_RETENTION } from '../../../src/alert/event/event-retention';
import { Config } from '../../../src/platform/config/config';
import { WorkerDatabase } from '../../../src/platform/database/database';
import { BackgroundJobs } from '../../../src/platform/jobs/background-job';
import { RetentionJob } from '../../../src/platform/jobs/retention.job';
import { Metrics } from '../../../src/platform/observability/metrics';
import { Clock } from '../../../src/platform/time/clock';
import { DAY_MS, HOUR_MS } from '../../../src/platform/time/time-units';
import { Alerting } from '../../harness/app/alerting';

const RULE = { failureThreshold: 1, successThreshold: 1 };

class MovedClock extends Clock {
  aheadMs = 0;

  override now(): Date {
    return new Date(super.now().getTime() + this.aheadMs);
  }
}

describe('the retention of alert events', () => {
  let alerting: Alerting;
  let clock: MovedClock;
  let retention: RetentionJob;
  let endpointId: string;
  let alertId: string;

  beforeAll(async () => {
    alerting = await Alerting.start();
    clock = new MovedClock();
    const config = alerting.nest.get(Config);
    const jobs = new BackgroundJobs(config, clock, new Metrics());
    retention = new RetentionJob(alerting.nest.get(WorkerDatabase), config, clock, jobs);
  });
  afterAll(() => alerting.close());
  beforeEach(async () => {
    clock.aheadMs = 0;
    for (const table of ['organization', 'notification', 'alert_event'])
      await alerting.database.query(`DELETE FROM ${table}`);
    const orgId = await alerting.organization();
    endpointId = await alerting.endpoint(orgId);
    alertId = await alerting.alert(orgId, endpointId, RULE);
  });

  /** Makes events and rows that refer to them this many days older. */
  async function age(days: number, where: string): Promise<void> {
    const hex = Math.round(Date.now() - days * DAY_MS)
      .toString(16)
      .padStart(12, '0');
    const aged = (column: string) => `($1 || substr(replace(${column}::text, '-', ''), 13))::uuid`;
    await alerting.database.query(
      `WITH chosen AS (SELECT id FROM alert_event WHERE ${where}),
            alerts AS (UPDATE alert SET trigger_event_id = ${aged('trigger_event_id')} WHERE trigger_event_id IN (SELECT id FROM chosen)),
            deliveries AS (UPDATE notification SET event_id = ${aged('event_id')} WHERE event_id IN (SELECT id FROM chosen))
       UPDATE alert_event SET id = ${aged('id')}, created_at = created_at - make_interval(days => $2) WHERE id IN (SELECT id FROM chosen)`,
      [hex, days],
    );
  }

  const delivered = () =>
    alerting.database.query(`UPDATE notification SET state = 'delivered', finished_at = now() WHERE alert_id = $1`, [
      alertId,
    ]);
  const left = async () =>
    (await alerting.events(alertId))
      .map(({ incident_no, type }) => `${incident_no} ${type}`)
      .sort((a, b) => (a < b ? -1 : 1));
  const findings = () =>
    checkConsistency(alerting.database, { since: new Date(Date.now() - HOUR_MS), now: new Date(), overdueMs: HOUR_MS });

  it('removes old episodes and keeps the newest of each alert, so that the next one still alternates', async () => {
    await alerting.play(endpointId, 'FSFSFS');
    await delivered();
    await age(401, 'true');
    await retention.run(EVENT_RETENTION);
    expect(await left()).toEqual(['3 resolved', '3 triggered']);
    await alerting.play(endpointId, 'FS');
    expect(await findings()).toEqual([]);
    await retention.run(EVENT_RETENTION);
    expect(await left()).toEqual(['3 resolved', '3 triggered', '4 resolved', '4 triggered']);
    expect(await findings()).toEqual([]);
  });

  it('keeps newer events', async () => {
    await alerting.play(endpointId, 'FSFSFS');
    await delivered();
    await age(399, 'incident_no = 1');
    await retention.run(EVENT_RETENTION);
    expect(await left()).toHaveLength(6);
  });

  it('keeps an old trigger while its episode is open, and until the resolve is old too', async () => {
    await alerting.play(endpointId, 'F');
    await delivered();
    await age(500, 'true');
    await retention.run(EVENT_RETENTION);
    expect(await left()).toEqual(['1 triggered']);
    await alerting.play(endpointId, 'SFS');
    await delivered();
    await retention.run(EVENT_RETENTION);
    expect(await left()).toHaveLength(4);
    expect(await findings()).toEqual([]);
  });

  it('keeps an event whose delivery is pending', async () => {
    await alerting.play(endpointId, 'FSFS');
    await age(401, 'true');
    await retention.run(EVENT_RETENTION);
    expect(await left()).toHaveLength(4);
  });

  it('removes the events of deleted alerts', async () => {
    await alerting.play(endpointId, 'FS');
    await delivered();
    await age(401, 'true');
    await alerting.database.query('DELETE FROM alert WHERE id = $1', [alertId]);
    await retention.run(EVENT_RETENTION);
    expect(await left()).toEqual([]);
  });

  it('removes nothing because the clock of this process is two years ahead', async () => {
    await alerting.play(endpointId, 'FSFSFS');
    await delivered();
    clock.aheadMs = 730 * DAY_MS;
    await retention.run(EVENT_RETENTION);
    expect(await left()).toHaveLength(6);
  });
});
