import { startsFrom } from '../../../src/platform/time/cron-times';
import { fieldCases } from '../../harness/field/field-cases';

interface CronCase {
  cron: string;
  timezone: string;
  from: string;
  until: string;
  runs: string[];
}

// The files record the behavior of Debian's cron (scripts/cron-fixtures.mjs).
describe('a schedule runs when cron runs it', () => {
  it.each(fieldCases<CronCase>('cron', ['cron', 'timezone', 'from', 'until', 'runs']))(
    '$cron in $timezone from $from: $name',
    ({ cron, timezone, from, until, runs }) => {
      const found: string[] = [];
      for (const at of startsFrom(cron, timezone, new Date(from))) {
        if (at >= new Date(until)) break;
        found.push(at.toISOString().replace('.000Z', 'Z'));
      }
      expect(found).toEqual(runs);
    },
  );
});
