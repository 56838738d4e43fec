import type { Outcome } from '../checker/checker';

/** The stored form of an outcome, in `check_result.outcome` and `endpoint_state.status`. Never renumber. */
export const OUTCOME_CODE: Readonly<Record<Outcome, number>> = { down: 0, up: 1, unknown: 2 };

const OUTCOMES = ['down', 'up', 'unknown'] as const;

/** Returns the outcome for a stored code. Ignores the higher bits, which `check_result` uses for flags. */
export const outcomeOf = (code: number): Outcome => OUTCOMES[code & 3] ?? 'unknown';
