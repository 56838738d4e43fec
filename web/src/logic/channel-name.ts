const NAMES: Record<string, string> = {
  teams: 'Microsoft Teams',
  pagerduty: 'PagerDuty',
  twilio: 'SMS (Twilio)',
  webhook: 'Webhook',
  ntfy: 'ntfy',
  google_chat: 'Google Chat',
  rocketchat: 'Rocket.Chat',
  dingtalk: 'DingTalk',
  wecom: 'WeCom',
  line: 'LINE',
  home_assistant: 'Home Assistant',
  splunk_oncall: 'Splunk On-Call',
  ilert: 'ilert',
};

/** Returns a channel type's name as its vendor writes it. */
export const channelName = (type: string): string => NAMES[type] ?? type.charAt(0).toUpperCase() + type.slice(1);
