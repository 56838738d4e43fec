import { mayBeJson } from './keyword';

/** Responses for which Kuma and our check disagree on whether the keyword is found. */
const DOCUMENTS = [
  '{ "status": "ok" }',
  '{"status" : "ok", "items" : [1, 2.0, true, null], "url": "https:\\/\\/example.com\\/a", "name": "J\\u00fcrgen"}',
  '[ 1.10, 12345678901234567890, 1E+2 ]',
  '{"text": "Status: OK, all is well at 10:30, v1.2", "count": 1.0}',
];
const compact = (text: string): string => JSON.stringify(JSON.parse(text));
const isFound = (text: string, keyword: string): boolean => text.includes(keyword);
const isDifferent = (keyword: string): boolean =>
  DOCUMENTS.some((text) => isFound(text, keyword) !== isFound(compact(text), keyword));

describe('an Uptime Kuma keyword', () => {
  it.each([
    '"status":"ok"',
    '"status": "ok"',
    '{ "status"',
    'https://example.com',
    'Jürgen',
    ', true',
    ',true',
    ': "ok"',
    '1, 2',
    '1.10',
    '00',
    '90,',
    '1E+2',
    '100',
  ])('%j matches differently in some JSON responses, which is reported', (keyword) => {
    expect([keyword, isDifferent(keyword), mayBeJson(keyword)]).toEqual([keyword, true, true]);
  });

  it.each(['ok', 'status', 'Status', 'all is well', 'error', 'is well at', 'Welcome to the shop!', 'v1.2', 'OK'])(
    '%j matches the same in every response',
    (keyword) => {
      expect([isDifferent(keyword), mayBeJson(keyword)]).toEqual([false, false]);
    },
  );

  it('never matches a response differently without a report', () => {
    // The letters in an escape sequence would look like parts of words.
    for (const text of DOCUMENTS.map((one) => one.replace('J\\u00fcrgen', 'Paul')))
      for (const source of [text, compact(text)])
        for (let from = 0; from < source.length; from++)
          for (let to = from + 1; to <= source.length; to++) {
            const keyword = source.slice(from, to);
            if (isFound(text, keyword) !== isFound(compact(text), keyword))
              expect([keyword, mayBeJson(keyword)]).toEqual([keyword, true]);
          }
  });
});
