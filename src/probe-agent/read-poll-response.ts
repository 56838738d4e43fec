import type { Ask, AssignedEndpoint, Definition, PollResponse } from '../probe-protocol/protocol';
import { isRecord } from '../platform/text/json';

/**
 * Parses a poll response. Returns `null` if it is invalid. Endpoints and requests that can't be parsed are left out, so
 * that one entry from a newer service doesn't prevent the other checks. The definition reader handles unknown parts of
 * a definition.
 */
export function readPollResponse(body: Readonly<Record<string, unknown>>): PollResponse | null {
  const { now, lease_until, cursor, full_sync, has_more, removed, pause_ms, endpoints, requests } = body;
  if (!isMs(now) || !isMs(lease_until) || typeof cursor !== 'string' || !Array.isArray(endpoints)) return null;
  return {
    now,
    lease_until,
    cursor,
    full_sync: full_sync === true,
    has_more: has_more === true,
    removed: listOf(removed).filter((id) => typeof id === 'string'),
    pause_ms: isMs(pause_ms) ? Math.max(0, pause_ms) : 0,
    endpoints: endpoints.filter(isAssigned),
    requests: listOf(requests).filter(isAsk),
  };
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const isMs = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isWhole = (value: unknown, least: number): boolean => Number.isInteger(value) && Number(value) >= least;

function isAssigned(value: unknown): value is AssignedEndpoint {
  if (!isRecord(value)) return false;
  const { endpoint_id, organization, revision, interval, phase_ms, definition } = value;
  if (!isText(endpoint_id) || !isText(organization) || !isWhole(revision, 0)) return false;
  return isWhole(interval, 1) && isWhole(phase_ms, 0) && isDefinition(definition);
}

/** Checks only the parts that every version has. The rest is validated where it is used. */
function isDefinition(value: unknown): value is Definition {
  if (!isRecord(value)) return false;
  const { type, url, timeout, method, headers, assertions } = value;
  if (!isText(type) || !isText(url) || !isMs(timeout) || timeout <= 0 || !isText(method)) return false;
  return Array.isArray(headers) && Array.isArray(assertions);
}

function isAsk(value: unknown): value is Ask {
  if (!isRecord(value)) return false;
  const { request_id, endpoint_id, definition, expires_at } = value;
  if (!isText(request_id) || !isMs(expires_at)) return false;
  return isText(endpoint_id) || (endpoint_id === null && isDefinition(definition));
}
