import type { Outcome } from '../../checker/checker';
import { SECOND_MS } from '../../platform/time/time-units';

/** The known state of a parent of a failing endpoint. Both are enabled. */
export interface KnownParent {
  id: string;
  /** The outcome of the newest recorded result, or `unknown` before the first. */
  outcome: Outcome;
  checkedAt: Date | null;
  timeoutSeconds: number;
  /** True if instances or probes check this endpoint. */
  canBeAsked: boolean;
  /** True if no instance checks this endpoint, so that only its probes can. */
  isRemote: boolean;
}

/** A failure that would trigger an alert and isn't recorded yet. */
export interface Failing {
  /** When the streak of failures started that this failure continues, or `null` for the first failure. */
  since: Date | null;
  /** When the failure was found: the end of the attempt, or of the second attempt if it was confirmed. */
  foundAt: Date;
}

export interface ParentsState {
  isAnyDown: boolean;
  /** Parents to check first. */
  toAsk: KnownParent[];
}

/**
 * A common cause doesn't break both at the same moment. A parent that was up this soon after its child failed may be
 * down.
 */
const TOGETHER_MS = 10 * SECOND_MS;

/**
 * Returns the parents that have to be checked before the failure is recorded: their newest result is older than the
 * failure. The list is empty if a parent is known to be down, because the child doesn't trigger then.
 */
export function parentsStateOf({ since, foundAt }: Failing, parents: readonly KnownParent[]): ParentsState {
  if (parents.some(({ outcome }) => outcome === 'down')) return { isAnyDown: true, toAsk: [] };
  const provenAt = Math.min(foundAt.getTime(), since === null ? Infinity : since.getTime() + TOGETHER_MS);
  const toAsk = parents.filter(
    ({ checkedAt, canBeAsked }) => canBeAsked && (checkedAt === null || checkedAt.getTime() < provenAt),
  );
  return { isAnyDown: false, toAsk };
}

/**
 * A child waits for its parent's check, including the confirmation, for as long as that may take, but never longer than
 * this.
 */
const MOST_MS = 60 * SECOND_MS;
export const waitForParentMs = ({ timeoutSeconds }: KnownParent): number =>
  Math.min(MOST_MS, (2 * timeoutSeconds + 5) * SECOND_MS);
