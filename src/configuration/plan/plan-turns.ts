import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import { FairSemaphore } from '../../platform/capacity/fair-semaphore';
import { problems } from '../../platform/problem/problem';
import type { PlanRequest } from './planner';
import { bytesOfWanted } from './state/present-state';
import { lookupOf } from './state/lookup-of';

const MEGABYTE = 1024 * 1024;
/** The maximum size of the settings that an ordinary plan may read, and that any plan may read. */
const [ORDINARY_BYTES, MOST_BYTES] = [4 * MEGABYTE, 64 * MEGABYTE];
const RETRY_SECONDS = 2;
const NEVER = new AbortController().signal;

/**
 * Limits the settings that plans hold in memory at the same time: eight ordinary plans, two per organization, and one
 * large plan.
 */
@Injectable()
export class PlanTurns {
  private readonly ordinary = new FairSemaphore({ size: 8, share: 2, waiting: 8 });
  private readonly large = new FairSemaphore({ size: 1, share: 1, waiting: 4 });

  constructor(private readonly database: Database) {}

  /**
   * Runs the work when it is its turn. Don't call this within a transaction, because the plans ahead of it may need the
   * same session. Throws `rate_limited` if too many of the organization's plans are waiting, and `conflict` if the plan
   * would read too many settings.
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
