import { type KnownParent, parentsStateOf, waitForParentMs } from './parents-state';

const NOON = Date.parse('2026-11-23T12:00:00Z');
const at = (seconds: number): Date => new Date(NOON + seconds * 1000);
const parent = (outcome: KnownParent['outcome'], seconds: number | null): KnownParent => ({
  id: `${outcome} at ${seconds}`,
  outcome,
  checkedAt: seconds === null ? null : at(seconds),
  timeoutSeconds: 10,
  canBeAsked: true,
  isRemote: false,
});
const stateOf = (since: number | null, found: number, parents: KnownParent[]) =>
  parentsStateOf({ since: since === null ? null : at(since), foundAt: at(found) }, parents);
const asked = (since: number | null, found: number, parents: KnownParent[]): string[] =>
  stateOf(since, found, parents).toAsk.map(({ id }) => id);

describe('before a failure that would trigger is recorded', () => {
  it('no parent is checked for an endpoint without parents', () => {
    expect(asked(null, 0, [])).toEqual([]);
  });

  it.each<[string, number | null, number, KnownParent, boolean]>([
    ['was up before the first failure', null, 0, parent('up', -30), true],
    ['was up between the start and the end of the check', null, 2, parent('up', 1), true],
    ['was up after the failure had been found', null, 2, parent('up', 3), false],
    ['was never checked', null, 0, parent('unknown', null), true],
    ['could not be checked', null, 0, parent('unknown', -1), true],
    ['was up before the streak started', -120, 0, parent('up', -130), true],
    ['was up right after the streak had started', -120, 0, parent('up', -115), true],
    ['was up long after the streak had started', -120, 0, parent('up', -60), false],
    ['was up after the streak had started, just now', -5, 0, parent('up', -1), true],
    ['is known to be down', null, 0, parent('down', -30), false],
  ])('the need to check is decided for a parent that %s', (_, since, found, known, isAsked) => {
    expect(asked(since, found, [known])).toEqual(isAsked ? [known.id] : []);
  });

  it('a parent that the service cannot check is not checked', () => {
    expect(asked(null, 0, [{ ...parent('unknown', null), canBeAsked: false }])).toEqual([]);
  });

  it('all parents with an unknown state are checked at once', () => {
    expect(asked(null, 0, [parent('up', -1), parent('up', 1), parent('unknown', null)])).toEqual([
      'up at -1',
      'unknown at null',
    ]);
  });

  it('no parent is checked if one of several is already down', () => {
    expect(stateOf(null, 0, [parent('up', -30), parent('down', -20)])).toEqual({ isAnyDown: true, toAsk: [] });
    expect(stateOf(null, 0, [parent('up', 30)])).toEqual({ isAnyDown: false, toAsk: [] });
  });
});

describe('a child waits for its parent', () => {
  it.each([
    [1, 7000],
    [10, 25_000],
    [300, 60_000],
  ])('that may take %d s for at most %d ms', (timeoutSeconds, ms) => {
    expect(waitForParentMs({ ...parent('up', 0), timeoutSeconds })).toBe(ms);
  });
});
