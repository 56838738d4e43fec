import { QueryRunnerAlreadyReleasedError, QueryRunnerProviderAlreadyReleasedError } from 'typeorm';
import { isUnavailable } from './postgres-errors';

const withCode = (code: string) => Object.assign(new Error('from the driver'), { driverError: { code } });

describe('isUnavailable', () => {
  it.each([
    ['a refused connection', withCode('ECONNREFUSED'), true],
    ['a server that shuts down', withCode('57P01'), true],
    ['a full disk', withCode('53100'), true],
    ['a lost connection', new Error('Connection terminated unexpectedly'), true],
    // TypeORM releases a connection that breaks between two statements in a transaction.
    ['a transaction whose connection broke', new QueryRunnerProviderAlreadyReleasedError(), true],
    ['a statement whose connection broke', new QueryRunnerAlreadyReleasedError(), true],
    ['a violated constraint', withCode('23505'), false],
    ['a bug in the service', new TypeError('x is not a function'), false],
    ["a value that isn't an error", 'text', false],
  ])('decides whether %s means that the database is unavailable', (_, error, expected) => {
    expect(isUnavailable(error)).toBe(expected);
  });
});
