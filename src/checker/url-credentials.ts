import { readUrl } from '../platform/text/read-url';

/** Ends of the names of parameters that carry credentials. */
const CREDENTIAL_PARAMETER =
  /(key|token|secret|passw(or)?d|pwd|pass|auth|signature|sig|jwt|session|sid|credentials?)$/i;
/** Letters and digits mixed, longer than what people write: made by a machine. */
const LOOKS_MADE = /^(?=.*\d)(?=.*[a-z])[\w.~+/=-]{16,}$/i;

/** The name of a parameter of an http(s) URL that carries a credential by its name; `null` when there is none. */
export const credentialParameter = (url: string): string | null =>
  parametersOf(url).find(([name]) => CREDENTIAL_PARAMETER.test(name))?.[0] ?? null;

/**
 * True when an http(s) URL must not stand in a file that is passed on: user and password, a parameter that carries a
 * credential by its name, or one that looks as if it did. Wider than what may be sent to a server that nobody verified, as
 * nobody has to change anything for it.
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
