import {
  chosenOf,
  fittingQuorum,
  fromText,
  locationState,
  locationText,
  type LocationView,
  possibleLocations,
  quorumChoices,
  quorumText,
  sinceOf,
  whichText,
} from '../../../web/src/logic/location';
import { downText, votesText } from '../../../web/src/logic/votes';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const view = (location: string, more: Partial<LocationView> = {}): LocationView => ({
  location,
  name: location,
  status: 'up',
  since: '2026-11-26T11:17:30Z',
  last_checked_at: '2026-11-26T11:59:30Z',
  failures: 0,
  successes: 4,
  counts: true,
  stale: false,
  error: null,
  reason: null,
  ...more,
});
const timeout = { code: 'connection_timeout' as const, message: 'No connection within 10 s.' };
const down = (location: string, more: Partial<LocationView> = {}) =>
  view(location, { status: 'down', failures: 2, error: timeout, ...more });

describe('the locations of an endpoint, in words', () => {
  it('offers this service, then own probes, then shared ones, and explains why one cannot be chosen', () => {
    const probe = { region: '', status: 'online' as const, types: ['HTTPS'], shared: false };
    const probes = [
      { ...probe, key: 'us', name: 'US', shared: true },
      { ...probe, key: 'fra', name: 'Frankfurt', region: 'eu' },
      { ...probe, key: 'new', name: 'New', status: 'new' as const, types: null },
      { ...probe, key: 'off', name: 'Off', status: 'disabled' as const },
      { ...probe, key: 'dns', name: 'Names', types: ['DNS'] },
    ];
    expect(possibleLocations(probes, 'HTTPS', ['local', 'gone'])).toEqual([
      { location: 'local', name: 'This service', note: '', isClosed: false },
      { location: 'fra', name: 'Frankfurt', note: 'eu', isClosed: false },
      { location: 'new', name: 'New', note: 'not seen yet', isClosed: false },
      { location: 'off', name: 'Off', note: 'disabled', isClosed: true },
      { location: 'dns', name: 'Names', note: 'does not check HTTPS', isClosed: true },
      { location: 'shared/us', name: 'US', note: 'shared', isClosed: false },
      { location: 'gone', name: 'gone', note: 'no longer exists', isClosed: false },
    ]);
  });

  it('tests from the requested location, or else from this service, or from the first', () => {
    expect([
      chosenOf(['fra', 'local'], 'fra'),
      chosenOf(['fra', 'local'], ''),
      chosenOf(['fra', 'us'], 'gone'),
    ]).toEqual(['fra', 'local', 'fra']);
    expect(chosenOf([], '')).toBeNull();
  });

  it('offers how many must agree, of five also the numbers between', () => {
    expect(quorumChoices(3, 'majority').map(([, title]) => title)).toEqual([
      'Majority: 2 of 3 must agree',
      'Any: 1 of 3 is enough',
      'All: 3 of 3 must agree',
    ]);
    expect(quorumChoices(5, 'majority').map(([value]) => value)).toEqual(['majority', 'any', '2', '4', 'all']);
    expect(quorumChoices(3, '2').map(([value]) => value)).toContain('2');
  });

  it.each([
    ['majority', 2, 'majority'],
    ['3', 3, '3'],
    ['3', 2, 'all'],
  ])('keeps the quorum %s with %i locations as %s', (quorum, n, expected) => {
    expect(fittingQuorum(quorum, n)).toBe(expected);
  });

  it.each([
    ['majority', 1, 0, ''],
    ['majority', 2, 0, 'Down when 2 of 2 locations report a failure.'],
    ['majority', 5, 0, 'Down when 3 of 5 locations report a failure.'],
    ['any', 3, 0, 'Down when 1 of 3 locations reports a failure.'],
    ['all', 3, 0, 'Down when 3 of 3 locations report a failure.'],
    [2, 4, 0, 'Down when 2 of 4 locations report a failure.'],
    ['majority', 3, 1, 'Down when 2 of 3 locations report a failure. 1 of 4 does not count at the moment.'],
    [3, 1, 2, 'Down when 1 of 1 location reports a failure. 2 of 3 do not count at the moment.'],
    ['majority', 0, 2, '2 of 2 do not count at the moment.'],
  ])('describes the quorum %s of %i locations, in addition to %i that are lost: “%s”', (quorum, n, lost, expected) => {
    const rows = (many: number, reason: LocationView['reason']) => Array.from({ length: many }, () => ({ reason }));
    expect(quorumText(quorum, [...rows(n, null), ...rows(lost, 'missing')])).toBe(expected);
  });

  it.each([
    [view('fra'), 'up', 'Up', 'Responds'],
    [down('fra'), 'down', 'Down', 'No connection within 10 s. (2 in a row)'],
    [view('fra', { error: timeout }), 'degraded', 'Degraded', 'No connection within 10 s.'],
    [
      view('fra', { status: 'unknown', last_checked_at: null, reason: 'stale' }),
      'unknown',
      'No result yet',
      'It has not reported yet, so it has no vote.',
    ],
    [down('fra', { reason: 'stale' }), 'unknown', 'Not responding', 'It has no vote until it reports again.'],
    [
      down('fra', { reason: 'missing' }),
      'unknown',
      'Lost',
      'It does not count until it reports again. The other locations decide.',
    ],
    [view('fra', { reason: 'disabled' }), 'paused', 'Disabled', 'The probe is disabled, so it does not count.'],
  ])('shows %j as %s, “%s”', (location, status, word, text) => {
    expect([locationState(location), locationText(location)]).toEqual([{ status, word }, text]);
  });

  it('describes which of several are down, why and for how long, in whole minutes', () => {
    expect(whichText([view('fra'), down('virginia'), view('local')], NOW)).toBe(
      '1 of 3: virginia, connection timeout, 42 min',
    );
    expect(whichText([down('fra', { since: null }), down('virginia', { error: null })], NOW)).toBe(
      '2 of 2: fra, connection timeout; virginia, 42 min',
    );
    expect(
      whichText([view('fra'), down('virginia'), view('local'), view('office', { reason: 'missing' })], NOW),
    ).toMatch(/^1 of 3: virginia/);
    expect([null, [down('fra')], [view('fra'), view('office')]].map((all) => whichText(all, NOW))).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('has its status since the first such result, or without news since its newest check', () => {
    const lost = view('fra', { reason: 'missing' });
    expect([sinceOf(view('fra')), sinceOf(lost)]).toEqual(['2026-11-26T11:17:30Z', '2026-11-26T11:59:30Z']);
  });

  it('has a pill if one reports down, and a sentence of the votes', () => {
    const lists = [
      null,
      { down: 0, reporting: 3, total: 3 },
      { down: 1, reporting: 3, total: 3 },
      { down: 1, reporting: 1, total: 1 },
    ];
    expect(lists.map(downText)).toEqual([null, null, '1 of 3 down', null]);
    expect(votesText({ down: 1, reporting: 3, total: 3 })).toBe('1 of 3 locations reports down');
    expect(votesText({ down: 2, reporting: 2, total: 3 })).toBe('2 of 3 locations report down; 2 of 3 count');
  });

  it('shows from where an event came', () => {
    const seen = (location: string, outcome: 'up' | 'down') => ({ location, outcome, error: null });
    expect([
      fromText(null),
      fromText([seen('fra', 'down')]),
      fromText([seen('fra', 'up'), seen('office', 'up')]),
      fromText([seen('fra', 'down'), seen('local', 'up'), seen('office', 'down')]),
    ]).toEqual(['', '', '', 'from 2 of 3 locations: fra, office']);
  });
});
