import { Injectable, Logger } from '@nestjs/common';
import { CheckPlaces } from '../engine/dispatch/check-places';
import { CheckRunner } from '../engine/run/check-runner';
import { startDeadline } from '../platform/net/deadline';
import type { Ask } from '../probe-protocol/protocol';
import { ResultBuffer } from './results/result-buffer';
import { ServerClock } from './server/server-clock';
import { Assignments } from './slots/assignments';
import { DefinitionReader } from './slots/definition-reader';

/** Immediately runs checks that a caller at the service is waiting for, and sends their results without delay. */
@Injectable()
export class Asks {
  private readonly logger = new Logger(Asks.name);

  constructor(
    private readonly assignments: Assignments,
    private readonly reader: DefinitionReader,
    private readonly places: CheckPlaces,
    private readonly runner: CheckRunner,
    private readonly buffer: ResultBuffer,
    private readonly clock: ServerClock,
  ) {}

  /**
   * Runs one check. If it can't run now, it is dropped, and the caller is notified that there is no result. Never
   * rejects.
   */
  async run(ask: Ask): Promise<void> {
    const definition =
      ask.endpoint_id === null ? this.reader.readTryOut(ask) : this.assignments.get(ask.endpoint_id)?.definition;
    const leftMs = ask.expires_at - this.clock.now();
    if (!definition || leftMs <= 0) return;
    const { orgId, endpointId } = definition;
    const deadline = startDeadline(leftMs);
    try {
      const check = await this.places.runOnDemand(orgId, endpointId, deadline.signal, (signal) => {
        deadline.clear();
        return this.runner.run(definition, null, new Date(Math.round(this.clock.now())), signal);
      });
      if (check) this.buffer.addAsked(check, { requestId: ask.request_id, isTryOut: ask.endpoint_id === null });
    } catch (error) {
      this.logger.debug(`Could not run an on-demand check: ${String(error)}`);
    } finally {
      deadline.clear();
    }
  }
}
