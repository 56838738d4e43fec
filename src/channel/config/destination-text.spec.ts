import { destinationText } from './destination-text';

describe("the text of an alert's destination", () => {
  it.each<[values: unknown[], text: string | null]>([
    [[], null],
    [['https://hooks.slack.com/services/T0/B0/secret'], 'hooks.slack.com'],
    [['https://hooks.slack.com/********'], 'hooks.slack.com'],
    [['http://10.0.0.7:8080/hook?token=secret'], '10.0.0.7:8080'],
    [['#ops', 'https://hooks.slack.com/x'], '#ops, hooks.slack.com'],
    [
      ['a@x.example', 'b@x.example', 'c@x.example', 'd@x.example', 'e@x.example'],
      'a@x.example, b@x.example, c@x.example +2',
    ],
    [['********@x.example'], '********@x.example'],
    [['********'], null],
    [[-1001234567890], '-1001234567890'],
    [['@mychannel'], '@mychannel'],
  ])('for %j is %j', (values, text) => expect(destinationText(values)).toBe(text));
});
