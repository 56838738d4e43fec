import { randomBytes } from 'node:crypto';
import { OpaquePositions } from './opaque-position';

describe('opaque positions', () => {
  const positions = new OpaquePositions(randomBytes(32));

  it.each(['1', '12345678901', '0190c3b2-7f4c-7a10-8000-000000000001', 'é 2026-11-22', ''])(
    'are decrypted unchanged: "%s"',
    (text) => {
      expect(positions.open('org list', positions.seal('org list', text))).toBe(text);
    },
  );

  it('reveal neither the position nor its length', () => {
    const [small, large] = [positions.seal('list', '7'), positions.seal('list', '123456789012345')];
    expect(small).toHaveLength(large.length);
    expect(Buffer.from(large, 'base64url').toString('latin1')).not.toContain('2345');
  });

  it('are equal for the same position of a list, and differ between lists', () => {
    expect(positions.seal('a', '7')).toBe(positions.seal('a', '7'));
    expect(positions.seal('a', '7').slice(0, 16)).not.toBe(positions.seal('b', '7').slice(0, 16));
  });

  const sealed = positions.seal('mine', '42');
  it.each([
    ['of another list', 'theirs', sealed],
    ['made with another secret', 'mine', new OpaquePositions(randomBytes(32)).seal('mine', '42')],
    ['cut off', 'mine', sealed.slice(0, -1)],
    ['extended', 'mine', `${sealed}A`],
    ['with another character', 'mine', `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`],
    ['in another spelling', 'mine', `${sealed}=`],
    ['empty', 'mine', ''],
    ['that is rubbish', 'mine', 'at_999999999999999_0_0'],
  ])('reject one %s', (_, context, text) => {
    expect(positions.open(context, text)).toBeNull();
  });
});
