import { randomBytes } from 'node:crypto';

/** How a test makes values that must not be shown, and registers them. */
export interface SecretMaker {
  /** A value that is never shown. */
  secret: (value?: string) => string;
  /** A value that only some keys may read. */
  hidden: (value?: string) => string;
}

/** Returns a config of each channel that is a declaration, with a secret in every place. `base` is a server. */
export function declaredConfigs(base: string, { secret, hidden }: SecretMaker): Record<string, object> {
  const basic = (username: string): string => {
    const password = secret();
    secret(Buffer.from(`${username}:${password}`).toString('base64'));
    return password;
  };
  return {
    ntfy: { server_url: base, topic: hidden(), username: 'uptime', password: basic('uptime') },
    gotify: { server_url: base, app_token: secret() },
    pushover: { app_token: secret(), user_key: secret(), api_url: base },
    pushbullet: { access_token: secret(), api_url: base },
    bark: { server_url: base, device_key: secret() },
    mattermost: { webhook_url: `${base}/hooks/${hidden()}` },
    google_chat: { webhook_url: `${base}/v1/spaces/A/messages?key=${hidden()}&token=${hidden()}` },
    rocketchat: { webhook_url: `${base}/hooks/1/${hidden()}` },
    matrix: { homeserver: base, access_token: secret(), room_id: '!ops:example.com' },
    zulip: { site: base, bot_email: 'bot@example.com', api_key: basic('bot@example.com'), channel: 'operations' },
    signal: { server_url: base, number: '+15005550006', recipients: [hidden()] },
    feishu: { webhook_url: `${base}/open-apis/bot/v2/hook/${hidden()}`, secret: secret() },
    dingtalk: { webhook_url: `${base}/robot/send?access_token=${hidden()}`, secret: secret() },
    wecom: { webhook_url: `${base}/cgi-bin/webhook/send?key=${hidden()}` },
    line: { channel_access_token: secret(), to: hidden(`C${randomBytes(16).toString('hex')}`), api_url: base },
    apprise: { server_url: base, config_key: secret() },
    home_assistant: { server_url: base, access_token: secret() },
    alertmanager: { server_url: base, username: 'alerts', password: basic('alerts') },
    splunk_oncall: { api_key: secret(), routing_key: 'operations', api_url: base },
    ilert: { integration_key: secret(), api_url: base },
  };
}
