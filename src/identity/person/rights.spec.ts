import type { MembershipSource } from './person-row';
import { holds, lackOf, type Proof, type Right } from './rights';
import { SIGN_INS, type SignIn } from './sign-ins';

const NOW = new Date('2026-11-28T12:00:00.000Z');
const hoursAgo = (hours: number): Date => new Date(NOW.getTime() - hours * 3_600_000);

const right = (source: MembershipSource, needsSecondFactor = false): Right => ({ source, needsSecondFactor });
const proof = (via: SignIn | null, confirmedAt: Date | null, hasSecondFactor = false): Proof => ({
  via,
  confirmedAt,
  hasSecondFactor,
});

/**
 * The types of session in which a right holds while its source confirms it. The code doesn't compile if a source or a
 * way to sign in is missing.
 */
const HOLDS: Readonly<Record<MembershipSource, Readonly<Record<SignIn, boolean>>>> = {
  invited: {
    api_key: true,
    sign_in_link: true,
    password: true,
    invitation: true,
    single_sign_on: true,
    proxy: true,
  },
  groups: {
    api_key: false,
    sign_in_link: false,
    password: false,
    invitation: false,
    single_sign_on: true,
    proxy: true,
  },
};
const CELLS = (Object.keys(HOLDS) as MembershipSource[]).flatMap((source) =>
  SIGN_INS.map((via) => ({ source, via, expected: HOLDS[source][via] })),
);

describe('holds', () => {
  it.each(CELLS)('says $expected for a right from $source that was just confirmed, in a session by $via', (cell) => {
    expect(holds(right(cell.source), proof(cell.via, NOW), NOW)).toBe(cell.expected);
  });

  it.each(CELLS)(
    'lets a right from $source in a session by $via outlive its confirmation only if it was invited',
    (cell) => {
      const proofs = [hoursAgo(24), hoursAgo(1000), null].map((at) => proof(cell.via, at));
      expect(proofs.map((each) => holds(right(cell.source), each, NOW))).toEqual(
        Array(3).fill(cell.source === 'invited'),
      );
    },
  );

  it('lets rights from groups hold for 24 hours after the last confirmation, and not a millisecond longer', () => {
    const at = (ms: number) =>
      holds(right('groups'), proof('single_sign_on', hoursAgo(24)), new Date(NOW.getTime() + ms));
    expect([at(-1), at(0)]).toEqual([true, false]);
  });

  it('gives no rights from groups to a session of an older version, whose sign-in method is unknown', () => {
    expect(holds(right('groups'), proof(null, NOW), NOW)).toBe(false);
  });

  it.each(CELLS)(
    'requires a second factor in a session by $via that opens a right from $source, but not from the provider',
    (cell) => {
      const needing = right(cell.source, true);
      const isByProvider = cell.via === 'single_sign_on' || cell.via === 'proxy';
      expect(holds(needing, proof(cell.via, NOW), NOW)).toBe(cell.expected && isByProvider);
      expect(holds(needing, proof(cell.via, NOW, true), NOW)).toBe(cell.expected);
      expect(lackOf(needing, proof(cell.via, NOW, true), NOW)).toBe(cell.expected ? null : 'single_sign_on');
    },
  );

  it('names what a session lacks: the provider before the second factor', () => {
    expect(lackOf(right('invited', true), proof('password', null), NOW)).toBe('second_factor');
    expect(lackOf(right('groups', true), proof('password', NOW), NOW)).toBe('single_sign_on');
    expect(lackOf(right('invited'), proof('password', null), NOW)).toBeNull();
  });
});
