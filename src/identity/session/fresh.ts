import { problems } from '../../platform/problem/problem';
import { MINUTE_MS } from '../../platform/time/time-units';
import type { SignedIn } from './session.service';

/** How long after the sign-in a session may make changes that outlast it. */
const FRESH_MS = 10 * MINUTE_MS;

/**
 * Returns whether the person has just proven their identity. A session from the proxy is never fresh, because the proxy
 * vouches for each request without asking the person.
 */
export const isFresh = ({ createdAt, via }: Pick<SignedIn, 'createdAt' | 'via'>, now: Date): boolean =>
  via !== 'proxy' && now.getTime() - createdAt.getTime() < FRESH_MS;

/**
 * Requires a fresh session for adding a new way to sign in, which outlasts the session. Otherwise, someone who steals a
 * session could gain lasting access to the account. Throws `conflict`.
 */
export function requireFresh(held: Pick<SignedIn, 'createdAt' | 'via'>, now: Date): void {
  if (isFresh(held, now)) return;
  throw problems.conflict(
    held.via === 'proxy'
      ? 'Behind the proxy, you cannot sign in again here. Ask an administrator for a link to set a password, or ask the operator to connect your account.'
      : 'Sign in again first. To add a new way to sign in, you need a session that is less than ten minutes old.',
  );
}
