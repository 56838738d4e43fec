import fc from 'fast-check';
import { includesText } from './text-search';

describe('a search in a text', () => {
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

  it('takes no longer if text and target nearly match everywhere', () => {
    const text = 'a'.repeat(1024 * 1024);
    const target = `${'a'.repeat(511)}b${'a'.repeat(512)}`;
    const least = (work: () => unknown) => {
      const costs = Array.from({ length: 5 }, () => {
        const before = process.cpuUsage();
        work();
        return process.cpuUsage(before).user;
      });
      return Math.min(...costs);
    };
    const look = least(() => {
      let sum = 0;
      for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at);
      return sum;
    });
    expect(includesText(text, target)).toBe(false);
    // The limit is ten times the time for one pass over the characters. A search that restarts at each position takes
    // hundreds of times as long.
    expect(least(() => includesText(text, target))).toBeLessThan(60 * Math.max(look, 500));
  });
});
