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

describe('whoever comes back from the provider', () => {
  it.each<[string, Partial<Arrival>, string]>([
    ['and is known is that person', { knownAs: 'ada' }, 'known ada'],
    ['and is known is that person, whatever the e-mail says now', { knownAs: 'ada', email: BO }, 'known ada'],
    [
      'and is known is that person, with an invitation, too',
      { knownAs: 'ada', invitation: { email: BO } },
      'known ada',
    ],
    ['and is known needs no group', { knownAs: 'ada', hasGroups: false }, 'known ada'],
    ['and connects what is connected already is the same', { knownAs: 'ada', connecting: 'ada' }, 'known ada'],
    ['and connects what is another person’s is refused', { knownAs: 'ada', connecting: 'bo' }, 'refused'],
    ['and connects what is new has it from now on', { connecting: 'bo', email: ADA }, 'connect bo'],
    ['and connects by an invitation has it, too', { connecting: 'bo', invitation: { email: BO } }, 'connect bo'],
    [
      'with an invitation gets an account with its e-mail',
      { invitation: { email: BO }, email: ADA },
      'account bo@example.com',
    ],
    ['by the link of the start gets the first account', { invitation: { email: null }, email: ADA }, `account ${ADA}`],
    ['in a group gets an account with the verified e-mail', { hasGroups: true, email: ADA }, 'account ada@example.com'],
    ['in a group gets an account without an e-mail that nobody verified', { hasGroups: true }, 'account null'],
    ['with nothing of this is not invited', { email: ADA }, 'not_invited'],
  ])('%s', (_, arrival, expected) => {
    expect(text(whoIs({ ...NOBODY, ...arrival }))).toBe(expected);
  });
});
