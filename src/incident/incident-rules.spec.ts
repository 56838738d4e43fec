import { automaticStatus, refusalOfMerged, refusalOfStatus, statusAfter, statusOfUpdate } from './incident-rules';
import { INCIDENT_STATUSES, type IncidentStatus } from './incident-row';

const open = { kind: 'detected', status: null, endedAt: null, mergedInto: null, openCount: 2 } as const;
const over = { ...open, endedAt: new Date(), openCount: 0 };
const manual = { ...open, kind: 'manual', openCount: 0 } as const;

describe('what may be said of an incident', () => {
  it.each<[what: string, incident: Parameters<typeof refusalOfStatus>[0], allowed: (IncidentStatus | null)[]]>([
    ['is open', open, [null, 'investigating', 'identified', 'monitoring']],
    ['is over', over, [null, 'resolved', 'postmortem']],
    ['is open and by hand', manual, [null, 'investigating', 'identified', 'monitoring', 'resolved']],
    ['is over and by hand', { ...over, kind: 'manual' }, [null, 'resolved', 'postmortem']],
  ])('while it %s', (_, incident, allowed) => {
    const all = [null, ...INCIDENT_STATUSES];
    expect(all.filter((status) => refusalOfStatus(incident, status) === null)).toEqual(allowed);
  });

  it.each([
    [1, '1 endpoint of the incident is still failing. Post `resolved` after it has recovered.'],
    [38, '38 endpoints of the incident are still failing. Post `resolved` after they have recovered.'],
  ])(
    'a "resolved" of what still fails is refused, and names how many are bad: %d (OnCall #5392)',
    (openCount, detail) => {
      expect(refusalOfStatus({ ...open, openCount }, 'resolved')).toMatchObject({ code: 'conflict', detail });
    },
  );

  it('is nothing once it was merged, and where to say it', () => {
    expect(refusalOfMerged({ mergedInto: null })).toBeNull();
    const id = '01933d3c-0000-7000-8000-000000000000';
    expect(refusalOfMerged({ mergedInto: id })?.detail).toMatch(/was merged into inc_/);
  });
});

describe('the status', () => {
  it.each<[says: IncidentStatus | null, sent: IncidentStatus | null, isPublic: boolean, status: IncidentStatus | null]>(
    [
      [null, null, false, null],
      ['investigating', null, true, null],
      [null, null, true, 'identified'],
      ['monitoring', 'monitoring', true, null],
      ['identified', 'identified', false, null],
    ],
  )('of an update is %s for %s, public %s, after %s', (says, sent, isPublic, status) => {
    expect(statusOfUpdate({ ...open, status }, sent, isPublic)).toBe(says);
  });

  it('of the first public update after the end is that it is over', () => {
    expect(statusOfUpdate(over, null, true)).toBe('resolved');
  });

  it('of the incident is the last that was said, and a postmortem does not change it', () => {
    expect(statusAfter('identified', null)).toBe('identified');
    expect(statusAfter('resolved', 'postmortem')).toBe('resolved');
    expect(statusAfter('investigating', 'monitoring')).toBe('monitoring');
  });

  it.each<[says: IncidentStatus | null, status: IncidentStatus | null, endedAt: Date | null]>([
    [null, null, over.endedAt],
    [null, null, null],
    ['resolved', 'identified', over.endedAt],
    [null, 'resolved', over.endedAt],
    ['investigating', 'resolved', null],
    [null, 'monitoring', null],
  ])('that the service says by itself is %s after %s', (says, status, endedAt) => {
    expect(automaticStatus({ status, endedAt })).toBe(says);
  });
});
