import { readUrl } from '../../../src/platform/text/read-url';
import type { Row } from './file/row';
import type { MappedSettings } from './mapped-settings';
import { said } from './mapped-settings';

/** Kuma's priority of a message, or nothing if it is outside of the bounds. */
const priority = (row: Row, name: string, min: number, max: number): number | null => {
  const value = row.number(name);
  return value !== null && Number.isInteger(value) && value >= min && value <= max ? value : null;
};

const text = (row: Row, name: string): string => row.text(name).trim();

const OWN_TEMPLATE = 'its own template is not used: messages have the format of this service';

/** Settings that only change how a message looks. */
const unused = (row: Row, ...names: readonly (readonly [name: string, what: string])[]): string[] =>
  names.filter(([name]) => text(row, name) !== '').map(([, what]) => `its ${what} is not used`);

/** The conversions to the channels that are declarations. The keys are Kuma's types in lower case. */
export const DECLARED_SETTINGS: Readonly<Record<string, (row: Row) => MappedSettings>> = {
  ntfy: (row) => {
    const method = text(row, 'ntfyAuthenticationMethod');
    const hasPassword = method === 'usernamePassword' || (method === '' && text(row, 'ntfyusername') !== '');
    return {
      type: 'ntfy',
      config: said({
        server_url: text(row, 'ntfyserverurl').replace(/(?<!\/)\/+$/, ''),
        topic: text(row, 'ntfytopic'),
        ...(hasPassword ? { username: text(row, 'ntfyusername'), password: row.text('ntfypassword') } : {}),
        ...(method === 'accessToken' ? { access_token: text(row, 'ntfyaccesstoken') } : {}),
        // Kuma raises the priority of an outage by one.
        priority:
          priority(row, 'ntfyPriorityDown', 1, 5) ?? Math.min(5, (priority(row, 'ntfyPriority', 1, 5) ?? 4) + 1),
      }),
      differences: [
        ...unused(row, ['ntfyIcon', 'icon'], ['ntfyCall', 'phone call']),
        ...(row.flag('ntfyUseTemplate') ? [OWN_TEMPLATE] : []),
      ],
    };
  },
  gotify: (row) => ({
    type: 'gotify',
    config: said({
      server_url: text(row, 'gotifyserverurl').replace(/(?<!\/)\/+$/, ''),
      app_token: text(row, 'gotifyapplicationToken'),
      priority: priority(row, 'gotifyPriority', 0, 10),
    }),
    differences: [],
  }),
  pushover: (row) => ({
    type: 'pushover',
    config: said({
      app_token: text(row, 'pushoverapptoken'),
      user_key: text(row, 'pushoveruserkey'),
      device: text(row, 'pushoverdevice'),
      sound: text(row, 'pushoversounds'),
      priority: priority(row, 'pushoverpriority', -2, 2),
    }),
    differences: unused(
      row,
      ['pushovertitle', 'title'],
      ['pushoversounds_up', 'sound of a recovery'],
      ['pushoverttl', 'time to live'],
    ),
  }),
  pushbullet: (row) => ({
    type: 'pushbullet',
    config: said({ access_token: text(row, 'pushbulletAccessToken') }),
    differences: [],
  }),
  bark: (row) => {
    const url = readUrl(text(row, 'barkEndpoint'));
    const [, key = ''] = url?.pathname.split('/') ?? [];
    return {
      type: 'bark',
      config: said({
        server_url: url?.origin === 'https://api.day.app' ? null : url?.origin,
        device_key: key,
        sound: text(row, 'barkSound'),
      }),
      differences: unused(row, ['barkGroup', 'group']),
    };
  },
  mattermost: (row) => ({
    type: 'mattermost',
    config: said({
      webhook_url: text(row, 'mattermostWebhookUrl'),
      channel: text(row, 'mattermostchannel').toLowerCase(),
      username: text(row, 'mattermostusername'),
    }),
    differences: unused(row, ['mattermosticonemo', 'icon'], ['mattermosticonurl', 'icon URL']),
  }),
  googlechat: (row) => ({
    type: 'google_chat',
    config: said({ webhook_url: text(row, 'googleChatWebhookURL') }),
    differences: row.flag('googleChatUseTemplate') ? [OWN_TEMPLATE] : [],
  }),
  'rocket.chat': (row) => ({
    type: 'rocketchat',
    config: said({
      webhook_url: text(row, 'rocketwebhookURL'),
      channel: text(row, 'rocketchannel'),
      alias: text(row, 'rocketusername'),
    }),
    differences: unused(row, ['rocketiconemo', 'icon']),
  }),
  matrix: (row) => ({
    type: 'matrix',
    config: said({
      homeserver: text(row, 'homeserverUrl').replace(/(?<!\/)\/+$/, ''),
      access_token: text(row, 'accessToken'),
      room_id: text(row, 'internalRoomId'),
    }),
    differences: [],
  }),
  signal: (row) => ({
    type: 'signal',
    config: said({
      server_url: text(row, 'signalURL')
        .replace(/(?<!\/)\/+$/, '')
        .replace(/\/v2\/send$/, ''),
      number: text(row, 'signalNumber'),
      recipients: text(row, 'signalRecipients')
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    }),
    differences: [],
  }),
  feishu: (row) => ({
    type: 'feishu',
    config: said({ webhook_url: text(row, 'feishuWebHookUrl') }),
    differences: [],
  }),
  dingding: (row) => ({
    type: 'dingtalk',
    config: said({ webhook_url: text(row, 'webHookUrl'), secret: text(row, 'secretKey') }),
    differences: /everyone|specify/.test(text(row, 'mentioning')) ? ['it mentions no one'] : [],
  }),
  wecom: (row) => ({
    type: 'wecom',
    config: said({
      webhook_url: `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${encodeURIComponent(text(row, 'weComBotKey'))}`,
    }),
    differences: unused(row, ['weComMentionedMobileList', 'mention']),
  }),
  line: (row) => ({
    type: 'line',
    config: said({ channel_access_token: text(row, 'lineChannelAccessToken'), to: text(row, 'lineUserID') }),
    differences: [],
  }),
  homeassistant: (row) => ({
    type: 'home_assistant',
    config: said({
      server_url: text(row, 'homeAssistantUrl').replace(/(?<!\/)\/+$/, ''),
      access_token: text(row, 'longLivedAccessToken'),
      service: text(row, 'notificationService').replace(/^notify\./, ''),
    }),
    differences: [],
  }),
  splunk: (row) => {
    const url = readUrl(text(row, 'splunkRestURL'));
    const [, key = '', route = ''] = /\/alert\/([^/]+)\/([^/]+)\/?$/.exec(url?.pathname ?? '') ?? [];
    return {
      type: 'splunk_oncall',
      config: said({
        api_key: key,
        routing_key: decodeURIComponent(route),
        api_url: url === null || url.origin === 'https://alert.victorops.com' ? null : url.origin,
      }),
      ...(text(row, 'splunkAutoResolve') === '0' ? { tellsResolved: false as const } : {}),
      differences: /^(?:CRITICAL)?$/i.test(text(row, 'splunkSeverity')) ? [] : ['an outage is always critical'],
    };
  },
};
