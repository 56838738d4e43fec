import { reminderStep, type ReminderFacts, type ReminderRule } from './reminder-step';

const DUE = new Date('2026-11-20T12:00:00.000Z');
const later = (seconds: number) => new Date(DUE.getTime() + seconds * 1000);
const HOUR = 3600;

const RULE: ReminderRule = { triggered: true, remindEverySeconds: HOUR, remindAt: DUE };
const FACTS: ReminderFacts = { isPager: false, isTold: true, isSuppressed: false, transitions: 1 };

/** The decision, and how many seconds after the due time the alert is read again. */
function step(rule: Partial<ReminderRule>, facts: Partial<ReminderFacts>, lateSeconds = 0): string {
  const found = reminderStep({ ...RULE, ...rule }, { ...FACTS, ...facts }, later(lateSeconds));
  return found.is === 'over' ? 'over' : `${found.is}, again after ${(found.next.getTime() - DUE.getTime()) / 1000}`;
}

describe('a reminder that is due', () => {
  it.each<[string, Partial<ReminderRule>, Partial<ReminderFacts>, number, string]>([
    ['is sent, and the next one a period after its time', {}, {}, 0, 'sent, again after 3600'],
    ['that is late does not move the next one', {}, {}, 59, 'sent, again after 3600'],
    ['that is a whole period late leaves the one between out', {}, {}, HOUR, 'sent, again after 7200'],
    ['that is days late leaves out all between', {}, {}, 2.5 * 24 * HOUR, 'sent, again after 219600'],
    ['is sent by the shortest period', { remindEverySeconds: 300 }, {}, 10, 'sent, again after 300'],
    ['of an episode that is over is none', { triggered: false }, {}, 0, 'over'],
    ['of an alert that reminds no more is none', { remindEverySeconds: null }, {}, 0, 'over'],
    ['of a pager is passed over', {}, { isPager: true }, 20, 'passed over, again after 3600'],
    ['of an alert that flaps is passed over', {}, { transitions: 7 }, 20, 'passed over, again after 3600'],
    ['after six transitions in an hour is sent', {}, { transitions: 6 }, 0, 'sent, again after 3600'],
    [
      'is looked at again in a minute while its trigger is not told',
      {},
      { isTold: false },
      5,
      'passed over, again after 65',
    ],
    [
      'waits a period and two looks while it is suppressed',
      {},
      { isSuppressed: true },
      5,
      'passed over, again after 3645',
    ],
    [
      'that is suppressed and not told waits for the end of that',
      {},
      { isSuppressed: true, isTold: false },
      0,
      'passed over, again after 3640',
    ],
    ['of an episode that is over is none, suppressed or not', { triggered: false }, { isSuppressed: true }, 0, 'over'],
  ])('%s', (_, rule, facts, lateSeconds, expected) => {
    expect(step(rule, facts, lateSeconds)).toBe(expected);
  });
});
