import { isEmail, MOST_EMAIL } from '../person/email';
import { normalizeEmail } from '../person/person-row';

/** Who somebody is for the provider. */
export interface Claims {
  issuer: string;
  subject: string;
  name: string;
  /** Normalized, and only one that the provider has verified. */
  email: string | null;
  /** `null` when the provider does not list them. */
  groups: readonly string[] | null;
}

type Sent = Readonly<Record<string, unknown>>;

/** As long as a column, and no more than OpenID Connect allows for `sub`. */
const MOST_CHARACTERS = 255;
/** Control characters, and halves of a character, which PostgreSQL does not take. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;
const ALL_UNFIT = new RegExp(UNFIT, 'gu');

/** Whether UserInfo has to be asked: something of these is not in the ID token. */
export const isLacking = (idToken: Sent, groupsClaim: string | null): boolean =>
  ['name', 'email', ...(groupsClaim === null ? [] : [groupsClaim])].some((name) => idToken[name] === undefined);

/**
 * Reads the claims of an ID token that is proven to be genuine, and of UserInfo about the same subject where that was asked;
 * the token wins. `null` when issuer or subject are nothing that could be kept.
 */
export function claimsOf(idToken: Sent, userInfo: Sent, groupsClaim: string): Claims | null {
  const { iss: issuer, sub: subject } = idToken;
  if (!isKeepable(issuer) || !isKeepable(subject)) return null;
  const email = emailOf(idToken['email'] === undefined ? userInfo : idToken);
  const both = { ...userInfo, ...idToken };
  return {
    issuer,
    subject,
    name: nameOf(both) ?? email?.split('@')[0] ?? 'Somebody',
    email,
    groups: groupsOf(both[groupsClaim]),
  };
}

const isKeepable = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS && !UNFIT.test(value);

/** Address and proof come from the same place: one says nothing of the other's. */
function emailOf({ email, email_verified }: Sent): string | null {
  if (typeof email !== 'string' || email_verified !== true) return null;
  const normalized = normalizeEmail(email);
  return normalized.length <= MOST_EMAIL && !UNFIT.test(normalized) && isEmail(normalized) ? normalized : null;
}

function nameOf({ name, preferred_username }: Sent): string | null {
  for (const value of [name, preferred_username]) {
    if (typeof value !== 'string') continue;
    const clean = [...value.replace(ALL_UNFIT, ' ').trim()].slice(0, MOST_CHARACTERS).join('').trim();
    if (clean !== '') return clean;
  }
  return null;
}

const groupsOf = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : null;
