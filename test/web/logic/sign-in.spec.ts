import type { Link, SignedIn, SignInMethods } from '../../../web/src/api/types';
import {
  ANY_METHOD,
  firstWay,
  invites,
  isForAnother,
  nameOf,
  problemOf,
  refusalText,
  roleText,
  secureUrlFor,
  stepOf,
} from '../../../web/src/logic/sign-in';

const SHOP = { id: 'org_shop', name: 'Shop' };
const BO = { id: 'per_bo', name: 'Bo', email: 'bo@example.com' };

const linkOf = (more: Partial<Link> = {}): Link => ({
  kind: 'invitation',
  organization: SHOP,
  role: 'write',
  email: 'bo@example.com',
  has_account: false,
  invited_by: 'Ada',
  expires_at: '2026-12-03T10:00:00.000Z',
  ...more,
});
const byPerson = (...organizations: SignedIn['organizations']) => ({ person: BO, organizations });
const byKey = { person: null, organizations: [] };

describe('signing in', () => {
  it.each<[Partial<SignInMethods>, string]>([
    [{}, 'password'],
    [{ single_sign_on: { name: 'Acme' } }, 'password'],
    [{ password: false, single_sign_on: { name: 'Acme' } }, 'single_sign_on'],
    [{ password: false }, 'api_key'],
    [{ needs_account: true }, 'api_key'],
    [{ needs_account: true, single_sign_on: { name: 'Acme' } }, 'api_key'],
  ])('with %j offers first: %s', (methods, way) => {
    expect(firstWay({ ...ANY_METHOD, ...methods })).toBe(way);
  });

  it.each(['denied', 'expired', 'mismatch', 'refused', 'unreachable', 'not_invited', 'email_taken', 'used'])(
    'has a separate text for the problem %s',
    (code) => {
      expect(problemOf(code)).toMatch(/^[A-Z].*\.$/);
      expect(problemOf(code)).not.toBe(problemOf('another'));
    },
  );

  it('has a text for an unknown problem of any name', () => {
    for (const code of ['', 'another', 'constructor', '<b>']) expect(problemOf(code)).toContain('did not work');
  });

  it('explains wrong credentials, too many attempts and when to try again, and shows any other problem', () => {
    const text = (status: number, retryAfter: number | null) => refusalText('Wrong.', { status, retryAfter }, 'Down.');
    expect([text(401, null), text(429, 30), text(429, null), text(503, 5)]).toEqual([
      'Wrong.',
      'Too many attempts. Try again in 30 s.',
      'Down.',
      'Down.',
    ]);
  });
});

describe('the page of signing in', () => {
  const HOME = 'https://uptime.example.com';
  it.each([
    ['http:', 'nas.lan', HOME, HOME],
    ['http:', '192.168.1.5', HOME, HOME],
    ['http:', 'localhost', HOME, null],
    ['http:', '127.0.0.1', HOME, null],
    ['http:', '[::1]', HOME, null],
    ['https:', 'nas.lan', HOME, null],
    ['http:', 'nas.lan', null, null],
  ])('by %s at %s, with the secure URL %s, sends the browser to %s', (protocol, hostname, secure_url, expected) => {
    expect(secureUrlFor({ ...ANY_METHOD, secure_url }, { protocol, hostname })).toBe(expected);
  });
});

describe('the page of a link', () => {
  it.each<[string, Partial<Link>, Parameters<typeof stepOf>[1], string]>([
    ['the start link, opened anonymously', { kind: 'first_account' }, null, 'make_yours'],
    ['the start link, opened with a key', { kind: 'first_account' }, byKey, 'make_yours'],
    [
      'the sign-in link, opened anonymously, which asks first because mail scanners open links',
      { kind: 'sign_in' },
      null,
      'ask',
    ],
    ['the sign-in link, opened by a signed-in user', { kind: 'sign_in' }, byKey, 'ask'],
    ['the sign-in link, opened by a person in no organization', { kind: 'sign_in' }, byPerson(), 'ask'],
    ['the password link, opened anonymously', { kind: 'password' }, null, 'new_password'],
    ['the password link, opened by another user', { kind: 'password' }, byPerson(), 'new_password'],
    ['an invitation, opened anonymously', {}, null, 'make_account'],
    ['an invitation, opened with a key', {}, byKey, 'make_account'],
    ['an invitation, opened by a user who says that they have an account', { has_account: true }, null, 'sign_in'],
    ['an invitation, opened by a person', {}, byPerson({ id: 'org_other', name: 'Other', role: 'read' }), 'join'],
    ['an invitation, opened by a person in no organization', { has_account: true }, byPerson(), 'join'],
    ['an invitation, opened by a member', {}, byPerson({ ...SHOP, role: 'read' }), 'member'],
  ])('for %s, offers the matching ways to sign in', (_, link, by, step) => {
    expect(stepOf(linkOf(link), by)).toBe(step);
  });

  it('shows who invites to which organization, and the rights there', () => {
    expect([invites(linkOf()), roleText(linkOf())]).toEqual([
      'Ada invites you to “Shop”',
      'Your role is write: you can see everything, and create, change, test, and delete.',
    ]);
    expect(invites(linkOf({ invited_by: null }))).toBe('Someone invites you to “Shop”');
    expect(roleText(linkOf({ role: null }))).toBe('');
  });

  it('warns users who are signed in with another email, not those without one', () => {
    expect(isForAnother(linkOf(), { person: BO })).toBe(false);
    expect(isForAnother(linkOf(), { person: { ...BO, email: 'cy@example.com' } })).toBe(true);
    expect(isForAnother(linkOf(), { person: { ...BO, email: null } })).toBe(false);
    expect(isForAnother(linkOf({ email: null }), { person: BO })).toBe(false);
  });

  it('names the signed-in user: a person, a key, or with AUTH=off anyone', () => {
    expect([
      nameOf({ person: BO, key_name: null }),
      nameOf({ person: null, key_name: 'CI' }),
      nameOf({ person: null, key_name: null }),
      nameOf(null),
    ]).toEqual(['Bo', 'the key “CI”', 'an administrator', 'an administrator']);
  });
});
