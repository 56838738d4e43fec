import { randomBytes } from 'node:crypto';
import express from 'express';
import { type Flow, flowCookie, openFlow, sealFlow } from './flow-cookie';

const SECRET = randomBytes(32);
const FLOW: Flow = {
  state: 's'.repeat(43),
  nonce: 'n'.repeat(43),
  verifier: 'v'.repeat(43),
  token: 't'.repeat(43),
  connect: { personId: '01936f2e-0000-7000-8000-000000000000', proof: 'p'.repeat(43) },
  beganAt: 1_790_000_000_000,
};

describe('the flow state that a browser keeps', () => {
  const sealed = sealFlow(FLOW, SECRET);

  it('comes back unchanged, in a cookie that every browser accepts', () => {
    expect(openFlow(sealed, SECRET)).toEqual(FLOW);
    expect(sealed.length).toBeLessThan(2000);
  });

  it.each<[string, string]>([
    ['is changed', sealFlow({ ...FLOW, connect: null }, SECRET).split('.')[0] + '.' + sealed.split('.')[1]],
    ['is another installation’s', sealFlow(FLOW, randomBytes(32))],
    ['has no proof', sealed.split('.')[0] ?? ''],
    ['is empty', ''],
    ['is nonsense', 'x.y'],
  ])('is ignored if it %s', (_, text) => {
    expect(openFlow(text, SECRET)).toBeNull();
  });

  it.each<[string, string, boolean, string | null]>([
    ['plain over http', 'uptime_oidc=a.b; x=y', false, 'a.b'],
    ['the prefixed one at any position', 'uptime_oidc=a.b; __Host-uptime_oidc=c.d', false, 'c.d'],
    ['no plain one over https, which another host could have set', 'uptime_oidc=a.b', true, null],
    ['nothing without a cookie', 'other_uptime_oidc=a.b', false, null],
  ])('is read from its cookie: %s', (_, cookie, secure, expected) => {
    expect(flowCookie({ app: express(), headers: { cookie }, secure })).toBe(expected);
  });
});
