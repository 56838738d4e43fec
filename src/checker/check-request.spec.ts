import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { OPERATORS_EGRESS } from '../platform/net/egress/egress-policy';
import { toCheckRequest } from './check-request';
import type { Checker } from './checker';

const checker: Checker = {
  assertionSources: [],
  targetForm: 'anything',
  parseTarget: (url) => ({ url }),
  check: () => Promise.reject(new Error('not called')),
};

const settings = { method: 'GET', headers: [], body: null, followRedirects: true, tls: null, assertions: [] };
const requestOf = (url: string) => toCheckRequest(checker, { url, ...settings }, OPERATORS_EGRESS);

/**
 * Returns true if V8 uses the same hidden class for two objects, so that code optimized for one also reads the other
 * quickly.
 */
function areAlike(a: object, b: object): boolean {
  setFlagsFromString('--allow-natives-syntax');
  try {
    return (runInThisContext('(a, b) => %HaveSameMap(a, b)') as (a: object, b: object) => boolean)(a, b);
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

describe('toCheckRequest', () => {
  it('replaces the address with the parsed target, and adds the allowed destinations', () => {
    const request = requestOf('http://one/');
    const target = { url: 'http://one/' };
    expect(request).toEqual({ target, settings: {}, ...settings, egress: OPERATORS_EGRESS });
  });

  it('creates all requests with the same shape, so that reading one is as fast as reading another', () => {
    // V8 optimizes for the first requests it sees, and the service has thousands of them.
    for (let i = 0; i < 1000; i++) requestOf(`http://${i}/`);
    expect(areAlike(requestOf('http://one/'), requestOf('http://two/'))).toBe(true);
  });
});
