import type { Link, Role, SignedIn, SignInMethods } from '../api/types';
import { duration } from './format';

/**
 * Why a sign-in failed, by the code in `#/sign-in/problem/<code>`. Single sign-on and expired links use these codes.
 */
const PROBLEMS: Record<string, string> = {
  used: 'This link has already been used or has expired. Ask for a new one, or sign in another way.',
  denied: 'Single sign-on was canceled or refused. Try again, or sign in another way.',
  expired: 'Signing in took more than ten minutes. Try again.',
  mismatch:
    'The response does not belong to this browser. Another sign-in was started in a different window, or the link is not from here. Try again.',
  refused:
    'Single sign-on sent a response that cannot be accepted. Try again. If the error persists, the operator can find the reason in the log.',
  unreachable:
    'Single sign-on cannot be reached at the moment. Try again in a few minutes, or sign in with a password or an API key.',
  not_invited: 'You do not have an account here yet. Ask a member to invite you, then open the link.',
  email_taken:
    'Single sign-on has verified this email for another account. Sign in to that account, or ask the operator of this installation.',
};
const UNKNOWN = 'Single sign-on did not work. Try again, or sign in another way.';

/** Returns the sentence for a code in `#/sign-in/problem/<code>`. */
export const problemOf = (code: string): string => (Object.hasOwn(PROBLEMS, code) && PROBLEMS[code]) || UNKNOWN;

/** The method that the sign-in page offers first. The others are one click away. */
export type Way = 'password' | 'api_key' | 'single_sign_on';

/**
 * Used if the sign-in methods couldn't be loaded, so that no one is locked out. It includes all methods that need no
 * configuration.
 */
export const ANY_METHOD: SignInMethods = {
  password: true,
  api_key: true,
  single_sign_on: null,
  needs_account: false,
  secure_url: null,
};

/**
 * Returns the URL where the browser would keep the session cookie, if this page isn't one. Over plain HTTP, browsers
 * drop secure cookies, except on localhost. `page` is this page's URL.
 */
export function secureUrlFor(
  { secure_url }: SignInMethods,
  page: { protocol: string; hostname: string },
): string | null {
  const isLocal = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(page.hostname);
  return page.protocol === 'http:' && !isLocal ? secure_url : null;
}

/** Passwords need an account. Users without an account may have a key. */
export function firstWay({ password, single_sign_on, needs_account }: SignInMethods): Way {
  if (password && !needs_account) return 'password';
  return single_sign_on && !password ? 'single_sign_on' : 'api_key';
}

/**
 * The next step on a link's page. `ask` signs in after a click, because email scanners also open links. `member` means
 * that the user has already joined. `sign_in` signs in with the existing account, then joins.
 */
export type Step = 'ask' | 'make_yours' | 'make_account' | 'sign_in' | 'join' | 'member' | 'new_password';

/** Returns the step for a link. `by` is the user who is signed in in this browser. */
export function stepOf(link: Link, by: Pick<SignedIn, 'person' | 'organizations'> | null): Step {
  switch (link.kind) {
    case 'sign_in':
      return 'ask';
    case 'first_account':
      return 'make_yours';
    case 'password':
      return 'new_password';
    case 'invitation':
      if (by?.person) return by.organizations.some(({ id }) => id === link.organization?.id) ? 'member' : 'join';
      return link.has_account ? 'sign_in' : 'make_account';
  }
}

/** The permissions of a role, as the end of "you can …". */
const MAY: Record<Role, string> = {
  read: 'see everything and change nothing',
  responder: 'see everything, and acknowledge, comment, and mute',
  write: 'see everything, and create, change, test, and delete',
  admin: 'do everything, including inviting others and reading the audit log',
};

/** Returns text such as `Ada invites you to “Shop”`. */
export const invites = ({ invited_by, organization }: Link): string =>
  `${invited_by ?? 'Someone'} invites you to “${organization?.name ?? ''}”`;

export const roleText = ({ role }: Link): string =>
  role === null ? '' : `Your role is ${role}: you can ${MAY[role]}.`;

/** Returns the signed-in user's name, for use within a sentence. With AUTH=off, it means everyone. */
export const nameOf = (by: Pick<SignedIn, 'person' | 'key_name'> | null | undefined): string =>
  by?.person?.name ?? (by?.key_name ? `the key “${by.key_name}”` : 'an administrator');

/**
 * Whether the invitation is for a different email address than the signed-in user's. It still works, but the user
 * should know.
 */
export const isForAnother = ({ email }: Link, by: Pick<SignedIn, 'person'>): boolean =>
  email !== null && by.person?.email !== null && by.person?.email !== email;

/**
 * Returns why a sign-in was refused. `wrong` is the sentence for wrong credentials, and `message` is used for any other
 * reason.
 */
export function refusalText(
  wrong: string,
  { status, retryAfter }: { status: number; retryAfter: number | null },
  message: string,
): string {
  if (status === 401) return wrong;
  if (status !== 429 || retryAfter === null) return message;
  return `Too many attempts. Try again in ${duration(retryAfter)}.`;
}
