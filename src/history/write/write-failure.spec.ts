import { writeFailureOf } from './write-failure';

const withState = (code: string) => Object.assign(new Error('from the database'), { driverError: { code } });

describe('writeFailureOf', () => {
  it.each([
    ['a lock timeout', withState('55P03'), 'locked'],
    ['text that jsonb refuses', withState('22P05'), 'content'],
    ['a violated constraint', withState('23514'), 'content'],
    ['a row that is too large', withState('54000'), 'content'],
    ['a parameter longer than a string may be', new RangeError('Invalid string length'), 'content'],
    ['a refused connection', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'away'],
    ['a full disk', withState('53100'), 'away'],
    ['a database that only reads', withState('25006'), 'away'],
    ['a shutdown', withState('57P01'), 'away'],
    ['a database out of memory', withState('53200'), 'unclear'],
    ['a statement that took too long', withState('57014'), 'unclear'],
    ['no answer in time', new Error('Query read timeout'), 'unclear'],
    ['an error that a trigger raises', withState('P0001'), 'unclear'],
    ['a bug in the service', new TypeError('x is not a function'), 'unclear'],
    ["a value that isn't an error", 'text', 'unclear'],
  ])('classifies %s', (_, error, expected) => {
    expect(writeFailureOf(error)).toBe(expected);
  });
});
