import { Config } from '../../platform/config/config';
import { changedOverrides, limitsOf, refusalOf } from './quotas';

const settings = new Config();

describe('limitsOf', () => {
  it('an organization has the limits of the installation', () => {
    expect(limitsOf({ isDefault: false, overrides: {} }, settings)).toEqual({
      websites: 1000,
      endpoints: 10_000,
      alerts: 20_000,
      alerts_per_endpoint: 50,
      checks_per_second: 500,
      api_keys: 100,
      status_pages: 100,
      people: 100,
      probes: 20,
      streams: 100,
      changed_bytes_per_day: 67_108_864,
    });
  });

  it('the Default organization has no limit on what it monitors, and the limits of the installation on the rest', () => {
    expect(limitsOf({ isDefault: true, overrides: {} }, settings)).toEqual({
      websites: null,
      endpoints: null,
      alerts: null,
      alerts_per_endpoint: 50,
      checks_per_second: null,
      api_keys: 100,
      status_pages: 100,
      people: 100,
      probes: 20,
      streams: 100,
      changed_bytes_per_day: 67_108_864,
    });
  });

  it.each([true, false])(
    'limits that the operator set for an organization take precedence (Default: %p)',
    (isDefault) => {
      const limits = limitsOf({ isDefault, overrides: { websites: 3, api_keys: 0 } }, settings);
      expect(limits).toMatchObject({ websites: 3, api_keys: 0 });
    },
  );
});

describe('changedOverrides', () => {
  it.each([
    ['keeps what was not sent', { websites: 3 }, {}, { websites: 3 }],
    ['adds and replaces what was sent', { websites: 3 }, { websites: 4, alerts: 0 }, { websites: 4, alerts: 0 }],
    ['drops what was sent as null', { websites: 3, alerts: 5 }, { websites: null }, { alerts: 5 }],
    ['drops nothing that is not there', {}, { streams: null }, {}],
  ])('%s', (_, before, sent, after) => {
    expect(changedOverrides(before, sent)).toEqual(after);
  });
});

describe('refusalOf', () => {
  it.each([
    ['one below the limit', 5, 4, 1, false],
    ['at the limit', 5, 5, 1, true],
    ['a part of one above the limit', 500, 499.99, 0.02, true],
    ['above the limit, but nothing more is wanted', 5, 9, 0, false],
    ['above the limit, and less than before is wanted', 5, 9, -1, false],
    ['nothing may be had at all', 0, 0, 1, true],
    ['there is no limit', null, 1e9, 1, false],
  ])('%s', (_, limit, used, wanted, isRefused) => {
    expect(refusalOf('websites', limit, used, wanted) !== null).toBe(isRefused);
  });

  it('the problem contains the limit, the amount, and what to do', () => {
    expect(refusalOf('alerts_per_endpoint', 50, 50, 1)).toMatchObject({
      code: 'quota_exceeded',
      status: 409,
      quota: { name: 'alerts_per_endpoint', limit: 50, used: 50 },
      detail: expect.stringMatching(/at most 50 alerts on one endpoint.*operator/),
    });
  });
});
