import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Returns a new signing secret in the Standard Webhooks format: `whsec_` and 32 random bytes in base64. */
export const newWebhookSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

/**
 * Returns true for one `whsec_…` secret of 24 to 64 bytes, or for two secrets separated by a space during a rotation.
 */
export function isWebhookSecret(text: string): boolean {
  const secrets = text.split(' ');
  return secrets.length <= 2 && secrets.every(isOneSecret);
}

function isOneSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  const { length } = keyOf(text);
  return length >= 24 && length <= 64;
}

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

/**
 * Returns the Standard Webhooks headers: HMAC-SHA256 over `id.timestamp.body`, one `v1,…` per secret. The ID stays the
 * same for all attempts. Each attempt has its own timestamp in seconds, so that receivers can refuse old ones.
 */
export function signatureHeaders(options: {
  id: string;
  timestampSeconds: number;
  body: string;
  secret: string;
}): Record<string, string> {
  const { id, timestampSeconds, body, secret } = options;
  const signed = `${id}.${timestampSeconds}.${body}`;
  const signatures = secret
    .split(' ')
    .map((one) => `v1,${createHmac('sha256', keyOf(one)).update(signed).digest('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}
