// What `import … from 'uptime-monitor/channel'` gives: all that a channel needs.
export {
  type AttemptLimits,
  Channel,
  type ChannelAudience,
  type ConfigProblem,
  type Notification,
  type NotificationKind,
  type NotificationLinks,
  type SendOutcome,
  type SendRequest,
} from '../channel/channel';
export { ProviderClient, type ProviderRequest, type ProviderResponse } from '../channel/provider-client';
export * as field from '../channel/config/config-fields';
export type { NotificationText } from '../channel/notification-text';
export type { Reading } from '../channel/send-outcome';
