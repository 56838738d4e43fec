import { comparePassword, hashPassword } from './password-hash';

const CHEAP = { ln: 4, r: 8, p: 1 };

describe('the hash of a password', () => {
  it('contains its parameters, with a new salt each time', async () => {
    const [one, other] = await Promise.all([
      hashPassword('correct horse battery', CHEAP),
      hashPassword('correct horse battery', CHEAP),
    ]);
    expect(one).toMatch(/^\$scrypt\$ln=4,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(other).not.toBe(one);
  });

  it('matches its password, and no other', async () => {
    const stored = await hashPassword('correct horse battery', CHEAP);
    expect(await comparePassword('correct horse battery', stored, CHEAP)).toEqual({ isRight: true, isOutdated: false });
    expect(await comparePassword('correct horse batterY', stored, CHEAP)).toEqual({
      isRight: false,
      isOutdated: false,
    });
  });

  it('is outdated once hashing costs more, but only for the right password', async () => {
    const stored = await hashPassword('correct horse battery', CHEAP);
    const more = { ...CHEAP, ln: 5 };
    expect(await comparePassword('correct horse battery', stored, more)).toEqual({ isRight: true, isOutdated: true });
    expect(await comparePassword('something else', stored, more)).toEqual({ isRight: false, isOutdated: false });
  });

  it('never matches if it is missing or malformed', async () => {
    for (const stored of [null, '', '$scrypt$ln=4,r=8,p=1$short$short', 'correct horse battery'])
      expect((await comparePassword('correct horse battery', stored, CHEAP)).isRight).toBe(false);
  });
});
