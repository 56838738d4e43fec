import { problems } from '../../platform/problem/problem';
import { MINUTE_MS } from '../../platform/time/time-units';
import type { SignedIn } from './session.service';

/** How long after the sign-in a session may be used for changes that outlive it. */
const FRESH_MS = 10 * MINUTE_MS;

/**
 * Whether the person has just proven who they are. A session of the proxy never is: the proxy vouches for each request, but asks
 * the person for nothing.
 */
export const isFresh = ({ createdAt, via }: Pick<SignedIn, 'createdAt' | 'via'>, now: Date): boolean =>
  via !== 'proxy' && now.getTime() - createdAt.getTime() < FRESH_MS;

/**
 * For a new way to sign in, which outlives the session: a stolen session of a day must not become a lasting account. Throws
 * `conflict`.
 */
export function requireFresh(held: Pick<SignedIn, 'createdAt' | 'via'>, now: Date): void {
  if (isFresh(held, now)) return;
  throw problems.conflict(
    held.via === 'proxy'
      ? 'Behind the proxy, you cannot sign in again here. Ask an administrator for a link to set a password, or ask the operator to connect your account.'
      : 'Sign in again first. To add a new way to sign in, you need a session that is less than ten minutes old.',
  );
}
