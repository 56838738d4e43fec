import { qrPath } from '../../../web/src/logic/qr-code';

describe('the QR code of a second factor', () => {
  const { size, path } = qrPath(
    'otpauth://totp/Uptime:ada%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Uptime',
  );
  const isDark = (x: number, y: number) => path.includes(`M${x} ${y}h1v1h-1z`);

  it('has a white margin, and the three squares by which a scanner finds it', () => {
    const modules = size - 8;
    expect([modules % 4, modules > 21]).toEqual([1, true]);
    const corners = [
      [4, 4],
      [size - 11, 4],
      [4, size - 11],
    ] as const;
    for (const [left, top] of corners)
      for (let n = 0; n < 7; n++) {
        // The outer ring is dark, the next one is light, and the middle is dark.
        expect([isDark(left + n, top), isDark(left, top + n), isDark(left + 6, top + n)]).toEqual([true, true, true]);
        if (n > 0 && n < 6) expect([isDark(left + n, top + 1), isDark(left + 1, top + n)]).toEqual([false, false]);
        if (n > 1 && n < 5) expect(isDark(left + n, top + 3)).toBe(true);
      }
    for (let n = 0; n < size; n++) for (let edge = 0; edge < 4; edge++) expect(isDark(n, edge)).toBe(false);
  });
});
