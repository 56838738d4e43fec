import { type Arrival, type Decision, whoIs } from './who-is';

const NOBODY: Arrival = { knownAs: null, connecting: null, invitation: null, email: null, hasGroups: false };
const BO = 'bo@example.com';
const ADA = 'ada@example.com';

const text = (decision: Decision): string =>
  'personId' in decision
    ? `${decision.kind} ${decision.personId}`
    : decision.kind === 'account'
      ? `account ${decision.email}`
      : decision.code;

describe('a user who comes back from the provider', () => {
  it.each<[string, Partial<Arrival>, string]>([
    ['is recognized if known', { knownAs: 'ada' }, 'known ada'],
    ['is recognized if known, regardless of the current email', { knownAs: 'ada', email: BO }, 'known ada'],
    ['is recognized if known, even with an invitation', { knownAs: 'ada', invitation: { email: BO } }, 'known ada'],
    ['needs no group if known', { knownAs: 'ada', hasGroups: false }, 'known ada'],
    ['can connect an identity that is already connected', { knownAs: 'ada', connecting: 'ada' }, 'known ada'],
    ['cannot connect an identity of another person', { knownAs: 'ada', connecting: 'bo' }, 'refused'],
    ['connects a new identity', { connecting: 'bo', email: ADA }, 'connect bo'],
    ['also connects a new identity by an invitation', { connecting: 'bo', invitation: { email: BO } }, 'connect bo'],
    [
      'gets an account with the email of the invitation',
      { invitation: { email: BO }, email: ADA },
      'account bo@example.com',
    ],
    ['gets the first account by the link of the start', { invitation: { email: null }, email: ADA }, `account ${ADA}`],
    ['gets an account with the verified email in a group', { hasGroups: true, email: ADA }, 'account ada@example.com'],
    ['gets an account without an unverified email in a group', { hasGroups: true }, 'account null'],
    ['is not invited without any of this', { email: ADA }, 'not_invited'],
  ])('%s', (_, arrival, expected) => {
    expect(text(whoIs({ ...NOBODY, ...arrival }))).toBe(expected);
  });
});
