import type { IncidentUpdate } from '../../../web/src/api/types';
import { timelineOf } from '../../../web/src/logic/incident-timeline';

const STARTED = '2026-11-25T10:00:00.000Z';
const at = (seconds: number) => new Date(Date.parse(STARTED) + seconds * 1000).toISOString();
const member = (endpoint_name: string, from: number, to?: number) => ({
  endpoint_name,
  started_at: at(from),
  ended_at: to === undefined ? null : at(to),
  error: null,
  suppressed: false,
});
const said = (seconds: number) => ({ id: `iu_${seconds}`, at: at(seconds), text: 'On it' }) as IncidentUpdate;
const OPEN = { started_at: STARTED, ended_at: null, acknowledgement: null, past_acknowledgements: [] };

/** Returns entries as `kind seconds names`. */
const told = (...of: Parameters<typeof timelineOf>) =>
  timelineOf(...of).map((entry) => {
    const names = 'members' in entry ? entry.members.map(({ endpoint_name }) => endpoint_name).join('+') : '';
    return `${entry.kind} ${(Date.parse(entry.at) - Date.parse(STARTED)) / 1000} ${names}`.trim();
  });

describe('the timeline of an incident', () => {
  it('combines the endpoints that joined and left within a minute, the newest first', () => {
    const members = [member('A', 0, 600), member('B', 20, 640), member('C', 61), member('D', 300)];
    expect(told(OPEN, members, [])).toEqual(['left 600 A+B', 'joined 300 D', 'joined 61 C', 'began 0 A+B']);
  });

  it('includes updates and acknowledgements, also earlier ones', () => {
    const inHand = (seconds: number) => ({ by: 'On call', at: at(seconds), note: '', until: null });
    const taken = { ...OPEN, acknowledgement: inHand(120), past_acknowledgements: [inHand(90), inHand(30)] };
    expect(told(taken, [member('A', 0)], [said(180), said(60)])).toEqual([
      'said 180',
      'acknowledged 120',
      'acknowledged 90',
      'said 60',
      'acknowledged 30',
      'began 0 A',
    ]);
    const entries = timelineOf(taken, [], []).flatMap((entry) => (entry.kind === 'acknowledged' ? [entry.isNow] : []));
    expect(entries).toEqual([true, false, false]);
  });

  it('is over when the last endpoint has recovered, in one line', () => {
    const members = [member('A', 0, 100), member('B', 0, 400)];
    expect(told({ ...OPEN, ended_at: at(400) }, members, [])).toEqual(['over 400 B', 'left 100 A', 'began 0 A+B']);
  });

  it('starts and ends without endpoints for a manual incident', () => {
    expect(told({ ...OPEN, ended_at: at(900) }, [], [said(900)])).toEqual(['said 900', 'over 900', 'began 0']);
  });
});
