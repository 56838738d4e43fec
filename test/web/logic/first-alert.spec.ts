import { firstAlertText } from '../../../web/src/logic/first-alert';

const two = { alert_defaults: { failure_threshold: 2 } };

describe('the time until the first message', () => {
  it.each<[string, Parameters<typeof firstAlertText>]>([
    ['Notifies after 2 failed checks in a row, about 1 min after the first.', [[two], 60]],
    ['Notifies after 3 failed checks in a row, about 2 min after the first.', [[{ alert_defaults: {} }], 60]],
    ['Notifies after 2 failed checks in a row, about 30 s after the first.', [[two], 30]],
    [
      'Notifies after 2 failed checks in a row, about 10 min after the first.',
      [[{ alert_defaults: { failure_threshold: 2, after: 600 } }], 60],
    ],
    ['Notifies after the first failed check.', [[two, { alert_defaults: { failure_threshold: 1 } }], 60]],
    ['', [[], 60]],
    ['', [[two], NaN]],
  ])('is said as “%s”', (text, given) => {
    expect(firstAlertText(...given)).toBe(text);
  });
});
