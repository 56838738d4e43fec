import { Injectable } from '@nestjs/common';
import type { CheckResult } from '../../../checker/checker';
import { CheckerRegistry } from '../../../checker/checker.registry';
import { completeResult } from '../../../checker/complete-result';
import { LOCAL } from '../../../engine/finished-check';
import type { Recorded } from '../../../engine/queue/pending-checks';
import { WorkerDatabase } from '../../../platform/database/database';
import { readDatabaseTime } from '../../../platform/database/database-clock';
import { problems } from '../../../platform/problem/problem';
import { CheckRecorder } from '../../record/check-recorder';
import { PassiveResults } from './passive-results';

interface PassiveEndpoint {
  endpointKey: string;
  revision: number;
  type: string;
}

const READ = 'SELECT key AS "endpointKey", revision, type FROM endpoint WHERE id = $1 AND org_id = $2';

/** Cost: one lookup by primary key, and a share of a batch. */
@Injectable()
export class PassiveResultRecorder extends PassiveResults {
  constructor(
    private readonly database: WorkerDatabase,
    private readonly checkers: CheckerRegistry,
    private readonly recorder: CheckRecorder,
  ) {
    super();
  }

  async take(orgId: string, endpointId: string, result: CheckResult): Promise<Recorded> {
    const [endpoint] = await this.database.query<PassiveEndpoint>(READ, [endpointId, orgId]);
    if (!endpoint) throw problems.notFound();
    const { type, ...known } = endpoint;
    if (!this.checkers.isPassive(type)) throw problems.conflict(`The service itself checks endpoints of type ${type}.`);
    const complete = completeResult(result, null);
    if (complete === null) throw new Error(`The result for an endpoint of type ${type} is not a CheckResult.`);
    const checkedAt = new Date(Math.round(await readDatabaseTime(this.database)));
    const once = { slotMs: null, attempts: 1, firstError: null, planned: false, muted: false } as const;
    return this.recorder.record({ ...known, ...once, location: LOCAL, orgId, endpointId, checkedAt, result: complete });
  }
}
