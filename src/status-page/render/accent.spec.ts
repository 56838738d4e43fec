import fc from 'fast-check';
import { contrast, readableAccent } from './accent';

describe('the accent color of a page', () => {
  it('is used as it was chosen if it is readable', () => {
    expect(readableAccent('#1d5fc4').light).toBe('#1d5fc4');
    expect(readableAccent('#82b1ff').dark).toBe('#82b1ff');
  });

  it.each([
    ['#ffff00', 'light'],
    ['#000080', 'dark'],
  ] as const)('%s is changed in the %s mode, where it would be unreadable', (accent, mode) => {
    expect(readableAccent(accent)[mode]).not.toBe(accent);
  });

  it('is readable in both modes for any chosen color', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
        const { light, dark } = readableAccent(`#${number.toString(16).padStart(6, '0')}`);
        expect(contrast(light, '#f3f5f9')).toBeGreaterThanOrEqual(4.5);
        expect(contrast(dark, '#141a25')).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  it('measures contrast as WCAG does: 21 between black and white', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  });
});
