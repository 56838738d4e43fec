import type { ApiKeyRow } from './api-key.dto';

type Key = Pick<ApiKeyRow, 'role' | 'expires_at'>;

/**
 * Returns whether a key may be revoked. Only an admin key can create keys, so one that never expires must remain. If
 * every admin key expires, one that is still valid must remain.
 */
export function mayBeRevoked(key: Key, otherAdmins: readonly Key[], now: Date): boolean {
  const isValid = ({ expires_at }: Key): boolean => expires_at === null || expires_at > now;
  if (key.role !== 'admin' || !isValid(key)) return true;
  if (otherAdmins.some(({ expires_at }) => expires_at === null)) return true;
  return key.expires_at !== null && otherAdmins.some(isValid);
}
