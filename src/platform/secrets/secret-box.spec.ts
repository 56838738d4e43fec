import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Config } from '../config/config';
import { SecretBox, SecretUnreadable, sealingKeyId } from './secret-box';

const key = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

function boxWith(...secretsKeys: string[]): SecretBox {
  return new SecretBox(Object.assign(new Config(), { secretsKeys }));
}

describe('SecretBox', () => {
  const first = key('2026-11');
  const second = key('2027-05');

  it('decrypts what it encrypted, for any text', () => {
    const box = boxWith(first);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, context) => {
        expect(box.open(box.seal(text, context), context)).toBe(text);
      }),
    );
  });

  it('names the key in the envelope and hides the text', () => {
    const sealed = boxWith(first).seal('xoxb-very-secret', 'alert:1:config');
    expect(sealed).toMatch(/^v1:2026-11:[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(sealed.split(':')[2] ?? '', 'base64').toString('latin1')).not.toContain('very-secret');
    expect(sealingKeyId(sealed)).toBe('2026-11');
  });

  it('never encrypts the same text the same way twice', () => {
    const box = boxWith(first);
    expect(box.seal('text', 'context')).not.toBe(box.seal('text', 'context'));
  });

  it('refuses a value that was moved to another row', () => {
    const box = boxWith(first);
    expect(() => box.open(box.seal('text', 'alert:1:config'), 'alert:2:config')).toThrow(SecretUnreadable);
  });

  it('refuses a value with any bit changed', () => {
    const box = boxWith(first);
    const sealed = box.seal('text', 'context');
    const prefix = sealed.slice(0, sealed.lastIndexOf(':') + 1);
    const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => box.open(prefix + damaged.toString('base64'), 'context')).toThrow(SecretUnreadable);
    }
  });

  it.each(['', 'text', 'v1:', 'v1:2026-11:', 'v1:2026-11:AAAA', 'v2:2026-11:AAAA', 'v1:2026-11:not base64'])(
    'refuses to decrypt %j, which it never wrote',
    (text) => {
      expect(() => boxWith(first).open(text, 'context')).toThrow(SecretUnreadable);
    },
  );

  it('encrypts with the first key and decrypts with all', () => {
    const old = boxWith(first).seal('text', 'context');
    const both = boxWith(second, first);
    expect(both.open(old, 'context')).toBe('text');
    expect(sealingKeyId(both.seal('text', 'context'))).toBe('2027-05');
    expect([both.isCurrent(old), both.isCurrent(both.seal('text', 'context'))]).toEqual([false, true]);
  });

  it('names the missing key in its error, not the value', () => {
    const old = boxWith(first).seal('text', 'context');
    const box = boxWith(second);
    expect([box.hasKey('2026-11'), box.hasKey('2027-05')]).toEqual([false, true]);
    expect(() => box.open(old, 'context')).toThrow(/"2026-11"/);
  });

  it('stores plain text without keys and still reads it once keys exist', () => {
    const plain = boxWith().seal('text', 'context');
    expect(plain).toBe('plain:text');
    expect(boxWith(first).open(plain, 'context')).toBe('text');
    expect([boxWith().isCurrent(plain), boxWith(first).isCurrent(plain)]).toEqual([true, false]);
  });

  it('refuses two keys with one id', () => {
    expect(() => boxWith(key('same'), key('same'))).toThrow(/own id/);
  });
});
