import { FIRST_DEFAULTS } from './alert-rule';

/** The most common first channels, with their input fields. */
export const FIRST_CHANNELS = {
  email: { label: 'Address', placeholder: 'ops@example.com', pointer: '/config/to', icon: 'mail' },
  slack: {
    label: 'Slack incoming webhook URL',
    placeholder: 'https://hooks.slack.com/services/…',
    pointer: '/config/webhook_url',
    icon: 'chat',
  },
  webhook: { label: 'URL', placeholder: 'https://hooks.example.com/uptime', pointer: '/config/url', icon: 'hook' },
} as const;
export type FirstChannel = keyof typeof FIRST_CHANNELS;

/** Returns the channels to offer, starting with one that works. Email comes last if the server can't send any. */
export const channelsToOffer = (hasMailAccount: boolean): FirstChannel[] =>
  hasMailAccount ? ['email', 'slack', 'webhook'] : ['slack', 'webhook', 'email'];

/** The mail server of a contact, for a service without its own. */
export interface MailServer {
  host: string;
  username: string;
  password: string;
}
export const NO_SERVER: MailServer = { host: '', username: '', password: '' };

/**
 * Returns a contact that needs only one address or URL. It is a default contact, so endpoints added later also use it.
 * `server` is left out unless it has a host.
 */
export function firstContactBody(type: FirstChannel, address: string, server: MailServer = NO_SERVER) {
  const value = address.trim();
  const key = FIRST_CHANNELS[type].pointer.slice('/config/'.length);
  const several = value.split(/[\s,;]+/).filter((each) => each !== '');
  const name = type === 'email' ? (several[0] ?? 'Email') : type === 'slack' ? 'Slack' : 'Webhook';
  const smtp = type === 'email' && server.host.trim() !== '' ? { smtp: smtpOf(server) } : {};
  return {
    name,
    type,
    config: { [key]: type === 'email' ? several : value, ...smtp },
    default: true,
    alert_defaults: FIRST_DEFAULTS,
  };
}

const smtpOf = ({ host, username, password }: MailServer) => ({
  host: host.trim(),
  ...(username !== '' && { username }),
  ...(password !== '' && { password }),
});
