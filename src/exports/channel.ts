// The exports of `uptime-monitor/channel`: everything that a channel needs.
export {
  type AttemptLimits,
  Channel,
  type ChannelAudience,
  type ConfigProblem,
  type SendOutcome,
  type SendRequest,
} from '../channel/channel';
export type { Notification, NotificationKind, NotificationLinks } from '../channel/notification';
export { ProviderClient, type ProviderRequest, type ProviderResponse } from '../channel/provider-client';
export * as field from '../channel/config/config-fields';
export type { NotificationText } from '../channel/notification-text';
export type { Reading } from '../channel/send-outcome';
