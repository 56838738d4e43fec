import { assertionProblems, MAX_ASSERTIONS } from './assertion-rules';
import { type Assertion, ASSERTION_SOURCES } from './assertion';

const problemsOf = (assertion: Partial<Assertion>) =>
  assertionProblems([{ source: 'body', comparison: 'contains', target: 'x', ...assertion }], ASSERTION_SOURCES).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );

const header = { source: 'header', property: 'X-A' } as const;
const json = { source: 'json', property: '$.a' } as const;

const many = (count: number): Assertion[] =>
  Array.from({ length: count }, () => ({ source: 'body', comparison: 'contains', target: 'x' }));

describe('the rules for assertions', () => {
  const good: Partial<Assertion>[] = [
    { source: 'status_code', comparison: 'in', target: '200-299,301' },
    { source: 'status_code', comparison: 'equals', target: '200' },
    { source: 'status_code', comparison: 'less_than', target: '400' },
    { source: 'response_time', comparison: 'less_than', target: '1500.5' },
    { ...header, comparison: 'exists', target: '' },
    { ...header, comparison: 'equals', target: '' },
    { ...header, comparison: 'greater_than', target: '-1' },
    { source: 'body', comparison: 'not_contains', target: 'error' },
    { ...json, comparison: 'in', target: 'a,b' },
    { ...json, property: '$..a', comparison: 'exists', target: 'false' },
    { ...json, property: '$.items[?@.id == 7].name', comparison: 'equals', target: 'x' },
    { ...json, property: '$.items[?length(@.name) > 3]', comparison: 'exists', target: 'true' },
    { source: 'certificate_days', comparison: 'greater_than', target: '14' },
    { source: 'dns_record', comparison: 'equals', target: '192.0.2.1,192.0.2.2' },
    { source: 'banner', comparison: 'contains', target: 'OpenSSH' },
  ];
  it.each(good)('accepts the assertion %j', (assertion) => {
    expect(problemsOf(assertion)).toEqual([]);
  });

  const bad: [Partial<Assertion>, string][] = [
    [{ source: 'body', comparison: 'less_than', target: '1' }, '/0/comparison invalid_format'],
    [{ source: 'status_code', comparison: 'contains', target: '2' }, '/0/comparison invalid_format'],
    [{ source: 'response_time', comparison: 'equals', target: '1' }, '/0/comparison invalid_format'],
    [{ source: 'certificate_days', comparison: 'exists', target: '' }, '/0/comparison invalid_format'],
    [{ source: 'status_code', comparison: 'in', target: '299-200' }, '/0/target invalid_format'],
    [{ source: 'status_code', comparison: 'in', target: '200-' }, '/0/target invalid_format'],
    [{ source: 'status_code', comparison: 'in', target: '99' }, '/0/target invalid_format'],
    [{ source: 'status_code', comparison: 'equals', target: '2xx' }, '/0/target invalid_format'],
    [{ source: 'status_code', comparison: 'in', target: '' }, '/0/target invalid_format'],
    [{ source: 'response_time', comparison: 'less_than', target: 'fast' }, '/0/target invalid_format'],
    [{ source: 'response_time', comparison: 'less_than', target: '1e3' }, '/0/target invalid_format'],
    [{ source: 'response_time', comparison: 'less_than', target: 'Infinity' }, '/0/target invalid_format'],
    [{ source: 'body', comparison: 'contains', target: '' }, '/0/target required'],
    [{ source: 'body', comparison: 'exists', target: 'maybe' }, '/0/target invalid_format'],
    [{ source: 'body', comparison: 'contains', target: 'x'.repeat(1025) }, '/0/target too_long'],
    [{ source: 'body', property: '$.a' }, '/0/property unknown_field'],
    [{ source: 'header' }, '/0/property required'],
    [{ ...header, property: '' }, '/0/property required'],
    [{ ...header, property: 'X A' }, '/0/property invalid_characters'],
    [{ ...header, property: 'x'.repeat(257) }, '/0/property too_long'],
    [{ source: 'json' }, '/0/property required'],
    [{ ...json, property: 'a.b' }, '/0/property invalid_format'],
    [{ ...json, property: '$.a[' }, '/0/property invalid_format'],
  ];
  it.each(bad)('refuses the assertion %j', (assertion, problem) => {
    expect(problemsOf(assertion)).toEqual([problem]);
  });

  it('refuses an assertion whose source the type of check does not offer, and names the available sources', () => {
    const [problem] = assertionProblems(
      [{ source: 'body', comparison: 'contains', target: 'x' }],
      ['response_time', 'banner'],
    );
    expect(problem).toMatchObject({ pointer: '/0/source', message: expect.stringContaining('response_time, banner') });
  });

  it('reports every problem of a list of assertions at once, with its pointer', () => {
    const list: Assertion[] = [
      { source: 'body', comparison: 'contains', target: 'x' },
      { source: 'header', comparison: 'contains', target: '' },
      { source: 'response_time', comparison: 'less_than', target: 'soon' },
    ];
    expect(assertionProblems(list, ASSERTION_SOURCES).map(({ pointer }) => pointer)).toEqual([
      '/1/property',
      '/1/target',
      '/2/target',
    ]);
  });

  it('accepts twenty assertions and refuses more', () => {
    expect(assertionProblems(many(MAX_ASSERTIONS), ASSERTION_SOURCES)).toEqual([]);
    expect(assertionProblems(many(MAX_ASSERTIONS + 1), ASSERTION_SOURCES)).toMatchObject([
      { pointer: '', code: 'out_of_range' },
    ]);
  });
});
