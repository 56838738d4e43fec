import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { FairSemaphore } from '../../platform/capacity/fair-semaphore';
import { problems } from '../../platform/problem/problem';
import type { PlanRequest } from './planner';
import { bytesOfWanted } from './state/present-state';
import { lookupOf } from './state/lookup-of';

const MEGABYTE = 1024 * 1024;
/** Settings that an ordinary plan reads at most, and any plan. */
const [ORDINARY_BYTES, MOST_BYTES] = [4 * MEGABYTE, 64 * MEGABYTE];
const RETRY_SECONDS = 2;
const NEVER = new AbortController().signal;

/**
 * Bounds the settings that plans hold in memory at once, whoever asks for them: eight ordinary ones, two of an organization,
 * and one that reads more.
 */
@Injectable()
export class PlanTurns {
  private readonly ordinary = new FairSemaphore({ size: 8, share: 2, waiting: 8 });
  private readonly large = new FairSemaphore({ size: 1, share: 1, waiting: 4 });

  constructor(private readonly database: Database) {}

  /**
   * Not within a transaction: what it waits for may wait for the same session. Throws `rate_limited` when too much of the
   * organization waits, and `conflict` for more settings than are read at once.
   */
  async take<Result>({ caller: { orgId }, document }: PlanRequest, work: () => Promise<Result>): Promise<Result> {
    const bytes = await bytesOfWanted(this.database, orgId, lookupOf(document, document.owner ?? null));
    if (bytes > MOST_BYTES) throw problems.conflict(tooMuch(bytes));
    const leave = await (bytes > ORDINARY_BYTES ? this.large : this.ordinary).take(orgId, NEVER);
    if (!leave) throw problems.rateLimited(RETRY_SECONDS);
    return work().finally(leave);
  }
}

const tooMuch = (bytes: number): string =>
  `The document and the other resources of its owner have ${Math.ceil(bytes / MEGABYTE)} MiB of settings, but a plan reads at most ${MOST_BYTES / MEGABYTE} MiB. Split the document, and give each part its own owner.`;
