import { isBehind, warningOf } from './probe-health';

const well = { online: true, version: '1.2.3', clockOffsetMs: 12, dropped: 0, skipped: 0 };
const NONE = { dropped: 0, skipped: 0 };

describe('the problems of a probe that is online', () => {
  it.each([
    ['nothing', {}, NONE, null],
    ['nothing for a clock that is a minute off', { clockOffsetMs: 60_000 }, NONE, null],
    ['its clock', { clockOffsetMs: 90_000 }, NONE, 'its clock is 90 s ahead'],
    ['its clock', { clockOffsetMs: -3_600_000 }, NONE, 'its clock is 3600 s behind'],
    ['nothing for one that reports no time', { clockOffsetMs: null }, NONE, null],
    ['its version', { version: '1.2.2' }, NONE, 'its version 1.2.2 is behind 1.2.3'],
    ['what it has lost since', { dropped: 7 }, { dropped: 4, skipped: 0 }, 'it gave up 3 results'],
    ['what it has skipped since', { skipped: 2 }, NONE, 'it skipped 2 checks'],
    ['nothing that was lost before the first poll', { dropped: 7 }, null, null],
    ['nothing for one that has restarted', { dropped: 1 }, { dropped: 9, skipped: 0 }, null],
    ['all of it', { version: '0.9.0', dropped: 1 }, NONE, 'its version 0.9.0 is behind 1.2.3; it gave up 1 results'],
  ])('are %s: %j', (_, changes, before, text) => {
    const warning = warningOf('fra', { ...well, ...changes }, before, '1.2.3');
    expect(warning?.message ?? null).toBe(text === null ? null : `Of the probe fra: ${text}.`);
  });

  it.each([
    ['0.1.0', '0.2.0', true],
    ['0.9.0', '0.10.0', true],
    ['1.0.0', '0.10.0', false],
    ['1.0.0', '1.0.0', false],
    ['1.0.0-rc.1', '1.0.1', true],
    ['unknown', '1.0.0', false],
  ])('says whether %s is older than %s: %p', (version, ours, behind) => {
    expect(isBehind(version, ours)).toBe(behind);
  });
});
