import type { Alert } from '../../../web/src/api/types';
import { reasonOf, toldNext } from '../../../web/src/logic/incident-story';

const STARTED = '2026-11-25T15:24:00.000Z';
const alert = (id: string, changes: Partial<Alert> = {}) =>
  ({ id, enabled: true, triggered: false, after: 0, ...changes }) as Alert;

describe('what an incident tells', () => {
  it('has the reason of the trigger also once it is resolved', () => {
    const error = { code: 'status_unexpected' as const, message: 'The status is 500; expected is 200 to 299.' };
    expect(reasonOf([{ error: null }, { error }])).toBe('The status is 500; expected is 200 to 299.');
    expect(reasonOf([{ error: null }])).toBeNull();
  });

  it('names who is told next and when: alerts that wait longer and have not triggered, soonest first', () => {
    const alerts = [
      alert('at once', { triggered: true }),
      alert('manager', { after: 1800 }),
      alert('on call', { after: 600 }),
      alert('off', { after: 60, enabled: false }),
      alert('by failures alone'),
    ];
    expect(toldNext(alerts, STARTED).map(({ alert: { id }, at }) => [id, new Date(at).toISOString()])).toEqual([
      ['on call', '2026-11-25T15:34:00.000Z'],
      ['manager', '2026-11-25T15:54:00.000Z'],
    ]);
    expect(toldNext(alerts, null)).toEqual([]);
  });
});
