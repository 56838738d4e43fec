import type { RuleSettings } from './alert.entity';

/** The next check of a job comes with its next run: three of them would be three nights. */
const AT_ONCE = { failureThreshold: 1, successThreshold: 1 };

/** The rule of a new alert: what was sent, else what its contact has. Thresholds of a contact are not meant for heartbeats. */
export const ruleOfNew = (
  sent: Partial<RuleSettings>,
  defaults: Partial<RuleSettings>,
  isOfHeartbeat: boolean,
): Partial<RuleSettings> => ({ ...defaults, ...(isOfHeartbeat && AT_ONCE), ...sent });
