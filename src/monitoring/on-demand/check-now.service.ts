import { Injectable } from '@nestjs/common';
import { CheckDefinitions } from '../../endpoint/check-definition';
import { EndpointService } from '../../endpoint/endpoint.service';
import { type CheckView, viewOfRecorded } from '../../history/read/check.dto';
import { HistoryWriter } from '../../history/write/history-writer';
import { recordChange } from '../../audit/audit-log';
import type { Caller } from '../../platform/access/caller';
import { problems } from '../../platform/problem/problem';
import { within } from '../../platform/time/within';
import { CheckRecorder } from '../record/check-recorder';
import { CheckRunner } from '../run/check-runner';
import { SchedulerClock } from '../schedule/scheduler-health';

/** A result that is asked for is recorded at once; somebody who keeps the endpoint's row locked may delay it for long. */
const RECORD_WAIT_MS = 5000;

/** A check that somebody asked for: run now, recorded like any other. */
@Injectable()
export class CheckNowService {
  private readonly never = new AbortController().signal;

  constructor(
    private readonly endpoints: EndpointService,
    private readonly definitions: CheckDefinitions,
    private readonly runner: CheckRunner,
    private readonly recorder: CheckRecorder,
    private readonly history: HistoryWriter,
    private readonly clock: SchedulerClock,
  ) {}

  /**
   * Answers when the result is committed; who asked is committed before the check begins. A paused endpoint is a conflict.
   * `temporarily_unavailable` when the result could not be committed within 5 s; it will be, as soon as that is possible.
   */
  async run(caller: Caller, endpointId: string): Promise<CheckView> {
    const endpoint = await this.endpoints.get(caller, endpointId);
    if (endpoint.status === 'paused')
      throw problems.conflict('The endpoint is paused; enable it and its website first.');
    const definition = await this.definitions.loadOne(this.clock.database, endpointId);
    if (!definition) throw problems.notFound();
    await this.clock.database.transaction((tx) =>
      recordChange(tx, { orgId: caller.orgId, action: 'check', resource: 'endpoint', id: endpointId }),
    );
    const checkedAt = new Date(await this.clock.databaseNowMs());
    const check = await this.runner.run(definition, null, checkedAt, this.never);
    if (!check) throw problems.shuttingDown();
    const recorded = await within(RECORD_WAIT_MS, this.recorder.record(check));
    if (recorded === 'late') throw problems.temporarilyUnavailable();
    if (recorded === 'dropped')
      throw problems.conflict('The endpoint was changed while it was being checked; ask again.');
    return viewOfRecorded(check, this.history.checkId(check.endpointKey, checkedAt));
  }
}
