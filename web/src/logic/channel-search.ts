import { channelName } from './channel-name';

/** Other words by which users search for a channel. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  email: 'smtp',
  webhook: 'custom http json template',
  teams: 'microsoft office 365',
  twilio: 'sms text phone',
  pagerduty: 'pager on-call',
  opsgenie: 'pager on-call jira',
  splunk_oncall: 'pager on-call victorops',
  ilert: 'pager on-call',
  alertmanager: 'prometheus pager',
  google_chat: 'hangouts workspace',
  feishu: 'lark',
  wecom: 'wechat work',
  dingtalk: 'dingding',
  matrix: 'element synapse',
  home_assistant: 'hass',
  ntfy: 'push phone',
  gotify: 'push phone',
  pushover: 'push phone',
  pushbullet: 'push phone',
  bark: 'push phone ios iphone',
};

/** Returns the channels whose name contains all words of the search, the used ones first. The order is kept otherwise. */
export function channelsFound(types: readonly string[], search: string, used: ReadonlySet<string>): string[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = types.filter((type) => {
    const text = `${type} ${channelName(type)} ${OTHER_WORDS[type] ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return [...found.filter((type) => used.has(type)), ...found.filter((type) => !used.has(type))];
}
