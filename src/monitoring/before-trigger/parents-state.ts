import type { Outcome } from '../../checker/checker';
import { SECOND_MS } from '../../platform/time/time-units';

/** The known state of a failing endpoint's parent. Both endpoints are enabled. */
export interface KnownParent {
  id: string;
  /** The outcome of the newest recorded result, or `unknown` before the first. */
  outcome: Outcome;
  checkedAt: Date | null;
  timeoutSeconds: number;
  /** True if any instance or probe checks this endpoint. */
  canBeAsked: boolean;
  /** True if no instance checks this endpoint, so only its probes can check it. */
  isRemote: boolean;
}

/** A failure that would trigger an alert and isn't recorded yet. */
export interface Failing {
  /** When the current failure streak started, or `null` if this is its first failure. */
  since: Date | null;
  /** When the failure was found: at the end of the attempt, or of the second attempt if the failure was confirmed. */
  foundAt: Date;
}

export interface ParentsState {
  isAnyDown: boolean;
  /** The parents to check first. */
  toAsk: KnownParent[];
}

/**
 * A shared cause doesn't take both endpoints down at exactly the same time. A parent that was up this soon after its
 * child failed may have gone down since.
 */
const TOGETHER_MS = 10 * SECOND_MS;

/**
 * Returns the parents to check before the failure is recorded, because their newest result is older than the failure.
 * The list is empty if a parent is known to be down, because the child doesn't trigger then.
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
 * A child waits for its parent's check, including the confirmation, for as long as the check may take, up to this
 * limit.
 */
const MOST_MS = 60 * SECOND_MS;
export const waitForParentMs = ({ timeoutSeconds }: KnownParent): number =>
  Math.min(MOST_MS, (2 * timeoutSeconds + 5) * SECOND_MS);
