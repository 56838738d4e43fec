import type { EventName } from './events';
import type { TokenKind } from './token-kinds';

/**
 * The events after which a token still works, and those after which it does not. Every event is in one of the two
 * lists or can't happen to the token.
 */
export interface Row {
  why: string;
  works: readonly EventName[];
  ends: readonly EventName[];
  /** Events that can't happen to it, with the reason. */
  never: Partial<Record<EventName, string>>;
}

const MAKER_LEAVES = ['the maker is removed', 'the maker is demoted', 'the maker is erased'] as const;
const KEY_GOES = ['the key that made it is revoked', 'the key that made it expires'] as const;
const SUBJECT = [
  'the subject joins another organization',
  'the subject is removed',
  'the subject is demoted',
  'the subject becomes an operator',
  'the subject sets another password',
  'the subject sets up a second factor',
  'the subject gets another e-mail',
  'the subject ends all other sessions',
  'the subject is erased',
] as const;

const neverOf = (events: readonly EventName[], why: string): Partial<Record<EventName, string>> =>
  Object.fromEntries(events.map((event) => [event, why]));

/** Tokens of an organization stay if their creator leaves. If an admin is removed, the dashboard asks about them. */
const OF_ORGANIZATION: Row = {
  why: 'belongs to the organization, and ends with it',
  works: ['nothing happens', ...MAKER_LEAVES, ...KEY_GOES],
  ends: ['the organization is deleted'],
  never: neverOf(SUBJECT, 'it is for no person'),
};

/**
 * An invitation is valid while its creator may invite. Changes of an account elsewhere must not be visible to the
 * organization.
 */
const OF_INVITATION: Row = {
  why: 'the right to invite of whoever made it',
  works: [
    'nothing happens',
    'the subject joins another organization',
    'the subject is demoted',
    'the subject becomes an operator',
    'the subject sets another password',
    'the subject sets up a second factor',
    'the subject gets another e-mail',
    'the subject ends all other sessions',
  ],
  ends: [
    ...MAKER_LEAVES,
    ...KEY_GOES,
    // The user could come back with it.
    'the subject is removed',
    'the subject is erased',
    'the organization is deleted',
  ],
  never: {},
};

export const TABLE: Readonly<Record<TokenKind, Row>> = {
  session: {
    why: 'is a person, with the rights that they have now',
    works: [
      'nothing happens',
      'the subject joins another organization',
      'the subject is demoted',
      'the subject becomes an operator',
      'the subject gets another e-mail',
    ],
    ends: [
      'the subject is removed',
      'the subject sets another password',
      'the subject sets up a second factor',
      'the subject ends all other sessions',
      'the subject is erased',
      'the organization is deleted',
    ],
    never: neverOf([...MAKER_LEAVES, ...KEY_GOES], 'only its person can create it'),
  },
  'session of a key': OF_ORGANIZATION,
  'api key': OF_ORGANIZATION,
  'link of a key': OF_ORGANIZATION,
  'sign-in link': {
    why: 'made on the machine, for an account as it was then',
    works: [
      'nothing happens',
      'the subject is demoted',
      'the subject ends all other sessions',
      // The account still exists, and the machine can open any account.
      'the organization is deleted',
    ],
    ends: [
      'the subject joins another organization',
      'the subject is removed',
      'the subject becomes an operator',
      'the subject sets another password',
      // It opens the account only together with a code.
      'the subject sets up a second factor',
      'the subject gets another e-mail',
      'the subject is erased',
    ],
    never: neverOf([...MAKER_LEAVES, ...KEY_GOES], 'the machine of the service makes it'),
  },
  'password link': {
    why: 'opens one organization, on the word of one of its admins',
    works: ['nothing happens', 'the subject is demoted', 'the subject ends all other sessions'],
    ends: [
      ...MAKER_LEAVES,
      ...KEY_GOES,
      'the subject joins another organization',
      'the subject is removed',
      'the subject becomes an operator',
      'the subject sets another password',
      'the subject sets up a second factor',
      'the subject gets another e-mail',
      'the subject is erased',
      'the organization is deleted',
    ],
    never: {},
  },
  invitation: OF_INVITATION,
  'flow of an invitation': {
    ...OF_INVITATION,
    works: ['nothing happens'],
    ends: [...MAKER_LEAVES, ...KEY_GOES, 'the organization is deleted'],
    never: neverOf(SUBJECT, 'the person who comes back is not known yet'),
  },
  'flow that connects': {
    why: 'belongs to the session that began it',
    works: [
      'nothing happens',
      'the subject joins another organization',
      'the subject is removed',
      'the subject is demoted',
      'the subject becomes an operator',
      'the subject gets another e-mail',
      'the organization is deleted',
    ],
    ends: [
      'the subject sets another password',
      'the subject sets up a second factor',
      'the subject ends all other sessions',
      'the subject is erased',
    ],
    never: neverOf([...MAKER_LEAVES, ...KEY_GOES], 'only its person can create it'),
  },
  'acknowledgement link': OF_ORGANIZATION,
  'probe token': OF_ORGANIZATION,
  'ping URL': OF_ORGANIZATION,
  'push token': OF_ORGANIZATION,
  'ping key': OF_ORGANIZATION,
  'report link': OF_ORGANIZATION,
  cursor: { ...OF_ORGANIZATION, why: 'a position: the caller needs a right of their own' },
};
