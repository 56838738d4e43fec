import { claimsOf, isLacking } from './claims';

const TOKEN = { iss: 'https://login.example.com', sub: '8f14e45f' };
const of = (token: object, userInfo: object = {}, claim = 'groups') =>
  claimsOf({ ...TOKEN, ...token }, { ...userInfo }, claim);

describe('the claims of somebody', () => {
  it.each<[string, object, object, object]>([
    ['are who they are for the provider', {}, {}, { issuer: TOKEN.iss, subject: TOKEN.sub, email: null, groups: null }],
    ['have a name', { name: ' Ada\u0000 Lovelace ' }, {}, { name: 'Ada  Lovelace' }],
    ['have another name where there is none', { name: ' ', preferred_username: 'ada' }, {}, { name: 'ada' }],
    ['have a name at last', {}, {}, { name: 'Somebody' }],
    ['have a name of 255 characters at most', { name: '😀'.repeat(300) }, {}, { name: '😀'.repeat(255) }],
    [
      'have the e-mail that is verified',
      { email: ' Ada@Example.com', email_verified: true },
      {},
      { email: 'ada@example.com', name: 'ada' },
    ],
    ['have no e-mail that is not', { email: 'ada@example.com', email_verified: false }, {}, { email: null }],
    ['have no e-mail without a word about it', { email: 'ada@example.com' }, {}, { email: null }],
    [
      'have no e-mail for a text that looks like yes',
      { email: 'ada@example.com', email_verified: 'true' },
      {},
      { email: null },
    ],
    ['have no e-mail that is none', { email: 'ada', email_verified: true }, {}, { email: null }],
    [
      'have what the token lacks from UserInfo',
      {},
      { name: 'Ada', email: 'a@b', email_verified: true, groups: ['ops'] },
      { name: 'Ada', email: 'a@b', groups: ['ops'] },
    ],
    [
      'take the proof from where the address is',
      { email: 'a@b' },
      { email: 'c@d', email_verified: true },
      { email: null },
    ],
    [
      'take what the token says',
      { name: 'Ada', groups: [] },
      { name: 'Eve', groups: ['root'], sub: 'eve', iss: 'x' },
      { name: 'Ada', groups: [], subject: TOKEN.sub, issuer: TOKEN.iss },
    ],
    ['have the groups that are texts', { groups: ['ops', 7, null, ['root']] }, {}, { groups: ['ops'] }],
    ['have no groups where they are no list', { groups: 'ops' }, {}, { groups: null }],
    [
      'have no groups where they stand elsewhere, as with very many of Entra',
      { _claim_names: { groups: 'src1' } },
      {},
      { groups: null },
    ],
  ])('%s', (_, token, userInfo, expected) => {
    expect(of(token, userInfo)).toMatchObject(expected);
  });

  it.each<[string, object]>([
    ['without a subject', { sub: undefined }],
    ['with an empty one', { sub: '' }],
    ['with one that is no text', { sub: 7 }],
    ['with one that no column takes', { sub: 'a\u0000' }],
    ['with half a character', { sub: '\ud800' }],
    ['with one that is too long', { sub: 'x'.repeat(256) }],
  ])('are nobody’s %s', (_, token) => {
    expect(of(token)).toBeNull();
  });

  it.each<[string, object, boolean]>([
    ['is asked for what the token lacks', { name: 'Ada', email: 'a@b' }, true],
    ['is not asked where nothing lacks', { name: 'Ada', email: 'a@b', groups: [] }, false],
  ])('UserInfo %s', (_, token, expected) => {
    expect(isLacking({ ...token }, 'groups')).toBe(expected);
  });
});
