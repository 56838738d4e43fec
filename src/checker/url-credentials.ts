import { readUrl } from '../platform/text/read-url';

/** Suffixes of parameter names that carry credentials. */
const CREDENTIAL_PARAMETER =
  /(key|token|secret|passw(or)?d|pwd|pass|auth|signature|sig|jwt|session|sid|credentials?)$/i;
/** Mixed letters and digits, longer than what people write: probably generated. */
const LOOKS_MADE = /^(?=.*\d)(?=.*[a-z])[\w.~+/=-]{16,}$/i;

/**
 * Returns the name of a parameter of an http(s) URL that, by its name, carries a credential, or `null` if there is
 * none.
 */
export const credentialParameter = (url: string): string | null =>
  parametersOf(url).find(([name]) => CREDENTIAL_PARAMETER.test(name))?.[0] ?? null;

/**
 * Returns true if an http(s) URL must not be in a file that is shared. It may contain user and password, a parameter
 * whose name suggests a credential, or a value that looks like one. This is stricter than the rule for unverified
 * servers, because users don't have to change anything for it.
 */
export function mayHoldCredential(url: string): boolean {
  const parsed = /^https?:/i.test(url) ? readUrl(url) : null;
  if (parsed === null) return false;
  if (parsed.username !== '' || parsed.password !== '') return true;
  const parameters = [...parametersOf(url), ...new URLSearchParams(parsed.hash.slice(1))];
  return parameters.some(
    ([name, value]) => CREDENTIAL_PARAMETER.test(name) || [name, value].some((text) => LOOKS_MADE.test(text)),
  );
}

const parametersOf = (url: string): [string, string][] =>
  /^https?:/i.test(url) ? [...(readUrl(url)?.searchParams ?? [])] : [];
