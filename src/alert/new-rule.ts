import type { RuleSettings } from './alert.entity';

/** A job is only checked again with its next run. Waiting for three of them could take three nights. */
const AT_ONCE = { failureThreshold: 1, successThreshold: 1 };

/**
 * Returns a new alert's rule: the fields that were sent, or the defaults of its contact. A contact's thresholds don't
 * apply to heartbeats.
 */
export const ruleOfNew = (
  sent: Partial<RuleSettings>,
  defaults: Partial<RuleSettings>,
  isOfHeartbeat: boolean,
): Partial<RuleSettings> => ({ ...defaults, ...(isOfHeartbeat && AT_ONCE), ...sent });
