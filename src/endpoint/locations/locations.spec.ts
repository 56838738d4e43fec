import type { KnownProbe } from '../../probe/probe-directory';
import { locationPhaseMs, phaseMs } from '../endpoint-schedule';
import { newUuid } from '../../platform/ids/id';
import {
  checksPerSecond,
  isLocated,
  type LocationRule,
  locationProblems,
  locationSet,
  quorumProblems,
  shownQuorum,
} from './locations';

const probe = (location: string, more: Partial<KnownProbe> = {}): KnownProbe => ({
  number: 1,
  id: '00000000-0000-4000-8000-000000000001',
  orgId: null,
  location,
  name: location,
  region: '',
  enabled: true,
  allowPrivate: false,
  online: true,
  types: null,
  ...more,
});

const known = [
  probe('fra'),
  probe('office', { types: ['HTTP', 'TCP'] }),
  probe('off', { enabled: false }),
  probe('shared/fra'),
];
const rule = (more: Partial<LocationRule> = {}): LocationRule => ({
  type: 'HTTPS',
  isLocalOnly: false,
  before: null,
  probes: new Map(known.map((one) => [one.location, one])),
  ...more,
});

describe('the locations of an endpoint', () => {
  const stored = (locations: readonly string[], type = 'HTTPS') => ({ before: { type, locations } });

  it.each<[what: string, sent: string[], rule: Partial<LocationRule>, found: [pointer: string, code: string][]]>([
    ['local alone', ['local'], {}, []],
    ['a probe, local and a shared one of the same key', ['fra', 'local', 'shared/fra'], {}, []],
    ['nobody’s', ['local', 'nowhere'], {}, [['/locations/1', 'unknown_location']]],
    ['a shared one that does not exist', ['shared/office'], {}, [['/locations/0', 'unknown_location']]],
    ['a disabled one', ['off'], {}, [['/locations/0', 'unknown_location']]],
    ['a disabled one that it has', ['off', 'fra'], stored(['off']), []],
    ['one that has no such type', ['office'], {}, [['/locations/0', 'type_not_supported']]],
    ['one that has the type', ['office'], { type: 'TCP' }, []],
    ['one that it has, which lost the type', ['office'], stored(['office']), []],
    [
      'one that it has, for another type',
      ['office'],
      stored(['office'], 'TCP'),
      [['/locations/0', 'type_not_supported']],
    ],
    ['twice the same wrong one', ['nowhere', 'nowhere'], {}, [['/locations/0', 'unknown_location']]],
    [
      'several wrong ones',
      ['nowhere', 'fra', 'off'],
      {},
      [
        ['/locations/0', 'unknown_location'],
        ['/locations/2', 'unknown_location'],
      ],
    ],
    ['any other for a type that is local', ['local', 'fra'], { isLocalOnly: true }, [['/locations', 'not_supported']]],
    ['local twice for a type that is local', ['local', 'local'], { isLocalOnly: true }, []],
  ])('are validated: %s', (_, sent, more, found) => {
    expect(locationProblems(sent, rule(more)).map(({ pointer, code }) => [pointer, code])).toEqual(found);
  });

  it('are a set in the order in which they were sent', () => {
    expect(locationSet(['fra', 'local', 'fra'])).toEqual(['fra', 'local']);
  });

  it.each([
    [['local'], false],
    [['fra'], true],
    [['local', 'fra'], true],
  ])('%j have rows: %s', (locations, expected) => {
    expect(isLocated(locations)).toBe(expected);
  });

  it('each check once per interval', () => {
    expect(checksPerSecond({ intervalSeconds: 30, locations: ['local', 'fra', 'office'] })).toBe(0.1);
  });

  it.each([1, 3, 7, 20, 60, 3600])(
    'share an interval of %i s evenly, on the raster, starting at the offset of a single location',
    (seconds) => {
      for (let of = 1; of <= 10; of++) {
        const id = newUuid();
        const own = phaseMs(id, seconds);
        const phases = Array.from({ length: of }, (_, turn) => locationPhaseMs(id, seconds, { turn, of }));
        expect(phases[0]).toBe(own);
        phases.forEach((phase, turn) => {
          expect(phase % 20).toBe(0);
          expect(phase).toBeLessThan(seconds * 1000);
          const apart = (phase - own + seconds * 1000) % (seconds * 1000);
          expect(Math.abs(apart - (turn * seconds * 1000) / of)).toBeLessThan(20);
        });
      }
    },
  );
});

describe('the quorum', () => {
  it.each<[stored: string, locations: number, codes: string[]]>([
    ['majority', 1, []],
    ['all', 1, []],
    ['1', 1, []],
    ['2', 1, ['exceeds_locations']],
    ['3', 3, []],
    ['10', 9, ['exceeds_locations']],
  ])('%s of %i locations is validated', (stored, count, codes) => {
    const locations = Array.from({ length: count }, (_, i) => `p${i}`);
    expect(quorumProblems(stored, locations).map(({ code }) => code)).toEqual(codes);
  });

  it.each<[stored: string, shown: unknown]>([
    ['any', 'any'],
    ['10', 10],
  ])('is stored as %s and shown as %s', (stored, shown) => {
    expect(shownQuorum(stored)).toBe(shown);
  });
});
