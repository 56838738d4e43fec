import { randomBytes } from 'node:crypto';
import { newUuid } from '../../platform/ids/id';
import { readClaim, signClaim } from './acknowledge-token';

const KEY = randomBytes(32);
const NOW = new Date('2026-11-20T12:00:00.000Z');
const CLAIM = { alertId: newUuid(), episodeNo: 7, expiresAt: new Date('2026-11-27T12:00:00.000Z') };
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('the token of an acknowledgement link', () => {
  it('returns what was signed', () => {
    expect(readClaim(KEY, signClaim(KEY, CLAIM), NOW)).toEqual(CLAIM);
  });

  it('is the same for every attempt, short, and valid in a URL', () => {
    expect(signClaim(KEY, CLAIM)).toBe(signClaim(KEY, CLAIM));
    expect(signClaim(KEY, CLAIM)).toMatch(/^[A-Za-z0-9_-]{56}$/);
  });

  it('is refused with any other character at any position', () => {
    const token = signClaim(KEY, CLAIM);
    for (let at = 0; at < token.length; at++) {
      for (const character of `${ALPHABET}+/=. %é\0`) {
        if (character === token[at]) continue;
        expect(readClaim(KEY, token.slice(0, at) + character + token.slice(at + 1), NOW)).toBeNull();
      }
    }
  });

  it.each([
    ['nothing', ''],
    ['one character less', signClaim(KEY, CLAIM).slice(1)],
    ['one character more', `${signClaim(KEY, CLAIM)}A`],
    ['a line end after it', `${signClaim(KEY, CLAIM)}\n`],
    ['padding after it', `${signClaim(KEY, CLAIM)}=`],
    ['the signature of another key', signClaim(randomBytes(32), CLAIM)],
    ['nothing but zeros', 'A'.repeat(56)],
  ])('is refused when it is %s', (_, token) => {
    expect(readClaim(KEY, token, NOW)).toBeNull();
  });

  it('is refused from the second in which it expires', () => {
    const token = signClaim(KEY, CLAIM);
    expect(readClaim(KEY, token, new Date(CLAIM.expiresAt.getTime() - 1))).toEqual(CLAIM);
    expect(readClaim(KEY, token, CLAIM.expiresAt)).toBeNull();
  });

  it('differs for each episode of the alert', () => {
    const tokens = [7, 8, 4_000_000_000].map((episodeNo) => signClaim(KEY, { ...CLAIM, episodeNo }));
    expect(new Set(tokens).size).toBe(3);
    expect(readClaim(KEY, tokens[2] ?? '', NOW)?.episodeNo).toBe(4_000_000_000);
  });
});
