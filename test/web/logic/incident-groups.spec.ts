import type { AlertEvent } from '../../../web/src/api/types';
import { incidentGroups } from '../../../web/src/logic/incident-groups';

/** `A down 0-3`: alert A is triggered at minute 3 by failures since minute 0. */
function event(text: string): AlertEvent {
  const [, alert_id, what, endpoint_id, from, to] = /^(\w) (down|up) (\w+) (\d+)-(\d+)$/.exec(text) ?? [];
  const at = (minute: string | undefined) => new Date(Number(minute) * 60_000).toISOString();
  return {
    id: text,
    alert_id,
    endpoint_id,
    type: what === 'down' ? 'triggered' : 'resolved',
    started_at: at(from),
    created_at: at(to),
  } as AlertEvent;
}

describe('events of alerts as incidents', () => {
  it.each<[name: string, newestFirst: string[], groups: string[][]]>([
    ['nothing', [], []],
    ['one alert, over', ['A up shop 0-9', 'A down shop 0-3'], [['A up shop 0-9', 'A down shop 0-3']]],
    [
      'three alerts of one outage',
      ['C down shop 0-5', 'B down shop 0-3', 'A down shop 0-1'],
      [['C down shop 0-5', 'B down shop 0-3', 'A down shop 0-1']],
    ],
    [
      'two outages of one endpoint',
      ['A down shop 20-22', 'A up shop 0-9', 'A down shop 0-3'],
      [['A down shop 20-22'], ['A up shop 0-9', 'A down shop 0-3']],
    ],
    [
      'two endpoints at the same time',
      ['B down mail 0-3', 'A down shop 0-3'],
      [['B down mail 0-3'], ['A down shop 0-3']],
    ],
    [
      'one alert is resolved late, while another triggers again',
      ['B up shop 0-15', 'A down shop 11-12', 'A up shop 0-9', 'B down shop 0-5', 'A down shop 0-3'],
      [['B up shop 0-15', 'A down shop 11-12', 'A up shop 0-9', 'B down shop 0-5', 'A down shop 0-3']],
    ],
    ['the trigger is on an older page', ['A up shop 0-9', 'B up shop 0-8'], [['A up shop 0-9', 'B up shop 0-8']]],
    [
      'triggered by the first failure',
      ['B down shop 4-4', 'A down shop 4-4'],
      [['B down shop 4-4', 'A down shop 4-4']],
    ],
    [
      'the newest event decides the order of the groups',
      ['A up shop 0-30', 'B down mail 20-21', 'A down shop 0-3'],
      [['A up shop 0-30', 'A down shop 0-3'], ['B down mail 20-21']],
    ],
  ])('%s', (_, events, groups) => {
    expect(incidentGroups(events.map(event)).map((group) => group.events.map(({ id }) => id))).toEqual(groups);
  });

  it('keeps the key of a group while newer events join it', () => {
    const [before] = incidentGroups(['A down shop 0-3'].map(event));
    const [after] = incidentGroups(['A up shop 0-9', 'B down shop 0-5', 'A down shop 0-3'].map(event));
    expect(after?.key).toBe(before?.key);
  });
});
