import { type FinishedCheck, isDegraded } from '../finished-check';
import { BoundedMap } from '../../platform/cache/bounded-map';

/**
 * The number of successes after a failure that are written soon. They may resolve an alert, and alert rules need two by
 * default.
 */
const WATCHED = 10;
/** The maximum number of successes that an alert rule may require. */
const MAY_RESOLVE = 100;
/**
 * The number of consecutive degraded results that are written soon. If an endpoint has been degraded for longer, its
 * results may wait.
 */
const NEWLY_DEGRADED = 10;
/**
 * The number of endpoints per page, one byte each. Endpoints are numbered in creation order, so neighbors share a page.
 */
const PAGE = 4096;
/** 64 MB, for 67 million endpoints. */
const MAX_PAGES = 16_384;

/**
 * The urgency of a result. An `affects_state` result may wait, but may change an alert. A `quiet` result changes
 * nothing but history.
 */
export type Urgency = 'urgent' | 'affects_state' | 'quiet';

/**
 * Decides which results are written soon: an endpoint's first result, every failure, the first degraded results, and
 * the successes after these. Results for an endpoint that has been up for a long time only change its history and may
 * wait. This only affects when a result is written, because the database decides what a result means. `maxPages` limits
 * memory use. After an endpoint was evicted, its next result is urgent.
 */
export class WriteUrgency {
  /**
   * One byte for each endpoint, by page. 0 means that the endpoint isn't known. Otherwise, it is 1 plus the number of
   * coming successes that may resolve an alert. Higher values count consecutive degraded results.
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
