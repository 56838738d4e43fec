import { isBehind, warningOf } from './probe-health';

const well = { online: true, version: '1.2.3', clockOffsetMs: 12, dropped: 0, skipped: 0 };
const NONE = { dropped: 0, skipped: 0 };

describe('the problems of a probe that is online', () => {
  it.each([
    ['nothing', {}, NONE, null],
    ['nothing of a clock that is a minute off', { clockOffsetMs: 60_000 }, NONE, null],
    ['its clock', { clockOffsetMs: 90_000 }, NONE, 'the clock of the probe is 90 s ahead'],
    ['its clock', { clockOffsetMs: -3_600_000 }, NONE, 'the clock of the probe is 3600 s behind'],
    ['nothing of one that says no time', { clockOffsetMs: null }, NONE, null],
    ['its version', { version: '1.2.2' }, NONE, 'version 1.2.2 of the probe is older than 1.2.3'],
    ['what it has lost since', { dropped: 7 }, { dropped: 4, skipped: 0 }, 'the probe gave up 3 results'],
    ['what it has skipped since', { skipped: 2 }, NONE, 'the probe skipped 2 checks'],
    ['nothing of what it had lost before anybody looked', { dropped: 7 }, null, null],
    ['nothing of one that has begun again', { dropped: 1 }, { dropped: 9, skipped: 0 }, null],
    [
      'all of it',
      { version: '0.9.0', dropped: 1 },
      NONE,
      'version 0.9.0 of the probe is older than 1.2.3; the probe gave up 1 results',
    ],
  ])('are %s: %j', (_, changes, before, text) => {
    const warning = warningOf('fra', { ...well, ...changes }, before, '1.2.3');
    expect(warning?.message ?? null).toBe(text === null ? null : `Probe fra: ${text}.`);
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
