import { overloadText } from '../../../web/src/logic/overload-text';

describe('the line that says that the installation is overloaded', () => {
  const now = new Date(2026, 10, 23, 14, 5).getTime();
  const since = new Date(2026, 10, 23, 14, 2).toISOString();

  it.each([
    [1.84, 840.2, '1.8 times what this installation can check. 840 checks a second are skipped'],
    [3.1, 12_400, '3.1 times what this installation can check. 12,400 checks a second are skipped'],
    [1.2, 1, '1.2 times what this installation can check. 1 check a second is skipped'],
    [1, 0, 'slightly more than this installation can check. Checks begin late'],
  ])('asked %d times as much, with %d checks a second skipped', (ratio, skipped_per_second, text) => {
    expect(overloadText({ since, ratio, skipped_per_second }, now)).toBe(
      `Overloaded since 14:02:00: ${text}; alerts still come.`,
    );
  });
});
