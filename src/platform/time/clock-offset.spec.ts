import { offsetAfter } from './clock-offset';

describe('offsetAfter', () => {
  it.each<[what: string, estimate: number | null, now: number, before: number, after: number, offset: number]>([
    ['is taken from the first reply', null, 10_000, 1_000, 1_002, 8_998],
    ['stays when a reply agrees with it', 8_999, 20_000, 11_000, 11_002, 8_999],
    ['stays when a reply comes seconds late', 9_000, 25_000, 11_000, 16_000, 9_000],
    ['goes back only as far as it must', 9_500, 20_000, 11_000, 11_002, 9_000],
    ['goes ahead only as far as it must', 5_000, 20_000, 11_000, 11_002, 8_998],
    ['follows a clock that was set back', 9_000, -3_580_000, 11_000, 11_002, -3_591_000],
  ])('the offset to another clock %s', (_what, estimate, now, before, after, offset) => {
    expect(offsetAfter(estimate, now, before, after)).toBe(offset);
  });
});
