import { isEmail, MOST_EMAIL } from '../person/email';
import { isRecord } from '../../platform/text/json';
import { normalizeEmail } from '../person/person-row';

/** The provider's information about a user. */
export interface Claims {
  issuer: string;
  subject: string;
  name: string;
  /** The normalized email. Set only if the provider has verified it. */
  email: string | null;
  groups: SentGroups;
}

/**
 * The groups that the provider sent. A missing list is treated as empty, so that a person who has left their last group
 * loses its role.
 */
export interface SentGroups {
  list: readonly string[];
  /**
   * Why there is no list: the claim is missing, the provider stores it elsewhere (Entra does so above 200 groups), or
   * the claim isn't a list.
   */
  lack: 'missing' | 'elsewhere' | 'unreadable' | null;
}

type Sent = Readonly<Record<string, unknown>>;

/** The length of the database column, which is also the maximum that OpenID Connect allows for `sub`. */
const MOST_CHARACTERS = 255;
/** Control characters and lone surrogates, which PostgreSQL rejects. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;
const ALL_UNFIT = new RegExp(UNFIT, 'gu');

/** Returns whether a UserInfo request is needed because the ID token lacks one of these claims. */
export const isLacking = (idToken: Sent, groupsClaim: string | null): boolean =>
  ['name', 'email', ...(groupsClaim === null ? [] : [groupsClaim])].some(
    (name) => claimIn(idToken, name) === undefined,
  );

/**
 * Reads the claims from a verified ID token, and from UserInfo about the same subject if it was requested. The token
 * takes precedence. Returns `null` if the issuer or subject can't be stored.
 */
export function claimsOf(idToken: Sent, userInfo: Sent, groupsClaim: string): Claims | null {
  const { iss: issuer, sub: subject } = idToken;
  if (!isKeepable(issuer) || !isKeepable(subject)) return null;
  const email = emailOf(idToken['email'] === undefined ? userInfo : idToken);
  return {
    issuer,
    subject,
    name: nameOf({ ...userInfo, ...idToken }) ?? email?.split('@')[0] ?? 'Somebody',
    email,
    groups: groupsOf(idToken, userInfo, groupsClaim),
  };
}

/**
 * Returns the value of the claim with exactly this name, which may contain dots or be a URL. If there is none, treats
 * the name as a path, such as `realm_access.roles`. Returns undefined if that doesn't exist either.
 */
function claimIn(sent: Sent, name: string): unknown {
  if (Object.hasOwn(sent, name)) return sent[name];
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const outer = name.slice(0, dot);
    const inner = Object.hasOwn(sent, outer) ? sent[outer] : undefined;
    const found = isRecord(inner) ? claimIn(inner, name.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

const isKeepable = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS && !UNFIT.test(value);

/**
 * The email address and its verification must come from the same source, because one source doesn't vouch for the
 * other's address.
 */
function emailOf({ email, email_verified }: Sent): string | null {
  if (typeof email !== 'string' || email_verified !== true) return null;
  const normalized = normalizeEmail(email);
  return normalized.length <= MOST_EMAIL && !UNFIT.test(normalized) && isEmail(normalized) ? normalized : null;
}

function nameOf({ name, given_name, family_name, preferred_username }: Sent): string | null {
  const parts = [given_name, family_name].filter((part) => typeof part === 'string').join(' ');
  for (const value of [name, parts, preferred_username]) {
    if (typeof value !== 'string') continue;
    const clean = [...value.replace(ALL_UNFIT, ' ').trim()].slice(0, MOST_CHARACTERS).join('').trim();
    if (clean !== '') return clean;
  }
  return null;
}

/**
 * Returns the groups. A single string is treated as a list with one item, as OpenID Connect defines for `aud`. null is
 * treated as a missing claim.
 */
function groupsOf(idToken: Sent, userInfo: Sent, claim: string): SentGroups {
  const value = claimIn(idToken, claim) ?? claimIn(userInfo, claim) ?? null;
  if (typeof value === 'string') return { list: value === '' ? [] : [value], lack: null };
  if (Array.isArray(value)) return { list: value.filter((one) => typeof one === 'string'), lack: null };
  if (value !== null) return { list: [], lack: 'unreadable' };
  return { list: [], lack: isElsewhere(idToken, claim) || isElsewhere(userInfo, claim) ? 'elsewhere' : 'missing' };
}

/**
 * Returns whether the provider stores the claim elsewhere, as defined in OpenID Connect Core 5.6.2 or in Entra's own
 * format.
 */
const isElsewhere = ({ _claim_names: names, hasgroups }: Sent, claim: string): boolean =>
  (isRecord(names) && Object.hasOwn(names, claim)) || (claim === 'groups' && hasgroups === true);
