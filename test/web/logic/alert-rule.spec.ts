import type { AlertRule } from '../../../web/src/api/types';
import { firstAlertText, ruleDraftOf, ruleOf, ruleText } from '../../../web/src/logic/alert-rule';

const USUAL: AlertRule = {
  condition: 'down',
  failure_threshold: 3,
  success_threshold: 2,
  after: 0,
  remind_every: null,
  send_on_resolved: true,
};

describe('the rule of an alert', () => {
  it.each<[string, Partial<AlertRule>, string]>([
    ['slack', {}, 'after 3 failures, resolved after 2 successes'],
    ['slack', { failure_threshold: 1, after: 600 }, 'after 1 failure and 10 min, resolved after 2 successes'],
    ['slack', { remind_every: 3600 }, 'after 3 failures, resolved after 2 successes, reminds every 1 h'],
    ['pagerduty', { remind_every: 3600 }, 'after 3 failures, resolved after 2 successes'],
    [
      'email',
      { condition: 'degraded', success_threshold: 1 },
      'after 3 failures or warnings, resolved after 1 success',
    ],
  ])('of %s with %j reads %j', (type, more, text) => {
    expect(ruleText({ ...USUAL, ...more, type })).toBe(text);
  });

  it.each<Partial<AlertRule>>([
    {},
    { after: 90, remind_every: 86_400, send_on_resolved: false },
    { condition: 'degraded', failure_threshold: 100, success_threshold: 1 },
  ])('%j is sent unchanged, with the usual values for omitted fields', (rule) => {
    expect(ruleOf(ruleDraftOf(rule))).toEqual({ ...USUAL, ...rule });
  });

  it('has no delay if nothing is typed, and no reminders', () => {
    const none = { amount: ' ', unit: 'hours' } as const;
    expect(ruleOf({ ...ruleDraftOf({}), after: none, remind_every: none })).toEqual(USUAL);
  });
});

describe('how long the first alert takes', () => {
  const draft = (changes: Partial<AlertRule>) => ruleDraftOf(changes);
  it.each<[Partial<AlertRule>, string]>([
    [{ failure_threshold: 1 }, 'Triggers with the first failed check.'],
    [{ failure_threshold: 2 }, 'Triggers about 1 min after the first failed check, with one check a minute.'],
    [
      { failure_threshold: 2, after: 600 },
      'Triggers about 10 min after the first failed check, with one check a minute.',
    ],
  ])('is said for %j', (rule, text) => {
    expect(firstAlertText(draft(rule))).toBe(text);
  });

  it('is not said while the threshold is not a number', () => {
    expect(firstAlertText({ ...draft({}), failure_threshold: 'x' })).toBe('');
  });
});
