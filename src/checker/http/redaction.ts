import type { CheckResult, CheckRequest } from '../checker';
import { isSensitiveHeader } from '../request-headers';

/** Shorter pieces of a credential say nothing alone, and hiding them would eat ordinary words. */
const MIN_LENGTH = 6;

/**
 * The report without the credentials among the request's headers: a target may echo what it was sent, in a header, a body
 * or the address it redirects to. Parts of a value (the token behind `Bearer`) count as well.
 */
export function redacted(report: CheckResult, headers: CheckRequest<unknown>['headers']): CheckResult {
  const { error, redirects } = report;
  if (error === null && redirects.length === 0) return report;
  const secrets = headers.filter(({ key }) => isSensitiveHeader(key)).flatMap(({ value }) => piecesOf(value));
  if (secrets.length === 0) return report;
  const hide = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, '(hidden)'), text);
  return {
    ...report,
    error: error && { ...error, message: hide(error.message) },
    redirects: redirects.map(hide),
  };
}

/** Longest first, so that no piece is cut out of a longer one. */
const piecesOf = (value: string): string[] =>
  [value, ...value.split(/[\s;,=]+/)].filter((piece) => piece.length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
