import { asWritten } from './variables';
import type { Reader, Source } from './provider-source';

/** Returns an integer within the bounds, or `null`. */
function within({ fields }: Source, name: string, min: number, max: number): number | null {
  const value = fields.integer(name);
  return value !== null && value >= min && value <= max ? value : null;
}

const webhookUrl: Reader = ({ read }) => ({ webhook_url: read('webhook-url') });

/** The conversions to the channels that are declarations. The keys are Gatus' names of providers. */
export const DECLARED_PROVIDERS: Readonly<Record<string, { type: string; reader: Reader }>> = {
  ntfy: {
    type: 'ntfy',
    reader: (source) => ({
      server_url: source.say('url'),
      topic: source.read('topic'),
      access_token: source.read('token'),
      priority: within(source, 'priority', 1, 5),
    }),
  },
  gotify: {
    type: 'gotify',
    reader: (source) => ({
      server_url: source.say('server-url'),
      app_token: source.read('token'),
      priority: within(source, 'priority', 0, 10),
    }),
  },
  pushover: {
    type: 'pushover',
    reader: (source) => ({
      app_token: source.read('application-token'),
      user_key: source.read('user-key'),
      device: source.say('device'),
      sound: source.say('sound'),
      priority: within(source, 'priority', -2, 2),
    }),
  },
  mattermost: {
    type: 'mattermost',
    reader: ({ read, say }) => ({ webhook_url: read('webhook-url'), channel: say('channel') }),
  },
  googlechat: { type: 'google_chat', reader: webhookUrl },
  rocketchat: { type: 'rocketchat', reader: webhookUrl },
  matrix: {
    type: 'matrix',
    reader: ({ read, say }) => ({
      homeserver: say('server-url') ?? 'https://matrix-client.matrix.org',
      access_token: read('access-token'),
      room_id: say('internal-room-id'),
    }),
  },
  zulip: {
    type: 'zulip',
    reader: ({ read, say }) => {
      const domain = say('domain');
      return {
        site: domain === null || domain.includes('://') ? domain : `https://${domain}`,
        bot_email: read('bot-email'),
        api_key: read('bot-api-key'),
        channel: say('channel-id'),
        topic: say('topic') ?? 'Gatus',
      };
    },
  },
  signal: {
    type: 'signal',
    reader: ({ fields, read, say, refer }) => ({
      server_url: say('api-url')?.replace(/\/v2\/send\/?$/, '') ?? null,
      number: read('number'),
      recipients: fields
        .list('recipients')
        .filter((one) => typeof one === 'string')
        .map((one) => refer(one)),
    }),
  },
  line: {
    type: 'line',
    reader: ({ fields, read, refer }) => {
      const [first, ...others] = fields.list('user-ids').filter((one) => typeof one === 'string');
      if (others.length > 0) fields.note('user-ids', `has several IDs, and only ${asWritten(first ?? '')} is notified`);
      return { channel_access_token: read('channel-access-token'), to: first === undefined ? null : refer(first) };
    },
  },
  homeassistant: {
    type: 'home_assistant',
    reader: ({ read, say }) => ({ server_url: say('url'), access_token: read('token') }),
  },
  ilert: { type: 'ilert', reader: ({ read }) => ({ integration_key: read('integration-key') }) },
};
