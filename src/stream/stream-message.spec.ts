import { formatId } from '../platform/ids/id';
import { otherMessageOf, type StreamRow } from './stream-message';

const ENDPOINT = '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11';
const PROBE = '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a12';
const AT = '2026-11-20T10:00:00.000Z';

const row = (change: Partial<StreamRow>): StreamRow => ({
  xid: '1',
  seq: '1',
  org_id: ENDPOINT,
  at: new Date(AT),
  kind: null,
  payload: null,
  names: null,
  event_id: null,
  endpoint_id: null,
  endpoint_key: null,
  endpoint_name: null,
  website_id: null,
  checked_at: null,
  location: null,
  status: null,
  previous_status: null,
  duration_us: null,
  status_code: null,
  error: null,
  ...change,
});
const endpoint = { endpoint_id: ENDPOINT, endpoint_key: '7', endpoint_name: 'Checkout' };

/** Returns the `data` of a message, after checking its event and ID. */
const dataOf = (kind: string, message: string | null): unknown => {
  const [id, event, data] = (message ?? '').split('\n');
  expect([id, event]).toEqual(['id: position', `event: ${kind}`]);
  return JSON.parse(data?.replace(/^data: /, '') ?? '');
};

describe('a message of the stream', () => {
  it('tells that a location of an endpoint sees something else', () => {
    const change = { location: 'fra', status: 'down', previous_status: 'up', at: AT };
    const message = otherMessageOf(row({ ...endpoint, kind: 'location', payload: change }), 'position');
    const shown = { endpoint_id: formatId('endpoint', ENDPOINT), endpoint_name: 'Checkout', ...change };
    expect(dataOf('location', message)).toEqual(shown);
  });

  it('tells that a probe is heard again or no more, by its public id', () => {
    const change = { key: 'fra', status: 'offline', at: AT };
    const message = otherMessageOf(row({ kind: 'probe', payload: { probe_id: PROBE, ...change } }), 'position');
    expect(dataOf('probe', message)).toEqual({ probe_id: formatId('probe', PROBE), ...change });
  });

  it('is none for kinds of later versions, and for locations of an endpoint that is deleted', () => {
    expect(otherMessageOf(row({ ...endpoint, kind: 'of a later version', payload: {} }), 'position')).toBeNull();
    expect(otherMessageOf(row({ kind: 'location', payload: {} }), 'position')).toBeNull();
  });
});
