import { readUrl } from '../platform/text/read-url';

/** The suffixes of parameter names that carry credentials. */
const CREDENTIAL_PARAMETER =
  /(key|token|secret|passw(or)?d|pwd|pass|auth|signature|sig|jwt|session|sid|credentials?)$/i;
/** Matches a mix of letters and digits that is too long to be written by a human, so it is probably generated. */
const LOOKS_MADE = /^(?=.*\d)(?=.*[a-z])[\w.~+/=-]{16,}$/i;

/** Returns the first parameter name in an http(s) URL that suggests a credential, or `null` if there is none. */
export const credentialParameter = (url: string): string | null =>
  parametersOf(url).find(([name]) => CREDENTIAL_PARAMETER.test(name))?.[0] ?? null;

/**
 * Returns true if an http(s) URL must not be in a file that is shared. It may contain a user and password, a parameter
 * whose name suggests a credential, or a value that looks like one. This is stricter than the rule for unverified
 * servers, because it doesn't force users to change anything.
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
