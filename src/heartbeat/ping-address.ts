import { KEY } from '../platform/http/body/resource-key';
import type { PingKind } from '../endpoint/heartbeat/ping-kind';

export type PingTarget =
  { by: 'id'; pingId: string } | { by: 'token'; token: string } | { by: 'key'; pingKey: string; key: string };

/** A parsed ping URL. `refusal` is sent only if such a heartbeat exists. */
export interface PingAddress {
  target: PingTarget;
  kind: PingKind;
  exitCode: number | null;
  refusal: 'invalid url format' | 'not found' | null;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The index of the first dash in a path that starts with a UUID. */
const FIRST_DASH = 9;
const PING_KEY = /^[A-Za-z0-9_-]{22}$/;
const PUSH = /^\/api\/push\/([A-Za-z0-9_-]{10,64})\/?$/;

export const isUuid = (text: string): boolean => UUID.test(text);

/**
 * Parses the path of a request: `/ping/<uuid>`, the same without `/ping`, `/ping/<ping key>/<key>`, and the suffixes of
 * each. Returns `null` if it isn't a ping URL, and `'unknown'` if it starts like one but can't be valid.
 */
export function readPingPath(path: string): PingAddress | 'unknown' | null {
  // Nearly every other path is rejected after checking two positions.
  if (!path.startsWith('/ping') && path[FIRST_DASH] !== '-') return null;
  const steps = path.replace(/\/$/, '').split('/').slice(1);
  const isPrefixed = steps[0] === 'ping';
  const [first = '', ...rest] = isPrefixed ? steps.slice(1) : steps;
  if (UUID.test(first)) return { target: { by: 'id', pingId: first.toLowerCase() }, ...signalOf(rest) };
  if (!isPrefixed) return null;
  const [key = '', ...after] = rest;
  if (!PING_KEY.test(first) || key === '') return 'unknown';
  const signal = signalOf(after);
  const refusal = KEY.test(key) ? signal.refusal : refusalOf(key);
  return { target: { by: 'key', pingKey: first, key }, ...signal, refusal };
}

/**
 * Parses Uptime Kuma's `/api/push/<token>?status=`. Every status except `up` means down. Returns `null` for any other
 * path.
 */
export function readPushPath(path: string, status: string): PingAddress | null {
  const token = PUSH.exec(path)?.[1];
  if (token === undefined) return null;
  return { target: { by: 'token', token }, kind: status === 'up' ? 'success' : 'fail', exitCode: null, refusal: null };
}

function signalOf(steps: readonly string[]): Pick<PingAddress, 'kind' | 'exitCode' | 'refusal'> {
  const [word] = steps;
  const success = { kind: 'success', exitCode: null, refusal: null } as const;
  if (word === undefined) return success;
  if (steps.length > 1) return { ...success, refusal: 'not found' };
  if (word === 'start' || word === 'fail' || word === 'log') return { ...success, kind: word };
  if (!/^\d+$/.test(word)) return { ...success, refusal: refusalOf(word) };
  const exitCode = Number(word);
  if (word.length > 3 || exitCode > 255) return { ...success, refusal: 'invalid url format' };
  return { kind: exitCode === 0 ? 'success' : 'fail', exitCode, refusal: null };
}

/** A word that could be a name results in `not found`. Anything else is malformed. */
const refusalOf = (word: string): 'invalid url format' | 'not found' =>
  /^[a-z0-9._-]+$/.test(word) ? 'not found' : 'invalid url format';
