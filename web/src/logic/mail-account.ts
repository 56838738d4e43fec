import type { ConfigValue } from './config-schema';

/** What a channel lacks that neither its form nor the service says before a message fails; `null` if nothing is missing. */
export const lackText = (type: string, config: ConfigValue, hasMailAccount: boolean): string | null =>
  type === 'email' && !hasMailAccount && (config['smtp'] ?? null) === null
    ? 'This server has no email account. Enter one below, or ask the operator to set SMTP_URL and SMTP_FROM. No email is sent until then.'
    : null;
