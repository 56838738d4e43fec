import { OUTCOME_CODE } from '../../src/endpoint/outcome-code';
import type { EndpointState } from '../../src/monitoring/record/endpoint-state';

/** An hour without any checks. */
export const NO_COUNTS = { up: 0, down: 0, unknown: 0, planned: 0, degraded: 0 };

/** The state of an endpoint before its first check. */
export const NEW_STATE: EndpointState = {
  status: OUTCOME_CODE.unknown,
  statusSinceMs: null,
  failures: 0,
  successes: 0,
  badStreak: 0,
  goodStreak: 0,
  failingUnmutedSinceMs: null,
  badUnmutedSinceMs: null,
  upSinceMs: null,
  goodSinceMs: null,
  degradedSinceMs: null,
  failingSinceMs: null,
  failingPlanned: false,
  lastCheckedMs: null,
  lastSlotMs: null,
  recent: 0n,
  recentDegraded: 0,
  hours: { hourStart: null, hour: NO_COUNTS, before: NO_COUNTS },
};
