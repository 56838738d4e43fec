import type { StatusDay } from '../status-snapshot';
import { uptimeText } from './uptime';

const day = (up: number, down = 0, unknown = 0): StatusDay => ({
  date: '2026-11-20',
  up,
  down,
  unknown,
  excluded: false,
  planned: false,
});
const days = (count: number, each: StatusDay): StatusDay[] => Array.from({ length: count }, () => each);

describe('an uptime in words', () => {
  it.each([
    ['a window that was watched wholly', days(90, day(1440)), '100%'],
    ['a single failure', days(90, day(99_999, 1)), '99.99%'],
    ['one day of ninety', [...days(89, day(0)), day(1440)], '100% since 20 Nov'],
    ['one day of two hundred', [...days(199, day(0)), day(1440)], '100% since 20 Nov'],
    ['checks of which half say nothing', days(7, day(50, 0, 50)), '100%, watched for 50% of the time'],
    [
      'days of which half were in maintenance',
      [...days(5, { ...day(0), excluded: true }), ...days(5, day(1440))],
      '100%',
    ],
    ['a gap of two days in three', [day(1440), day(0), day(0)], '100%, watched for 33% of the time'],
    ['no check at all', days(7, day(0)), 'no data'],
    ['no endpoint', [], 'no data'],
  ])('%s', (_, window, text) => {
    expect(uptimeText(window)).toBe(text);
  });
});
