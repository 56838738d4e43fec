import { createHmac } from 'node:crypto';
import type { Data, Rules } from './rules';
import { bytes, fakeOf, only } from './vendor-fake';

const MATTERMOST_HOOK = 'canarymattermosthook012345';
const GOOGLE_KEY = 'canary-google-key-0123456789';
const GOOGLE_TOKEN = 'canary-google-token-0123456789';
const ROCKETCHAT_HOOK = 'canaryRocketChat0123456789';
const MATRIX_TOKEN = 'syt_canary_0123456789';
const ZULIP_KEY = 'canaryZulipKey0123456789abcdef';
const ZULIP_BOT = 'uptime-bot@zulip.example.com';
const FEISHU_HOOK = 'canary00-0000-0000-0000-000000000001';
const FEISHU_SECRET = 'canaryFeishuSecret';
const DINGTALK_TOKEN = 'canaryDingTalkToken0123456789';
const DINGTALK_SECRET = 'SECcanaryDingTalk0123456789';
const WECOM_KEY = 'canary00-0000-0000-0000-000000000002';
const LINE_TOKEN = 'canaryLineToken0123456789abcdef';

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64');

/** Checks the attachments that Mattermost and Rocket.Chat take from Slack's format. */
function attachments(rules: Rules, data: Data): void {
  for (const { at, item } of rules.records('attachments', data['attachments'], 100)) {
    rules.text(`${at}.color`, item['color'], { max: 7, pattern: /^#[0-9a-f]{6}$/, form: 'a color' });
    rules.text(`${at}.title`, item['title'], { max: 1000 });
    rules.url(`${at}.title_link`, item['title_link']);
    rules.text(`${at}.text`, item['text'], { max: 16_383, required: true });
  }
}

/** A server of Mattermost with one webhook. https://developers.mattermost.com/integrate/webhooks/incoming/ */
export const FAKE_MATTERMOST = fakeOf(
  {
    name: 'Mattermost',
    config: (url) => ({ webhook_url: `${url}/hooks/${MATTERMOST_HOOK}`, username: 'Uptime' }),
    success: { status: 200, body: 'ok', headers: { 'content-type': 'text/plain' } },
    error: (status_code, message) => ({ id: 'web.incoming_webhook.error', message, status_code }),
    path: new RegExp(`^/hooks/${MATTERMOST_HOOK}$`),
    rules: (rules, data) => {
      rules.text('text', data['text'], { max: 16_383 });
      const has = data['text'] !== undefined || data['attachments'] !== undefined;
      rules.must(has, '', 'a post with text or attachments', Object.keys(data));
      rules.text('username', data['username'], { max: 64 });
      attachments(rules, data);
    },
  },
  [MATTERMOST_HOOK],
);

/** A space of Google Chat. https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create */
export const FAKE_GOOGLE_CHAT = fakeOf(
  {
    name: 'Google Chat',
    config: (url) => ({ webhook_url: `${url}/v1/spaces/AAAA/messages?key=${GOOGLE_KEY}&token=${GOOGLE_TOKEN}` }),
    success: {
      status: 200,
      body: { name: 'spaces/AAAA/messages/BBBB.BBBB', thread: { name: 'spaces/AAAA/threads/C' } },
    },
    error: (code, message) => ({ error: { code, message, status: 'INVALID_ARGUMENT' } }),
    path: /^\/v1\/spaces\/AAAA\/messages\?/,
    rules: (rules, data, { path }) => {
      const query = new URL(path, 'https://chat.googleapis.com').searchParams;
      const isKnown = query.get('key') === GOOGLE_KEY && query.get('token') === GOOGLE_TOKEN;
      rules.must(isKnown, '', 'with the key and the token of the webhook', path, { status: 401 });
      only(rules, '', data, ['text', 'cardsV2', 'thread', 'fallbackText']);
      rules.text('text', data['text'], { max: 4096, required: true });
      const thread = rules.record('thread', data['thread']);
      if (!thread) return;
      rules.text('thread.threadKey', thread['threadKey'], { max: 4000, required: true });
      rules.choice('messageReplyOption', query.get('messageReplyOption'), ['REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD']);
    },
  },
  [GOOGLE_KEY, GOOGLE_TOKEN],
);

/** A server of Rocket.Chat with one integration. https://docs.rocket.chat/docs/create-a-new-incoming-webhook */
export const FAKE_ROCKETCHAT = fakeOf(
  {
    name: 'Rocket.Chat',
    config: (url) => ({ webhook_url: `${url}/hooks/65a/${ROCKETCHAT_HOOK}`, channel: '#operations' }),
    success: { status: 200, body: { success: true } },
    error: (_status, error) => ({ success: false, error }),
    path: new RegExp(`^/hooks/65a/${ROCKETCHAT_HOOK}$`),
    rules: (rules, data) => {
      rules.text('text', data['text'], { max: 5000, required: true });
      rules.text('channel', data['channel'], { max: 100, pattern: /^[#@]/, form: '#channel or @user' });
      attachments(rules, data);
    },
  },
  [ROCKETCHAT_HOOK],
);

/** A homeserver of Matrix. https://spec.matrix.org/latest/client-server-api/#mroommessage */
export const FAKE_MATRIX = fakeOf(
  {
    name: 'Matrix',
    config: (url) => ({ homeserver: url, access_token: MATRIX_TOKEN, room_id: '!ops:example.com' }),
    success: { status: 200, body: { event_id: '$143273582443PhrSn:example.com' } },
    error: (status, error) => ({ errcode: status === 429 ? 'M_LIMIT_EXCEEDED' : 'M_UNKNOWN', error }),
    method: 'PUT',
    path: /^\/_matrix\/client\/v3\/rooms\/!ops%3Aexample\.com\/send\/m\.room\.message\/[A-Za-z0-9_-]+$/,
    credential: ['authorization', `Bearer ${MATRIX_TOKEN}`],
    rules: (rules, data, { body }) => {
      if (rules.required('msgtype', data['msgtype'])) rules.choice('msgtype', data['msgtype'], ['m.text', 'm.notice']);
      rules.text('body', data['body'], { max: Infinity, required: true });
      rules.must(Buffer.byteLength(body) <= 65_000, '', 'at most 65536 bytes as an event', body.length);
    },
  },
  [MATRIX_TOKEN],
);

/** An organization of Zulip with one bot. https://zulip.com/api/send-message */
export const FAKE_ZULIP = fakeOf(
  {
    name: 'Zulip',
    config: (url) => ({ site: url, bot_email: ZULIP_BOT, api_key: ZULIP_KEY, channel: 'operations' }),
    success: { status: 200, body: { result: 'success', msg: '', id: 42 } },
    error: (_status, msg) => ({ result: 'error', msg, code: 'BAD_REQUEST' }),
    path: /^\/api\/v1\/messages$/,
    encoding: 'form',
    credential: ['authorization', `Basic ${Buffer.from(`${ZULIP_BOT}:${ZULIP_KEY}`).toString('base64')}`],
    rules: (rules, data) => {
      rules.choice('type', data['type'], ['stream', 'channel', 'direct']);
      rules.text('to', data['to'], { max: 60, required: true });
      rules.text('topic', data['topic'], { max: 60, required: true });
      rules.text('content', data['content'], { max: 10_000, required: true });
    },
  },
  [ZULIP_KEY, Buffer.from(`${ZULIP_BOT}:${ZULIP_KEY}`).toString('base64')],
);

/** signal-cli-rest-api with one number. https://github.com/bbernhard/signal-cli-rest-api */
export const FAKE_SIGNAL = fakeOf(
  {
    name: 'Signal',
    config: (url) => ({ server_url: url, number: '+15005550006', recipients: ['+15005550009'] }),
    success: { status: 201, body: { timestamp: '1795176213250' } },
    error: (_status, error) => ({ error }),
    path: /^\/v2\/send$/,
    rules: (rules, data) => {
      rules.must(data['number'] === '+15005550006', 'number', 'a registered number', data['number']);
      const recipients = rules.list('recipients', data['recipients'], 100);
      rules.must(recipients.length > 0, 'recipients', 'a list of recipients', data['recipients']);
      rules.text('message', data['message'], { max: 2000, required: true });
    },
  },
  [],
);

/** A custom bot of Feishu that checks signatures. https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot */
export const FAKE_FEISHU = fakeOf(
  {
    name: 'Feishu',
    config: (url) => ({ webhook_url: `${url}/open-apis/bot/v2/hook/${FEISHU_HOOK}`, secret: FEISHU_SECRET }),
    success: { status: 200, body: { StatusCode: 0, StatusMessage: 'success', code: 0, data: {}, msg: 'success' } },
    error: (_status, msg) => ({ code: 19001, data: {}, msg }),
    path: new RegExp(`^/open-apis/bot/v2/hook/${FEISHU_HOOK}$`),
    rules: (rules, data, { body }) => {
      const { timestamp, sign, msg_type: type } = data;
      const signature = hmac(`${String(timestamp)}\n${FEISHU_SECRET}`, '');
      rules.must(sign === signature, 'sign', 'the signature of the timestamp', sign);
      rules.choice('msg_type', type, ['text', 'post', 'interactive']);
      rules.must(Buffer.byteLength(body) <= 20 * 1024, '', 'at most 20 KB', Buffer.byteLength(body));
      const card = rules.record('card', data['card']);
      const header = rules.record('card.header', card?.['header']);
      rules.required('card.header', header);
      rules.choice('card.header.template', header?.['template'], ['red', 'orange', 'green', 'blue']);
      for (const { at, item } of rules.records('card.elements', card?.['elements'], 50)) {
        rules.choice(`${at}.tag`, item['tag'], ['div', 'hr', 'action', 'note']);
        const text = rules.record(`${at}.text`, item['text']);
        rules.choice(`${at}.text.tag`, text?.['tag'], ['plain_text', 'lark_md']);
        rules.text(`${at}.text.content`, text?.['content'], { max: Infinity, required: true });
      }
    },
  },
  [FEISHU_HOOK, FEISHU_SECRET],
);

/** A custom robot of DingTalk that checks signatures. https://open.dingtalk.com/document/robots/custom-robot-access */
export const FAKE_DINGTALK = fakeOf(
  {
    name: 'DingTalk',
    config: (url) => ({ webhook_url: `${url}/robot/send?access_token=${DINGTALK_TOKEN}`, secret: DINGTALK_SECRET }),
    success: { status: 200, body: { errcode: 0, errmsg: 'ok' } },
    error: (_status, errmsg) => ({ errcode: 310000, errmsg }),
    path: /^\/robot\/send\?/,
    rules: (rules, data, { path }) => {
      const query = new URL(path, 'https://oapi.dingtalk.com').searchParams;
      rules.must(query.get('access_token') === DINGTALK_TOKEN, 'access_token', 'the token of a robot', path);
      const timestamp = query.get('timestamp') ?? '';
      const signature = hmac(DINGTALK_SECRET, `${timestamp}\n${DINGTALK_SECRET}`);
      rules.must(/^\d{13}$/.test(timestamp), 'timestamp', 'in milliseconds', timestamp);
      rules.must(query.get('sign') === signature, 'sign', 'the signature of the timestamp', query.get('sign'));
      rules.choice('msgtype', data['msgtype'], ['text', 'markdown', 'link']);
      const text = rules.record('text', data['text']);
      bytes(rules, 'text.content', text?.['content'], 20_000);
    },
  },
  [DINGTALK_TOKEN, DINGTALK_SECRET],
);

/** A bot of a WeCom group. https://developer.work.weixin.qq.com/document/path/91770 */
export const FAKE_WECOM = fakeOf(
  {
    name: 'WeCom',
    config: (url) => ({ webhook_url: `${url}/cgi-bin/webhook/send?key=${WECOM_KEY}` }),
    success: { status: 200, body: { errcode: 0, errmsg: 'ok' } },
    error: (_status, errmsg) => ({ errcode: 40008, errmsg }),
    path: new RegExp(`^/cgi-bin/webhook/send\\?key=${WECOM_KEY}$`),
    rules: (rules, data) => {
      rules.choice('msgtype', data['msgtype'], ['text', 'markdown']);
      const text = rules.record('text', data['text']);
      bytes(rules, 'text.content', text?.['content'], 2048);
    },
  },
  [WECOM_KEY],
);

/** LINE's Messaging API. https://developers.line.biz/en/reference/messaging-api/#send-push-message */
export const FAKE_LINE = fakeOf(
  {
    name: 'LINE',
    config: (url) => ({ channel_access_token: LINE_TOKEN, to: 'C0123456789abcdef0123456789abcdef', api_url: url }),
    success: { status: 200, body: { sentMessages: [{ id: '461230966842064897', quoteToken: 'IStG5h1Tz7b' }] } },
    error: (_status, message) => ({ message }),
    path: /^\/v2\/bot\/message\/push$/,
    credential: ['authorization', `Bearer ${LINE_TOKEN}`],
    goldenHeaders: ['x-line-retry-key'],
    rules: (rules, data, { headers }) => {
      const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
      const key = headers['x-line-retry-key'];
      rules.must(key !== undefined && uuid.test(key), 'x-line-retry-key', 'a UUID', key);
      rules.text('to', data['to'], { max: 33, required: true, pattern: /^[UCR][0-9a-f]{32}$/, form: 'an ID' });
      const messages = rules.records('messages', data['messages'], 5);
      rules.must(messages.length > 0, 'messages', '1 to 5 messages', data['messages']);
      for (const { at, item } of messages) {
        rules.choice(`${at}.type`, item['type'], ['text']);
        rules.text(`${at}.text`, item['text'], { max: 5000, required: true });
      }
      rules.flag('notificationDisabled', data['notificationDisabled']);
    },
  },
  [LINE_TOKEN],
);
