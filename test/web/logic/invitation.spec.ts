import { invitationState, invitationText } from '../../../web/src/logic/invitation';

describe('the text of an invitation', () => {
  it('says where, by what, until when, and what the person may do', () => {
    const text = invitationText({
      name: 'Ada',
      role: 'read',
      organization: 'Acme',
      address: 'https://uptime.example.com/',
      token: 'abc',
      until: '2026-12-03T14:05:59.000Z',
    });
    expect(text).toBe(`Hello Ada,

here is your way into the uptime monitor of Acme: https://uptime.example.com/

This link signs you in. It works once, until 2026-12-03 14:05 UTC:
https://uptime.example.com/#/sign-in/abc

It shows you a key of your own. Keep it: with it you sign in the next time. Your role is "read": you can see everything and change nothing.
`);
  });
});

describe('an invitation', () => {
  const now = Date.parse('2026-12-01T00:00:00Z');
  const [before, after] = ['2026-11-30T00:00:00Z', '2026-12-03T00:00:00Z'];
  it.each([
    ['of a key for a program is none', null, null],
    ['is open until its time', { expires_at: after, accepted_at: null }, 'open'],
    ['is over after it', { expires_at: before, accepted_at: null }, 'over'],
    ['is of no interest once it is accepted', { expires_at: after, accepted_at: before }, null],
  ] as const)('%s', (_, invitation, state) => expect(invitationState({ invitation }, now)).toBe(state));
});
