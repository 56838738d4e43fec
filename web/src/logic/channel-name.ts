const NAMES: Record<string, string> = {
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
  twilio: 'SMS (Twilio)',
};

/** Returns a channel type's name as its vendor writes it. */
export const channelName = (type: string): string => NAMES[type] ?? type.charAt(0).toUpperCase() + type.slice(1);
