import type { RuleSettings } from './alert.entity';

/** The next check of a job comes with its next run. Three of them could take three nights. */
const AT_ONCE = { failureThreshold: 1, successThreshold: 1 };

/**
 * Returns the rule of a new alert: the fields that were sent, else the defaults of its contact. Thresholds of a contact
 * don't apply to heartbeats.
 */
export const ruleOfNew = (
  sent: Partial<RuleSettings>,
  defaults: Partial<RuleSettings>,
  isOfHeartbeat: boolean,
): Partial<RuleSettings> => ({ ...defaults, ...(isOfHeartbeat && AT_ONCE), ...sent });
