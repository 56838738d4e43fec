import { readPollResponse } from './read-poll-response';

const definition = { type: 'TCP', url: 'tcp://a:1', timeout: 5, method: 'GET', headers: [], assertions: [] };
const endpoint = { endpoint_id: 'ep_1', organization: 'org_1', revision: 1, interval: 60, phase_ms: 20, definition };
const ask = { request_id: 'x', endpoint_id: 'ep_1', definition: null, expires_at: 5 };
const response = {
  now: 1.5,
  lease_until: 2,
  cursor: 'c',
  full_sync: true,
  has_more: false,
  removed: ['ep_2'],
  pause_ms: 0,
  requests: [ask],
};

describe('a response to a poll', () => {
  it('is read without unknown fields', () => {
    const read = readPollResponse({ ...response, endpoints: [{ ...endpoint, aura: 'calm' }], omens: ['good'] });
    expect(read).toEqual({ ...response, endpoints: [{ ...endpoint, aura: 'calm' }] });
  });

  it.each([
    ['no lease', { lease_until: undefined }],
    ['no cursor', { cursor: 5 }],
    ['no time', { now: 'noon' }],
    ['no list of endpoints', { endpoints: {} }],
  ])('is refused with %s', (_, changes) => {
    expect(readPollResponse({ ...response, endpoints: [], ...changes })).toBeNull();
  });

  it.each([
    ['revision', 1.5],
    ['interval', 0],
    ['phase_ms', -20],
    ['endpoint_id', null],
    ['definition', { ...definition, timeout: 0 }],
    ['definition', { ...definition, assertions: null }],
    ['definition', null],
  ])('leaves out an endpoint whose %s is %j, and keeps the others', (field, value) => {
    const read = readPollResponse({ ...response, endpoints: [{ ...endpoint, [field]: value }, endpoint] });
    expect(read?.endpoints).toEqual([endpoint]);
  });

  it('leaves out an ask without an end, and a try-out without its settings', () => {
    const requests = [{ ...ask, expires_at: null }, { ...ask, endpoint_id: null }, ask];
    expect(readPollResponse({ ...response, endpoints: [], requests })?.requests).toEqual([ask]);
  });
});
