import { bytes, fakeOf, only } from './vendor-fake';

const NTFY_TOKEN = 'tk_canary0123456789abcdef012345';
const GOTIFY_TOKEN = 'AcanaryGotify01';
const PUSHOVER_APP = 'canaryApp0123456789abcdef01234';
const PUSHOVER_USER = 'canaryUser0123456789abcdef0123';
const PUSHBULLET_TOKEN = 'o.canaryPushbullet0123456789abcdef';
const BARK_KEY = 'canaryBarkKey0123456789';

/** A server of ntfy with one protected topic. https://docs.ntfy.sh/publish/#publish-as-json */
export const FAKE_NTFY = fakeOf(
  {
    name: 'ntfy',
    config: (url) => ({ server_url: url, topic: 'uptime', access_token: NTFY_TOKEN }),
    success: { status: 200, body: { id: 'xE73Iyuabi', time: 1795176213, event: 'message', topic: 'uptime' } },
    error: (http, error) => ({ code: http * 100 + 1, http, error, link: 'https://ntfy.sh/docs/publish/' }),
    path: /^\/$/,
    credential: ['authorization', `Bearer ${NTFY_TOKEN}`],
    rules: (rules, data) => {
      rules.text('topic', data['topic'], { max: 64, required: true, pattern: /^[-_A-Za-z0-9]+$/, form: 'a topic' });
      bytes(rules, 'message', data['message'], 4096);
      rules.text('title', data['title'], { max: 1000 });
      rules.integer('priority', data['priority'], 1, 5);
      for (const tag of rules.list('tags', data['tags'], 20)) rules.text('tags', tag, { max: 100, required: true });
      rules.url('click', data['click']);
    },
  },
  [NTFY_TOKEN],
);

/** A server of Gotify with one application. https://gotify.net/docs/pushmsg */
export const FAKE_GOTIFY = fakeOf(
  {
    name: 'Gotify',
    config: (url) => ({ server_url: url, app_token: GOTIFY_TOKEN }),
    success: { status: 200, body: { id: 25, appid: 5, priority: 8, date: '2026-11-20T12:05:00Z' } },
    error: (errorCode, text) => ({ error: 'Bad Request', errorCode, errorDescription: text }),
    path: /^\/message$/,
    credential: ['x-gotify-key', GOTIFY_TOKEN],
    rules: (rules, data) => {
      rules.text('message', data['message'], { max: Infinity, required: true });
      rules.text('title', data['title'], { max: Infinity });
      rules.integer('priority', data['priority'], 0, 10);
      const extras = rules.record('extras', data['extras']);
      for (const key of Object.keys(extras ?? {}))
        rules.must(/^\w+::\w+$/.test(key), `extras.${key}`, 'a key such as client::display', key);
    },
  },
  [GOTIFY_TOKEN],
);

/** Pushover, with its limits. https://pushover.net/api */
export const FAKE_PUSHOVER = fakeOf(
  {
    name: 'Pushover',
    config: (url) => ({ app_token: PUSHOVER_APP, user_key: PUSHOVER_USER, api_url: url }),
    success: { status: 200, body: { status: 1, request: '647d2300-702c-4b38-8b2f-d56326ae460b' } },
    error: (_status, text) => ({ status: 0, request: '647d2300-702c-4b38-8b2f-d56326ae460b', errors: [text] }),
    path: /^\/1\/(?:messages|receipts\/cancel_by_tag\/[A-Za-z0-9_-]+)\.json$/,
    encoding: 'form',
    rules: (rules, data, { path }) => {
      rules.must(data['token'] === PUSHOVER_APP, 'token', 'the token of an application', data['token']);
      if (path.includes('cancel_by_tag')) return only(rules, '', data, ['token']);
      rules.must(data['user'] === PUSHOVER_USER, 'user', 'the key of a user', data['user']);
      rules.text('message', data['message'], { max: 1024, required: true });
      rules.text('title', data['title'], { max: 250 });
      rules.text('url', data['url'], { max: 512 });
      rules.text('url_title', data['url_title'], { max: 100 });
      const priority = Number(data['priority'] ?? 0);
      rules.integer('priority', priority, -2, 2);
      if (priority !== 2) return;
      rules.integer('retry', Number(data['retry']), 30, 10_800);
      rules.integer('expire', Number(data['expire']), 30, 10_800);
    },
  },
  [PUSHOVER_APP, PUSHOVER_USER],
);

/** Pushbullet with one account. https://docs.pushbullet.com/#create-push */
export const FAKE_PUSHBULLET = fakeOf(
  {
    name: 'Pushbullet',
    config: (url) => ({ access_token: PUSHBULLET_TOKEN, api_url: url }),
    success: { status: 200, body: { active: true, iden: 'ujpah72o0sjAoRtnM0jc' } },
    error: (_status, message) => ({ error: { code: 'invalid_request', type: 'invalid_request', message } }),
    path: /^\/v2\/pushes$/,
    credential: ['access-token', PUSHBULLET_TOKEN],
    rules: (rules, data) => {
      if (rules.required('type', data['type'])) rules.choice('type', data['type'], ['note', 'link']);
      rules.text('title', data['title'], { max: Infinity });
      rules.text('body', data['body'], { max: Infinity, required: true });
      rules.must(data['type'] !== 'note' || data['url'] === undefined, 'url', 'absent in a note', data['url']);
      rules.url('url', data['url']);
      rules.text('guid', data['guid'], { max: 100 });
    },
  },
  [PUSHBULLET_TOKEN],
);

/** A server of Bark with one device. An iPhone shows at most 4 KB. https://bark.day.app/#/en-us/tutorial */
export const FAKE_BARK = fakeOf(
  {
    name: 'Bark',
    config: (url) => ({ server_url: url, device_key: BARK_KEY }),
    success: { status: 200, body: { code: 200, message: 'success', timestamp: 1795176213 } },
    error: (code, message) => ({ code, message, timestamp: 1795176213 }),
    path: /^\/push$/,
    rules: (rules, data, { body }) => {
      rules.must(data['device_key'] === BARK_KEY, 'device_key', 'the key of a device', data['device_key']);
      rules.text('title', data['title'], { max: Infinity });
      rules.text('body', data['body'], { max: Infinity, required: true });
      rules.choice('level', data['level'], ['critical', 'active', 'timeSensitive', 'passive']);
      rules.url('url', data['url']);
      rules.must(Buffer.byteLength(body) <= 4096, '', 'at most 4096 bytes', Buffer.byteLength(body));
    },
  },
  [BARK_KEY],
);
