import { EventReader } from './server-sent-events';
import { painter } from './style';
import { eventLine } from './tail-command';

const STREAM =
  'id: ck_1\nevent: check\ndata: {"endpoint_name":"Für"}\n\nevent: ping\ndata: {}\n\n: remark\n\nid:2\r\ndata:a\r\ndata: b\r\n\r\n';
const EVENTS = [
  { id: 'ck_1', event: 'check', data: '{"endpoint_name":"Für"}' },
  { id: null, event: 'ping', data: '{}' },
  { id: '2', event: 'message', data: 'a\nb' },
];

describe('server-sent events', () => {
  it.each([1, 3, 7, 1000])('are put together from pieces of %i characters', (size) => {
    const reader = new EventReader();
    const pieces = STREAM.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect(pieces.flatMap((piece) => reader.push(piece))).toEqual(EVENTS);
  });

  it('are not collected without an end', () => {
    const reader = new EventReader();
    expect(() => reader.push('x'.repeat(2 ** 20 + 1))).toThrow('more than 1 MiB');
  });
});

describe('a line of tail', () => {
  it.each([
    [
      'check',
      { checked_at: 'T1', status: 'down', previous_status: 'up', endpoint_name: 'Front', error: { code: 'timeout' } },
      'T1  down       Front  was up  timeout',
    ],
    [
      'alert',
      { created_at: 'T1', type: 'resolved', alert_type: 'slack', message: 'is up' },
      'T1  resolved   slack  is up',
    ],
    ['maintenance', { state: 'started', name: 'Patching', until: 'T2' }, '-  window started  Patching  until T2'],
    [
      'acknowledgement',
      { endpoint_id: 'ep_1', acknowledgement: { at: 'T1', by: 'On call', note: 'At it', until: null } },
      'T1  in hand    ep_1  On call  At it',
    ],
    ['acknowledgement', { endpoint_id: 'ep_1', acknowledgement: null }, '-  in hand    ep_1  no longer'],
    ['ping', {}, null],
    ['ready', {}, null],
    ['of a later version', { a: 1 }, null],
  ])('tells of %s', (event, data, expected) => {
    expect(eventLine({ id: null, event, data: JSON.stringify(data) }, painter(false))).toBe(expected);
  });

  it('tells nothing of what cannot be read', () => {
    expect(eventLine({ id: null, event: 'check', data: '{' }, painter(false))).toBeNull();
  });
});
