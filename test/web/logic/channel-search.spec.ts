import { SPEC_CHANNEL_TYPES } from '../../../src/channel/channel';
import { channelsFound } from '../../../web/src/logic/channel-search';
import { bodyText } from '../../../web/src/logic/request-preview';
import { jsonText, parsedTemplate } from '../../../web/src/logic/template-text';

const found = (search: string, used: readonly string[] = []): string[] =>
  channelsFound(SPEC_CHANNEL_TYPES, search, new Set(used));

describe('the search for a channel', () => {
  it('lists all channels in their order, with the used ones first', () => {
    expect(found('')).toEqual([...SPEC_CHANNEL_TYPES]);
    expect(found('', ['matrix', 'slack']).slice(0, 3)).toEqual(['slack', 'matrix', 'email']);
  });

  it.each([
    ['pager', ['pagerduty', 'opsgenie', 'alertmanager', 'splunk_oncall', 'ilert']],
    ['VictorOps', ['splunk_oncall']],
    ['google', ['google_chat']],
    ['push phone', ['ntfy', 'gotify', 'pushover', 'pushbullet', 'bark']],
    ['home assistant', ['home_assistant']],
    ['custom json', ['webhook']],
    ['pigeon', []],
  ])('finds channels by name and by other words: %s', (search, expected) => {
    expect(found(search)).toEqual(expected);
  });
});

describe('the editor of a body', () => {
  it('keeps JSON as it is, and makes text that is not JSON a value that the service refuses', () => {
    expect(parsedTemplate('{"a": "{{title}}"}')).toEqual({ value: { a: '{{title}}' } });
    expect(parsedTemplate(' ')).toEqual({});
    expect(parsedTemplate('{"a": ')).toEqual({ value: '{{', problem: 'is not JSON' });
    expect(jsonText({ a: '' })).toBe('{\n  "a": ""\n}');
    expect(jsonText(undefined)).toBe('');
  });

  it('shows the fields of a form one per line', () => {
    expect(bodyText('a=b+c&d=%26')).toBe('a: b c\nd: &');
    expect(bodyText('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(bodyText('A sentence = text.\nMore')).toBe('A sentence = text.\nMore');
  });
});
