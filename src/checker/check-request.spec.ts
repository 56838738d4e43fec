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
 * Returns true if V8 uses the same hidden class for two objects, so that code that has read one reads the other
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
  it('puts the parsed target in the place of the address, and says where it may connect to', () => {
    const request = requestOf('http://one/');
    expect(request).toEqual({ target: { url: 'http://one/' }, ...settings, egress: OPERATORS_EGRESS });
  });

  it('makes all requests alike, so that a check of one reads no slower than a check of another', () => {
    // As in the service, where thousands of requests exist already: V8 optimizes based on the first ones.
    for (let i = 0; i < 1000; i++) requestOf(`http://${i}/`);
    expect(areAlike(requestOf('http://one/'), requestOf('http://two/'))).toBe(true);
  });
});
