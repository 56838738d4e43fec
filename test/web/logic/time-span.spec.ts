import { secondsOf, spanOf, spanProblem, spanText, type TimeSpan } from '../../../web/src/logic/time-span';

describe('a length of time in a form', () => {
  it.each<[number | null, TimeSpan]>([
    [600, { amount: '10', unit: 'minutes' }],
    [3600, { amount: '1', unit: 'hours' }],
    [5400, { amount: '90', unit: 'minutes' }],
    [172_800, { amount: '2', unit: 'days' }],
    [45, { amount: '45', unit: 'seconds' }],
    [0, { amount: '0', unit: 'hours' }],
    [null, { amount: '', unit: 'hours' }],
  ])('%j seconds are shown as %j, and read back unchanged', (seconds, span) => {
    expect(spanOf(seconds, 'hours')).toEqual(span);
    expect(secondsOf(span)).toBe(seconds);
  });

  it('accepts half an hour and a third of a minute as whole seconds', () => {
    expect(secondsOf({ amount: '0.5', unit: 'hours' })).toBe(1800);
    expect(secondsOf({ amount: '0.3333', unit: 'minutes' })).toBe(20);
  });

  it.each([
    [600, '10 min'],
    [3600, '1 h'],
    [5400, '1 h 30 min'],
    [86_400, '1 day'],
    [604_800, '7 days'],
    [301, '5 min 1 s'],
    [0, '0 s'],
  ])('%j seconds read %j', (seconds, text) => {
    expect(spanText(seconds)).toBe(text);
  });

  it.each([
    ['remind_every must not be less than 300', 'At least 5 min'],
    ['after must not be greater than 86400', 'At most 1 day'],
    ['after must be at most 86400', 'At most 1 day'],
    ['after must be an integer number', 'after must be an integer number'],
  ])('the message %j becomes %j', (message, text) => {
    expect(spanProblem(message)).toBe(text);
  });
});
