import { shownSince } from '../../../web/src/logic/shown-since';

const DAY_AGO = '2026-11-24T10:00:00.000Z';
const HOUR_AGO = '2026-11-25T09:00:00.000Z';
const NOW = '2026-11-25T10:00:00.000Z';
const outage = { started_at: DAY_AGO, ended_at: HOUR_AGO };

describe('since when an endpoint is what it is shown as', () => {
  it.each([
    ['degraded: since it became that, not since it is up', 'up', NOW, HOUR_AGO, [outage], NOW],
    ['up: as the overview tells it', 'up', null, HOUR_AGO, [], HOUR_AGO],
    ['up, without the overview: since its last outage', 'up', null, undefined, [outage], HOUR_AGO],
    ['down, without the overview: since its outage began', 'down', null, null, [outage], DAY_AGO],
    ['up without an outage: not known', 'up', null, undefined, [], null],
    ['unknown: not known', 'unknown', null, undefined, [outage], null],
  ] as const)('%s', (_, status, degraded_since, statusSince, outages, since) => {
    expect(shownSince({ status, degraded_since }, statusSince, outages)).toBe(since);
  });
});
