import { problemText, titled } from '../../../web/src/logic/problem-text';

describe('a message about a field in the words of its label', () => {
  it.each([
    ['Interval (seconds)', 'interval must not be less than 1', 'Interval must be at least 1 second'],
    ['Interval (seconds)', 'interval must not be greater than 86400', 'Interval must be at most 86400 seconds'],
    ['Interval (seconds)', 'interval must be at least 1', 'Interval must be at least 1 second'],
    ['Timeout (seconds)', 'timeout must be at most 300', 'Timeout must be at most 300 seconds'],
    [
      'Failures in a row to trigger',
      'failure_threshold must not be less than 1',
      'Failures in a row to trigger must be at least 1',
    ],
    ['Webhook URL', 'is required', 'Webhook URL is required'],
    ['URL (optional)', 'must start with https:// or http://', 'URL must start with https:// or http://'],
    ['Copy to (optional), one per line', 'must be an array', 'Copy to must be an array'],
    ['To (phone numbers)', 'must be a phone number', 'To must be a phone number'],
    ['Name', 'name must not be empty', 'Name must not be empty'],
    ['Type', 'unsupported here', 'Unsupported here'],
    ['URL', 'the target is not allowed', 'The target is not allowed'],
  ])('%s: %s', (label, message, text) => expect(problemText(label, message)).toBe(text));

  it.each([
    ['webhook_url', 'Webhook URL'],
    ['account_sid', 'Account SID'],
    ['smtp', 'SMTP'],
  ])('creates a label from %s', (key, title) => expect(titled(key)).toBe(title));
});
