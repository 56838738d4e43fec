import { type FinishedCheck, isDegraded } from '../finished-check';
import { BoundedMap } from '../../platform/cache/bounded-map';

/**
 * Number of successes after a failure that are written soon. They may resolve an alert, and alert rules need two by
 * default.
 */
const WATCHED = 10;
/** The maximum number of successes that an alert rule may require. */
const MAY_RESOLVE = 100;
/**
 * Number of degraded results in a row that are written soon. If an endpoint has been degraded for longer, they may
 * wait.
 */
const NEWLY_DEGRADED = 10;
/**
 * Endpoints per page, one byte each. Endpoints are numbered in the order of their creation, so neighbors share a page.
 */
const PAGE = 4096;
/** 64 MB, for 67 million endpoints. */
const MAX_PAGES = 16_384;

/**
 * The urgency of a result. With `affects_state`, it may wait, but may change an alert. With `quiet`, it changes nothing
 * but history.
 */
export type Urgency = 'urgent' | 'affects_state' | 'quiet';

/**
 * Decides which results are written soon: the first of an endpoint, every failure, the first degraded ones, and the
 * successes after these. Results of an endpoint that has been up for long only change its history and may wait. This is
 * only a hint for the time of writing, because the database decides what a result means. `maxPages` limits the memory.
 * After an endpoint was evicted, its next result is urgent.
 */
export class WriteUrgency {
  /**
   * A byte for each endpoint, by page. 0 means that the endpoint isn't known. Otherwise it is 1 plus the number of
   * coming successes that may resolve an alert. Higher values count degraded results in a row.
   */
  private readonly pages: BoundedMap<number, Uint8Array>;

  constructor(maxPages = MAX_PAGES) {
    this.pages = new BoundedMap(maxPages);
  }

  of(check: Pick<FinishedCheck, 'endpointKey' | 'result'>): Urgency {
    const key = Number(check.endpointKey);
    const page = this.page(Math.floor(key / PAGE));
    const index = key % PAGE;
    const known = page[index] ?? 0;
    if (check.result.outcome !== 'up') {
      page[index] = MAY_RESOLVE + 1;
      return 'urgent';
    }
    if (isDegraded(check)) {
      const inARow = Math.max(known - MAY_RESOLVE, 1);
      page[index] = MAY_RESOLVE + 1 + Math.min(inARow, NEWLY_DEGRADED);
      return inARow > NEWLY_DEGRADED ? 'affects_state' : 'urgent';
    }
    const left = Math.min(known, MAY_RESOLVE + 1) - 1;
    if (left === 0) return 'quiet';
    page[index] = Math.max(1, left);
    return left < 0 || left > MAY_RESOLVE - WATCHED ? 'urgent' : 'affects_state';
  }

  private page(number: number): Uint8Array {
    const known = this.pages.get(number);
    if (known) return known;
    const page = new Uint8Array(PAGE);
    this.pages.set(number, page);
    return page;
  }
}
