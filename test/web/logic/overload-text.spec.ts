import { overloadText } from '../../../web/src/logic/overload-text';

describe('the line that shows that the installation is overloaded', () => {
  const now = new Date(2026, 10, 23, 14, 5).getTime();
  const since = new Date(2026, 10, 23, 14, 2).toISOString();

  it.each([
    [1.84, 840.2, '1.8 times as many checks as this installation can run. 840 checks per second are skipped'],
    [3.1, 12_400, '3.1 times as many checks as this installation can run. 12,400 checks per second are skipped'],
    [1.2, 1, '1.2 times as many checks as this installation can run. 1 check per second is skipped'],
    [1, 0, 'slightly more checks than this installation can run. Checks start late'],
  ])('with a load of %d times the capacity, with %d checks a second skipped', (ratio, skipped_per_second, text) => {
    expect(overloadText({ since, ratio, skipped_per_second }, now)).toBe(
      `Overloaded since 14:02:00: ${text}. Alerts are still sent.`,
    );
  });
});
