import type { StreakUpdate } from '../../endpoint/streak-update';

/** A check, with its marks at the time of recording. */
export type MarkedCheck = Pick<StreakUpdate, 'checkedAt' | 'muted' | 'isLate'>;

export interface SuppressionFacts {
  /** When the acknowledgement expires, `null` if it lasts as long as the problem, or `undefined` if there is none. */
  acknowledgedUntil: Date | null | undefined;
  isParentDown: boolean;
  /**
   * When the last of its parents that are up came up. Failures found before that may have been caused by the parent.
   */
  parentsUpSince: Date | null;
}

export const NOTHING_KNOWN: SuppressionFacts = {
  acknowledgedUntil: undefined,
  isParentDown: false,
  parentsUpSince: null,
};

/** In this order: planned, too late, acknowledged by a user, caused by a parent. The names are labels of a metric. */
const REASONS = {
  maintenance: ({ muted }) => muted,
  late: ({ isLate }) => isLate === true,
  acknowledged: ({ checkedAt }, { acknowledgedUntil: until }) =>
    until === null || (until !== undefined && checkedAt < until),
  dependency: ({ checkedAt }, { isParentDown, parentsUpSince }) =>
    isParentDown || (parentsUpSince !== null && checkedAt < parentsUpSince),
} satisfies Record<string, (check: MarkedCheck, endpoint: SuppressionFacts) => boolean>;

export type SuppressedBy = keyof typeof REASONS;

/**
 * Returns the first reason why the endpoint's alerts may not trigger with this check, or `null` if they may. Alerts may
 * always resolve, and everything is recorded. When the reason ends, the next check decides. Suppressed triggers aren't
 * sent later, so there is no state to lose. Without `endpoint`, only the check's marks count.
 */
export function suppressedBy(check: MarkedCheck, endpoint: SuppressionFacts = NOTHING_KNOWN): SuppressedBy | null {
  for (const name of Object.keys(REASONS) as SuppressedBy[]) if (REASONS[name](check, endpoint)) return name;
  return null;
}
