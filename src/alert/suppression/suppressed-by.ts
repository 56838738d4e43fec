import type { StreakUpdate } from '../../endpoint/streak-update';

/** A check, with the marks that it was recorded with. */
export type MarkedCheck = Pick<StreakUpdate, 'checkedAt' | 'muted' | 'isLate'>;

/** What is known of the endpoint of the check. */
export interface SuppressionFacts {
  /** Somebody has it in hand, until then or (`null`) for as long as it lasts; `undefined`: nobody has. */
  acknowledgedUntil: Date | null | undefined;
  /** A parent is down. */
  isParentDown: boolean;
  /** When the last of its parents that are up came up: what was found before may have been theirs. */
  parentsUpSince: Date | null;
}

export const NOTHING_KNOWN: SuppressionFacts = {
  acknowledgedUntil: undefined,
  isParentDown: false,
  parentsUpSince: null,
};

/**
 * In order: what was planned, what is long past, what a person said, what a parent explains. The names are labels of a metric.
 */
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
 * Why no alert of the endpoint may trigger by this check, the first reason that holds; `null`: it may. Alerts may always
 * resolve, and everything is recorded. When the reason ends, the next bad check decides: nothing is caught up, so there is
 * no state to lose. Without `endpoint` by the marks of the check alone.
 */
export function suppressedBy(check: MarkedCheck, endpoint: SuppressionFacts = NOTHING_KNOWN): SuppressedBy | null {
  for (const name of Object.keys(REASONS) as SuppressedBy[]) if (REASONS[name](check, endpoint)) return name;
  return null;
}
