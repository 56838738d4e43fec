import { Problem, ProtocolUnsupported } from '../../../platform/problem/problem';
import { readPoll } from './poll-request';

const SESSION = '7f3c9a52e0b14d68';
const pollOf = (fields: object = {}) => readPoll({ protocol: 1, session: SESSION, ...fields });

function refusalOf(body: unknown): unknown {
  try {
    readPoll(body);
    return null;
  } catch (error) {
    return error instanceof Problem
      ? [error.code, error.errors.map(({ pointer, code }) => `${pointer} ${code}`)]
      : error;
  }
}

describe('a parsed poll', () => {
  it('needs only protocol and session', () => {
    expect(pollOf()).toEqual({
      protocol: 1,
      session: SESSION,
      standby: false,
      cursor: null,
      wait: 0,
      version: 'unknown',
      types: [],
      capabilities: [],
      clock: NaN,
      count: 0,
      digest: null,
      buffered: 0,
      dropped: 0,
      skipped: 0,
      lag_ms: 0,
      rtt_ms: 0,
    });
  });

  it('ignores fields that it does not know', () => {
    expect(pollOf({ wait: 20, color: 'red', nested: { deep: [] } })).not.toHaveProperty('color');
  });

  it.each([
    ['nothing', undefined, ['malformed_json', []]],
    ['a list', [], ['validation_failed', [' wrong_type']]],
    ['an empty object', {}, ['validation_failed', ['/protocol required', '/session required']]],
    ['a short session', { protocol: 1, session: 'a' }, ['validation_failed', ['/session invalid_format']]],
    ['a protocol in words', { protocol: '1', session: SESSION }, ['validation_failed', ['/protocol invalid_format']]],
  ])('refuses %s', (_, body, refusal) => {
    expect(refusalOf(body)).toEqual(refusal);
  });

  it.each([
    ['standby', 'yes'],
    ['cursor', 7],
    ['cursor', 'x'.repeat(1001)],
    ['cursor', "' OR 1"],
    ['wait', 21],
    ['wait', -1],
    ['wait', '20'],
    ['version', 'a\nb'],
    ['version', 'x'.repeat(33)],
    ['types', 'HTTP'],
    ['capabilities', ['Settings']],
    ['capabilities', 'settings'],
    ['types', ['http']],
    ['types', Array.from({ length: 65 }, () => 'HTTP')],
    ['clock', Infinity],
    ['count', 1.5],
    ['count', -1],
    ['digest', 'abc'],
    ['buffered', 2 ** 31],
    ['dropped', -1],
    ['lag_ms', null],
  ])('refuses the field %s that is %j', (name, value) => {
    expect(refusalOf({ protocol: 1, session: SESSION, [name]: value })).toEqual([
      'validation_failed',
      [`/${name} invalid_format`],
    ]);
  });

  it('reports the supported protocols for another protocol, regardless of the other fields', () => {
    expect(() => readPoll({ protocol: 99, session: 7 })).toThrow(ProtocolUnsupported);
  });
});
