import { type FinishedCheck, isDegraded } from '../finished-check';
import { BoundedMap } from '../../platform/cache/bounded-map';

/** Successes after a failure that are written soon: they may resolve an alert, and rules ask for two by default. */
const WATCHED = 10;
/** A rule may ask for this many successes. */
const MAY_RESOLVE = 100;
/** Degraded results in a row that are written soon; of an endpoint that is degraded for long they may wait. */
const NEWLY_DEGRADED = 10;
/** Endpoints are numbered as they are created: those of neighbouring numbers share a page, a byte each. */
const PAGE = 4096;
/** 64 MB, for 67 million endpoints. */
const MAX_PAGES = 16_384;

/** `affects_state`: it may wait, but an alert may change with it. `quiet`: it changes nothing but history. */
export type Urgency = 'urgent' | 'affects_state' | 'quiet';

/**
 * Which results are written soon: an endpoint's first, every failure, the first degraded ones, and the successes after
 * these. Those of an endpoint that has been up for long change only its history and may wait. A hint for when to write,
 * nothing else: what a result means is decided from the database. `maxPages` bounds the memory; a forgotten endpoint's next
 * result is urgent.
 */
export class WriteUrgency {
  /**
   * Page → of each endpoint: 0 for one that is not known, else 1 more than its next successes that may resolve an alert, and
   * beyond these how many in a row were degraded.
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
