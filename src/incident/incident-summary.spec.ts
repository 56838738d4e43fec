import { type Summarized, summaryOf } from './incident-summary';

const ONE: Summarized = {
  kind: 'detected',
  severity: 'down',
  cause: 'single',
  causeValue: null,
  causeName: null,
  openerName: 'Checkout',
  openerErrorCode: 'connection_refused',
  endpointCount: 1,
  endedAt: null,
  mergedInto: null,
};
const over = { endedAt: new Date() };
const address = { endpointCount: 3, cause: 'address', causeValue: '192.0.2.1' } as const;

describe('the summary of an incident', () => {
  it.each<[says: string | null, Partial<Summarized>]>([
    ['Checkout is down: connection refused', {}],
    ['Checkout was down: connection refused', over],
    ['Checkout is degraded', { severity: 'degraded', openerErrorCode: null }],
    ['One endpoint is down', { openerName: null, openerErrorCode: null }],
    ['3 endpoints at 192.0.2.1 are down: connection refused', address],
    ['3 endpoints at 192.0.2.1 were down: connection refused', { ...address, ...over }],
    ['2 endpoints of Shop are down', { endpointCount: 2, cause: 'website', causeValue: 'a', causeName: 'Shop' }],
    ['2 endpoints at or behind Gateway are down', { endpointCount: 2, cause: 'dependency', causeName: 'Gateway' }],
    ['2 endpoints are down', { endpointCount: 2, cause: 'dependency', causeValue: 'a' }],
    ['40 endpoints are degraded', { endpointCount: 40, cause: 'people', severity: 'degraded' }],
    ['Checkout is down: connection refused', { cause: 'people' }],
    ['Merged into another incident', { ...over, endpointCount: 0, mergedInto: 'a' }],
    [null, { kind: 'manual', severity: null, cause: null, endpointCount: 0 }],
  ])('is %j', (says, change) => {
    expect(summaryOf({ ...ONE, ...change })).toBe(says);
  });
});
