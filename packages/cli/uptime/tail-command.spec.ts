import type { StreamEvent } from '../../client/index.cjs';
import { painter } from './style';
import { eventLine } from './tail-command';

const lineOf = (event: string, data: object) => eventLine({ event, data } as StreamEvent, painter(false));

describe('a line of tail', () => {
  it.each<[string, object, unknown]>([
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
      'T1  acknowledged  ep_1  On call  At it',
    ],
    ['acknowledgement', { endpoint_id: 'ep_1', acknowledgement: null }, '-  acknowledgement removed  ep_1'],
    ['heartbeat', { at: 'T1', kind: 'start', endpoint_name: 'Backup' }, 'T1  ping       Backup  start'],
    [
      'location',
      { at: 'T1', status: 'down', previous_status: 'up', endpoint_name: 'Front', location: 'fra' },
      'T1  down       Front  from fra  was up',
    ],
    ['probe', { at: 'T1', status: 'offline', key: 'fra' }, 'T1  offline    probe  fra'],
    ['reset', {}, expect.stringMatching(/^Some events were missed/)],
    ['of a later version', { a: 1 }, null],
  ])('tells of %s', (event, data, expected) => {
    expect(lineOf(event, data)).toEqual(expected);
  });
});
