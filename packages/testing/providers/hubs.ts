import { fakeOf } from './vendor-fake';

const APPRISE_KEY = 'canary-apprise-key';
const HOME_TOKEN = 'eyJcanaryHomeAssistant0123456789';

/** Apprise API with one stored configuration. https://github.com/caronc/apprise-api#api-details */
export const FAKE_APPRISE = fakeOf(
  {
    name: 'Apprise',
    config: (url) => ({ server_url: url, config_key: APPRISE_KEY, tag: 'oncall' }),
    success: { status: 200, body: 'Notification(s) sent.', headers: { 'content-type': 'text/plain' } },
    error: (_status, error) => ({ error }),
    path: new RegExp(`^/notify/${APPRISE_KEY}$`),
    rules: (rules, data) => {
      rules.text('title', data['title'], { max: Infinity });
      rules.text('body', data['body'], { max: 32_768, required: true });
      rules.choice('type', data['type'], ['info', 'success', 'warning', 'failure']);
      rules.choice('format', data['format'], ['text', 'markdown', 'html']);
      rules.text('tag', data['tag'], { max: 100 });
    },
  },
  [APPRISE_KEY],
);

/** Home Assistant with one phone. https://developers.home-assistant.io/docs/api/rest/ */
export const FAKE_HOME_ASSISTANT = fakeOf(
  {
    name: 'Home Assistant',
    config: (url) => ({ server_url: url, access_token: HOME_TOKEN, service: 'mobile_app_phone' }),
    success: { status: 200, body: '[]' },
    error: (status, text) => (status === 401 ? `${status}: ${text}` : { message: text }),
    path: /^\/api\/services\/notify\/mobile_app_phone$/,
    credential: ['authorization', `Bearer ${HOME_TOKEN}`],
    rules: (rules, data) => {
      rules.text('title', data['title'], { max: Infinity });
      rules.text('message', data['message'], { max: Infinity, required: true });
      const extra = rules.record('data', data['data']);
      rules.text('data.tag', extra?.['tag'], { max: 500 });
      rules.url('data.url', extra?.['url']);
    },
  },
  [HOME_TOKEN],
);
