import { Injectable, Logger } from '@nestjs/common';
import { OUTCOME_CODE } from '../endpoint/outcome-code';
import { WorkerDatabase } from '../platform/database/database';
import { DatabaseClock } from '../platform/database/database-clock';
import { plural } from '../platform/text/plural';
import type { Leaving } from './incident-queries';
import { IncidentRecorder } from './incident-recorder';
import { IncidentMetrics } from './incident.metrics';

/** The number of endpoints per transaction. */
const STEP = 500;

/** SQL condition: an open member (`m`) should have left, because it has no triggered alert and isn't held while bad. */
export const IS_LEFT_OVER = `m.ended_at IS NULL
    AND NOT EXISTS (SELECT FROM alert a WHERE a.endpoint_id = m.endpoint_id AND a.triggered)
    AND NOT (m.held AND EXISTS (SELECT FROM endpoint_state s WHERE s.endpoint_id = m.endpoint_id AND s.status <> ${OUTCOME_CODE.up}))`;

/** SQL condition: the endpoint of a triggered alert (`a`) isn't in any incident. */
export const IS_MISSING = `a.triggered
    AND NOT EXISTS (SELECT FROM incident_member m WHERE m.endpoint_id = a.endpoint_id AND m.ended_at IS NULL)`;

/**
 * Makes sure that each endpoint with a triggered alert is an open member of exactly one incident. Alerts that were
 * triggered by an instance running an older version, or were open at the upgrade, get a new incident here. If such an
 * instance resolved an endpoint's alerts, the endpoint leaves its incident.
 */
@Injectable()
export class IncidentAdoption {
  private readonly logger = new Logger(IncidentAdoption.name);

  constructor(
    private readonly database: WorkerDatabase,
    private readonly recorder: IncidentRecorder,
    private readonly clock: DatabaseClock,
    private readonly metrics: IncidentMetrics,
  ) {}

  /**
   * Cost: reads the open alerts and the open members, each by a partial index. If any are wrong, one short transaction
   * per 500 of them.
   */
  async run(): Promise<void> {
    const left = await this.inSteps(() => this.endSome());
    const adopted = await this.inSteps(() => this.adoptSome());
    if (adopted > 0)
      this.logger.warn(`${plural(adopted, 'endpoint')} with a triggered alert had no incident; each has one now`);
    if (left > 0) this.logger.warn(`${plural(left, 'endpoint')} without a triggered alert left their incidents`);
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM incident WHERE ended_at IS NULL`,
    );
    this.metrics.open(row?.count ?? 0);
  }

  private async inSteps(step: () => Promise<number>): Promise<number> {
    for (let sum = 0; ;) {
      const count = await step();
      sum += count;
      if (count < STEP) return sum;
    }
  }

  private async adoptSome(): Promise<number> {
    const rows = await this.database.query<{ orgId: string }>(
      `SELECT a.org_id AS "orgId" FROM alert a WHERE ${IS_MISSING} LIMIT ${STEP}`,
    );
    if (rows.length === 0) return 0;
    const orgIds = [...new Set(rows.map(({ orgId }) => orgId))];
    return this.database.transaction((tx) => this.recorder.adopt(tx, orgIds, STEP));
  }

  private async endSome(): Promise<number> {
    const leaving = await this.database.query<Leaving>(
      `SELECT m.org_id AS "orgId", m.endpoint_id AS "endpointId", $1::timestamptz AS at
         FROM incident_member m WHERE ${IS_LEFT_OVER} LIMIT ${STEP}`,
      [this.clock.now()],
    );
    if (leaving.length > 0)
      await this.database.transaction((tx) => this.recorder.record(tx, [], leaving, () => Promise.resolve()));
    return leaving.length;
  }
}
