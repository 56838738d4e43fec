import type { Outcome } from '../../checker/checker';
import { SECOND_MS } from '../../platform/time/time-units';

/** What is known of an endpoint that a failing one depends on. Both of them are enabled. */
export interface KnownParent {
  id: string;
  /** Its newest recorded result; `unknown` before the first. */
  outcome: Outcome;
  checkedAt: Date | null;
  timeoutSeconds: number;
  /** Instances or probes check it. */
  canBeAsked: boolean;
  /** No instance checks it: its probes are asked. */
  isRemote: boolean;
}

/** A failure that would trigger an alert, not recorded yet. */
export interface Failing {
  /** When the streak of failures began that it goes on with; `null` when it is the first one. */
  since: Date | null;
  /** When it was found: the attempt had ended, the second one where it was confirmed. */
  foundAt: Date;
}

/** What is known of the parents. */
export interface ParentsState {
  isAnyDown: boolean;
  /** Those of which too little is known. */
  toAsk: KnownParent[];
}

/** What breaks both does not break them in the same moment: a parent that was up this soon after its child failed may be down. */
const TOGETHER_MS = 10 * SECOND_MS;

/**
 * Which parents have to be checked before the failure is recorded: those whose newest result says nothing of the time in
 * which the child failed. None when one of them is known to be down: the child does not trigger then.
 */
export function parentsStateOf({ since, foundAt }: Failing, parents: readonly KnownParent[]): ParentsState {
  if (parents.some(({ outcome }) => outcome === 'down')) return { isAnyDown: true, toAsk: [] };
  const provenAt = Math.min(foundAt.getTime(), since === null ? Infinity : since.getTime() + TOGETHER_MS);
  const toAsk = parents.filter(
    ({ checkedAt, canBeAsked }) => canBeAsked && (checkedAt === null || checkedAt.getTime() < provenAt),
  );
  return { isAnyDown: false, toAsk };
}

/** How long a child waits for its parent's check, which may be confirmed as well: as long as that may take, and no more than this. */
const MOST_MS = 60 * SECOND_MS;
export const waitForParentMs = ({ timeoutSeconds }: KnownParent): number =>
  Math.min(MOST_MS, (2 * timeoutSeconds + 5) * SECOND_MS);
