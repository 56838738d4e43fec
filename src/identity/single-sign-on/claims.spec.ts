import { claimsOf, isLacking } from './claims';

const TOKEN = { iss: 'https://login.example.com', sub: '8f14e45f' };
const of = (token: object, userInfo: object = {}, claim = 'groups') =>
  claimsOf({ ...TOKEN, ...token }, { ...userInfo }, claim);

describe('the claims of a user', () => {
  it.each<[string, object, object, object]>([
    ['have the subject and the issuer of the provider', {}, {}, { issuer: TOKEN.iss, subject: TOKEN.sub, email: null }],
    ['have a name', { name: ' Ada\u0000 Lovelace ' }, {}, { name: 'Ada  Lovelace' }],
    ['have another name if there is no name', { name: ' ', preferred_username: 'ada' }, {}, { name: 'ada' }],
    ['have a name as the last resort', {}, {}, { name: 'Somebody' }],
    ['have a name of at most 255 characters', { name: '😀'.repeat(300) }, {}, { name: '😀'.repeat(255) }],
    [
      'have the verified email',
      { email: ' Ada@Example.com', email_verified: true },
      {},
      { email: 'ada@example.com', name: 'ada' },
    ],
    ['do not have an unverified email', { email: 'ada@example.com', email_verified: false }, {}, { email: null }],
    ['have no email if its verification is not stated', { email: 'ada@example.com' }, {}, { email: null }],
    [
      'have no email if the verification is a text that looks like yes',
      { email: 'ada@example.com', email_verified: 'true' },
      {},
      { email: null },
    ],
    ['do not have an invalid email', { email: 'ada', email_verified: true }, {}, { email: null }],
    [
      'have what the token lacks from UserInfo',
      {},
      { name: 'Ada', email: 'a@b', email_verified: true, groups: ['ops'] },
      { name: 'Ada', email: 'a@b', groups: { list: ['ops'], lack: null } },
    ],
    [
      'take the verification from the source of the email',
      { email: 'a@b' },
      { email: 'c@d', email_verified: true },
      { email: null },
    ],
    [
      'take the values of the token first',
      { name: 'Ada', groups: [] },
      { name: 'Eve', groups: ['root'], sub: 'eve', iss: 'x' },
      { name: 'Ada', groups: { list: [], lack: null }, subject: TOKEN.sub, issuer: TOKEN.iss },
    ],
    ['have a name made of its parts', { given_name: 'Ada', family_name: 'Lovelace' }, {}, { name: 'Ada Lovelace' }],
  ])('%s', (_, token, userInfo, expected) => {
    expect(of(token, userInfo)).toMatchObject(expected);
  });

  it.each<[what: string, claim: string, token: object, userInfo: object, list: string[], lack: string | null]>([
    ['a list', 'groups', { groups: ['ops', 'dev'] }, {}, ['ops', 'dev'], null],
    ['a list with other values in it', 'groups', { groups: ['ops', 7, null, ['root']] }, {}, ['ops'], null],
    ['a single text', 'groups', { groups: 'ops' }, {}, ['ops'], null],
    ['an empty text', 'groups', { groups: '' }, {}, [], null],
    ['a claim below another one', 'realm_access.roles', { realm_access: { roles: ['ops'] } }, {}, ['ops'], null],
    [
      'a claim below names with dots',
      'resource_access.my.client.roles',
      { resource_access: { my: {}, 'my.client': { roles: 'ops' } } },
      {},
      ['ops'],
      null,
    ],
    ['a claim below another one in UserInfo', 'a.b', { a: {} }, { a: { b: ['ops'] } }, ['ops'], null],
    ['a name with dots', 'app.groups', { 'app.groups': ['ops'], app: { groups: ['root'] } }, {}, ['ops'], null],
    ['a URL as its name', 'https://a.example/groups', { 'https://a.example/groups': ['ops'] }, {}, ['ops'], null],
    ['no such claim', 'groups', {}, {}, [], 'missing'],
    ['null', 'groups', { groups: null }, {}, [], 'missing'],
    ['nothing below the other claim', 'realm_access.roles', { realm_access: {} }, {}, [], 'missing'],
    ['a list that is kept elsewhere', 'groups', { _claim_names: { groups: 'src1' } }, {}, [], 'elsewhere'],
    ['a list that Entra leaves out', 'groups', { hasgroups: true }, {}, [], 'elsewhere'],
    ['an object', 'groups', { groups: { ops: true } }, {}, [], 'unreadable'],
    ['a number', 'groups', { groups: 7 }, {}, [], 'unreadable'],
    ['a name that every object has', 'constructor', {}, {}, [], 'missing'],
  ])('have the groups of %s', (_, claim, token, userInfo, list, lack) => {
    expect(of(token, userInfo, claim)?.groups).toEqual({ list, lack });
  });

  it.each<[string, object]>([
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ["with a subject that isn't a text", { sub: 7 }],
    ['with a subject that no column can store', { sub: 'a\u0000' }],
    ['with half a character', { sub: '\ud800' }],
    ['with a subject that is too long', { sub: 'x'.repeat(256) }],
  ])('identify no one %s', (_, token) => {
    expect(of(token)).toBeNull();
  });

  it.each<[string, object, boolean]>([
    ['is requested for missing claims', { name: 'Ada', email: 'a@b' }, true],
    ['is not requested if nothing is missing', { name: 'Ada', email: 'a@b', groups: [] }, false],
  ])('UserInfo %s', (_, token, expected) => {
    expect(isLacking({ ...token }, 'groups')).toBe(expected);
  });

  it('UserInfo is not requested for a claim that the token has inside another claim', () => {
    expect(isLacking({ name: 'Ada', email: 'a@b', realm_access: { roles: [] } }, 'realm_access.roles')).toBe(false);
  });
});
