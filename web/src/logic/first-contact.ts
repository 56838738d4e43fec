import { FAILURES } from './endpoint-defaults';

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

/**
 * Returns a contact that needs only one address or URL. It is a default contact, so endpoints added later also use it.
 */
export function firstContactBody(type: FirstChannel, address: string) {
  const value = address.trim();
  const key = FIRST_CHANNELS[type].pointer.slice('/config/'.length);
  const several = value.split(/[\s,;]+/).filter((each) => each !== '');
  const name = type === 'email' ? (several[0] ?? 'Email') : type === 'slack' ? 'Slack' : 'Webhook';
  return {
    name,
    type,
    config: { [key]: type === 'email' ? several : value },
    default: true,
    alert_defaults: { failure_threshold: FAILURES },
  };
}
