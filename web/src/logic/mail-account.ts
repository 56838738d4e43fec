import type { ConfigValue } from './config-schema';

/**
 * Returns what a channel is missing, if neither the form nor the service would report it before a message fails. `null`
 * if nothing is missing.
 */
export const lackText = (type: string, config: ConfigValue, hasMailAccount: boolean): string | null =>
  type === 'email' && !hasMailAccount && (config['smtp'] ?? null) === null
    ? 'This server has no email account. Enter one below, or ask the operator to set SMTP_URL and SMTP_FROM. No email is sent until then.'
    : null;
