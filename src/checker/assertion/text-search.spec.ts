import fc from 'fast-check';
import { includesText } from './text-search';

describe('A search in a text', () => {
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });

  it('finds what includes finds, for short and long texts', () => {
    fc.assert(
      fc.property(letters(6000), letters(300), fc.nat(5000), fc.boolean(), (text, other, at, isInside) => {
        const target = isInside ? text.slice(at, at + 400) : 'a'.repeat(200) + other;
        expect(includesText(text, target)).toBe(text.includes(target));
      }),
      { numRuns: 500 },
    );
  });

  it('takes no longer for a text and a target that nearly match everywhere', () => {
    const text = 'a'.repeat(1024 * 1024);
    const cost = (target: string) => {
      const { user } = process.cpuUsage();
      expect(includesText(text, target)).toBe(false);
      return process.cpuUsage({ user, system: 0 }).user;
    };
    const near = () => cost(`${'a'.repeat(511)}b${'a'.repeat(512)}`);
    const far = () => cost('b'.repeat(1024));
    const least = (measured: () => number) => Math.min(...Array.from({ length: 5 }, measured));
    // Two to three times as long; a search that begins again at each place takes a hundred times as long.
    expect(least(near)).toBeLessThan(15 * Math.max(least(far), 1000));
  });
});
