import { shownSince } from '../../../web/src/logic/shown-since';

const DAY_AGO = '2026-11-24T10:00:00.000Z';
const HOUR_AGO = '2026-11-25T09:00:00.000Z';
const NOW = '2026-11-25T10:00:00.000Z';
const outage = { started_at: DAY_AGO, ended_at: HOUR_AGO };

describe('the time since when an endpoint has its shown status', () => {
  it.each([
    ['is the start of the warning for degraded, not of the status up', 'up', NOW, HOUR_AGO, [outage], NOW],
    ['is the time from the overview for up', 'up', null, HOUR_AGO, [], HOUR_AGO],
    ['is the end of the last outage for up, without the overview', 'up', null, undefined, [outage], HOUR_AGO],
    ['is the start of the outage for down, without the overview', 'down', null, null, [outage], DAY_AGO],
    ['is not known for up without an outage', 'up', null, undefined, [], null],
    ['is not known for unknown', 'unknown', null, undefined, [outage], null],
  ] as const)('%s', (_, status, degraded_since, statusSince, outages, since) => {
    expect(shownSince({ status, degraded_since }, statusSince, outages)).toBe(since);
  });
});
