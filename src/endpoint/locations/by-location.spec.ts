import { type LocationRow, toEndpointLocation } from './by-location';

const NOW = Date.UTC(2026, 10, 20, 10);
const ENDPOINT = { quorum: 'majority', intervalSeconds: 60, timeoutSeconds: 10 };
/** Returns a time in the past. A location counts as not responding after 145 s, and as lost 300 s later. */
const ago = (seconds: number): Date => new Date(NOW - seconds * 1000);

const row = (more: Partial<LocationRow> = {}): LocationRow => ({
  endpointId: '00000000-0000-4000-8000-000000000001',
  location: 'fra',
  name: 'Frankfurt',
  status: 1,
  since: ago(600),
  degraded: false,
  failures: 0,
  successes: 3,
  bad: 0,
  good: 3,
  assignedAt: ago(3600),
  lastCheckedAt: ago(30),
  lastKnownAt: ago(30),
  lastError: null,
  lastMessage: null,
  probe: 'online',
  nowMs: NOW,
  ...more,
});

describe('the result of a location', () => {
  it.each<[what: string, row: Partial<LocationRow>, counts: boolean, stale: boolean, reason: string | null]>([
    ['up a moment ago', {}, true, false, null],
    ['down a moment ago', { status: 0 }, true, false, null],
    ['unknown does not count', { status: 2 }, false, false, null],
    ['up 145 s ago', { lastCheckedAt: ago(145), lastKnownAt: ago(145) }, true, false, null],
    ['up 146 s ago', { lastCheckedAt: ago(146), lastKnownAt: ago(146) }, false, true, 'stale'],
    ['up 446 s ago', { lastCheckedAt: ago(446), lastKnownAt: ago(446) }, false, true, 'missing'],
    ['unknown for long', { status: 2, lastKnownAt: ago(446) }, false, false, 'missing'],
    ['nothing yet', { status: 2, lastCheckedAt: null, lastKnownAt: null, assignedAt: ago(9) }, false, true, 'stale'],
    ['of a disabled probe', { probe: 'disabled' }, false, false, 'disabled'],
    ['of a probe that speaks another protocol', { probe: 'unsupported' }, false, false, 'unsupported'],
    ['of the service itself', { probe: null }, true, false, null],
  ])('%s', (_, more, counts, stale, reason) => {
    expect(toEndpointLocation(row(more), ENDPOINT)).toMatchObject({ counts, stale, reason });
  });

  it('is shown with its error, and with the code of a later version as internal', () => {
    expect(toEndpointLocation(row({ lastError: 3, lastMessage: 'refused' }), ENDPOINT).error).toEqual({
      code: 'connection_refused',
      message: 'refused',
    });
    expect(toEndpointLocation(row({ lastError: 9999 }), ENDPOINT).error).toEqual({ code: 'internal', message: '' });
  });
});
