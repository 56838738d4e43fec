import { isRecord } from '../platform/text/json';
import { readUrl } from '../platform/text/read-url';
import type { ProviderResponse } from './provider-client';

/** How a provider confirms a message. */
export interface Promised {
  /** Matches the provider's own hosts. Every other host is a compatible server. */
  hosts: RegExp;
  /** Checks for the exact response that the provider documents, such as 202. */
  isKept: (response: ProviderResponse) => boolean;
}

/**
 * Returns true if the receiver at `url` accepted the message. A compatible server confirms with any 2xx status, unless
 * its body reports a failure. In practice, servers respond to the same message with `{"ok":true}`, `OK`, an empty body,
 * or 204.
 */
export function isTaken(url: string, promised: Promised, response: ProviderResponse): boolean {
  if (promised.hosts.test(readUrl(url)?.hostname ?? '')) return promised.isKept(response);
  return response.status >= 200 && response.status < 300 && !reportsFailure(response);
}

/** Returns true if the body of a response reports a failure, regardless of the status. */
export function reportsFailure({ body, json }: Pick<ProviderResponse, 'body' | 'json'>): boolean {
  const text = body.trim();
  if (Object.keys(json).length === 0) return SLACK_ERROR.test(text) || FAILURE.test(text) || PAGE.test(text);
  const { ok, success, error, errors, result, status } = json;
  return (
    ok === false ||
    success === false ||
    isGiven(error) ||
    isGiven(errors) ||
    [result, status].some((word) => (typeof word === 'string' ? FAILURE.test(word) : Number(word) >= 400))
  );
}

/** Matches the error codes of Slack, such as `no_text` or `channel_not_found`. Compatible servers also use them. */
const SLACK_ERROR =
  /^(?:invalid|missing|no|not|too|unknown)_[a-z_]+$|^[a-z_]+_(?:archived|denied|disabled|error|exceeded|failed|found|long|prohibited)$/;
const FAILURE = /^"?(?:error|fail|failed|failure|false|invalid|not found|refused|rejected|undelivered|unauthorized)\b/i;
/**
 * Matches an HTML page. Chat servers respond with one if the path is wrong, and so does a login page in front of them.
 */
const PAGE = /^(?:<!doctype html|<html)\b/i;

const isGiven = (error: unknown): boolean =>
  Array.isArray(error) ? error.length > 0 : isRecord(error) ? Object.keys(error).length > 0 : Boolean(error);
