import { Injectable } from '@nestjs/common';
import { Overload } from '../engine/dispatch/overload';
import { Clock } from '../platform/time/clock';
import { SECOND_MS } from '../platform/time/time-units';
import { VERSION } from '../platform/version';
import { type PollRequest, PROTOCOL, SETTINGS_CAPABILITY } from '../probe-protocol/protocol';
import { ResultBuffer } from './results/result-buffer';
import { ProbeSession } from './server/probe-session';
import { DefinitionReader } from './slots/definition-reader';
import { Work } from './work';

/** Creates a probe's poll requests. Each one reports the probe's state. */
@Injectable()
export class PollRequests {
  constructor(
    private readonly session: ProbeSession,
    private readonly work: Work,
    private readonly reader: DefinitionReader,
    private readonly buffer: ResultBuffer,
    private readonly overload: Overload,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the next request. If it contains the digest, the service responds immediately, which also measures the
   * round-trip time.
   */
  next(mostWaitMs: number, standby: boolean, rttMs: number): PollRequest {
    const { count, digest } = this.work.claim();
    return {
      protocol: PROTOCOL,
      session: this.session.id,
      standby,
      cursor: this.work.cursor,
      wait: digest === null ? mostWaitMs / SECOND_MS : 0,
      version: VERSION,
      types: this.reader.types,
      capabilities: [SETTINGS_CAPABILITY],
      clock: this.clock.now().getTime(),
      count,
      digest,
      buffered: this.buffer.backlog,
      dropped: this.buffer.lost,
      skipped: this.overload.skippedTotal,
      lag_ms: Math.round(this.buffer.oldestMs),
      rtt_ms: Math.round(rttMs),
    };
  }
}
