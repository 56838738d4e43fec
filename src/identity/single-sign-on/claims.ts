import { isEmail, MOST_EMAIL } from '../person/email';
import { isRecord } from '../../platform/text/json';
import { normalizeEmail } from '../person/person-row';

/** Who somebody is for the provider. */
export interface Claims {
  issuer: string;
  subject: string;
  name: string;
  /** Normalized, and only one that the provider has verified. */
  email: string | null;
  groups: SentGroups;
}

/** The groups that the provider sent. A missing list counts as empty: a person who has lost the last group must not keep its role. */
export interface SentGroups {
  list: readonly string[];
  /** Why there is no list: the claim is missing, or the provider keeps it elsewhere (Entra, beyond 200), or it is no list. */
  lack: 'missing' | 'elsewhere' | 'unreadable' | null;
}

type Sent = Readonly<Record<string, unknown>>;

/** As long as a column, and no more than OpenID Connect allows for `sub`. */
const MOST_CHARACTERS = 255;
/** Control characters, and halves of a character, which PostgreSQL does not take. */
const UNFIT = /[\p{Cc}\p{Cs}]/u;
const ALL_UNFIT = new RegExp(UNFIT, 'gu');

/** Whether UserInfo has to be asked: something of these is not in the ID token. */
export const isLacking = (idToken: Sent, groupsClaim: string | null): boolean =>
  ['name', 'email', ...(groupsClaim === null ? [] : [groupsClaim])].some(
    (name) => claimIn(idToken, name) === undefined,
  );

/**
 * Reads the claims of an ID token that is proven to be genuine, and of UserInfo about the same subject where that was asked;
 * the token wins. `null` when issuer or subject are nothing that could be kept.
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
 * The value of a claim: the one of exactly this name, which may have dots or be a URL; else the one that the name leads to, as
 * `realm_access.roles` does. undefined if there is none.
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

/** Address and proof come from the same place: one says nothing of the other's. */
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

/** A single text is a list of one, as OpenID Connect has it for `aud`. null counts as a claim that was left out. */
function groupsOf(idToken: Sent, userInfo: Sent, claim: string): SentGroups {
  const value = claimIn(idToken, claim) ?? claimIn(userInfo, claim) ?? null;
  if (typeof value === 'string') return { list: value === '' ? [] : [value], lack: null };
  if (Array.isArray(value)) return { list: value.filter((one) => typeof one === 'string'), lack: null };
  if (value !== null) return { list: [], lack: 'unreadable' };
  return { list: [], lack: isElsewhere(idToken, claim) || isElsewhere(userInfo, claim) ? 'elsewhere' : 'missing' };
}

/** Whether the provider keeps the claim elsewhere: OpenID Connect Core 5.6.2, or as Entra reports it. */
const isElsewhere = ({ _claim_names: names, hasgroups }: Sent, claim: string): boolean =>
  (isRecord(names) && Object.hasOwn(names, claim)) || (claim === 'groups' && hasgroups === true);
