import { readProxyUser } from './proxy-user';

const SETTINGS = {
  proxyUserHeader: 'Remote-User',
  proxyNameHeader: 'Remote-Name',
  proxyGroupsHeader: 'Remote-Groups',
  proxyGroupsSeparator: ',',
} as const;
const sent = (text: string): string => Buffer.from(text).toString('latin1');
const read = (...headers: readonly (readonly [string, string])[]) => readProxyUser(headers.flat(), SETTINGS);

describe('readProxyUser', () => {
  it.each([
    ['the user alone', [['Remote-User', 'ada']], { subject: 'ada', name: 'ada', groups: [] }],
    ['a header in other letters', [['remote-USER', 'ada']], { subject: 'ada', name: 'ada', groups: [] }],
    [
      'a name beyond ASCII, as proxies send it',
      [
        ['Remote-User', 'ada'],
        ['Remote-Name', sent('Ada Løvelace')],
      ],
      { subject: 'ada', name: 'Ada Løvelace', groups: [] },
    ],
    [
      'groups with commas, in one header or in several',
      [
        ['Remote-User', 'ada'],
        ['Remote-Groups', 'ops, shop-a'],
        ['Remote-Groups', 'shop-b,,all'],
      ],
      { subject: 'ada', name: 'ada', groups: ['ops', 'shop-a', 'shop-b', 'all'] },
    ],
    [
      'a name that is there twice',
      [
        ['Remote-User', 'ada'],
        ['Remote-Name', 'Ada'],
        ['Remote-Name', 'Eve'],
      ],
      { subject: 'ada', name: 'ada', groups: [] },
    ],
    [
      '255 characters',
      [['Remote-User', 'a'.repeat(255)]],
      { subject: 'a'.repeat(255), name: 'a'.repeat(255), groups: [] },
    ],
  ] as const)('reads %s', (_, headers, user) => {
    expect(read(...headers)).toEqual(user);
  });

  it.each([
    [',', ['x|root', 'y;z']],
    ['|', ['x', 'root,y;z']],
    [';', ['x|root,y', 'z']],
  ] as const)('separates groups only by the configured character: %s', (proxyGroupsSeparator, groups) => {
    const headers = ['Remote-User', 'ada', 'Remote-Groups', 'x|root,y;z'];
    expect(readProxyUser(headers, { ...SETTINGS, proxyGroupsSeparator })).toMatchObject({ groups });
  });

  it.each([
    ['empty', [['Remote-User', '']]],
    ['spaces', [['Remote-User', '  ']]],
    [
      'there twice',
      [
        ['Remote-User', 'ada'],
        ['remote-user', 'ada'],
      ],
    ],
    ['too long', [['Remote-User', 'a'.repeat(256)]]],
    ['a control character', [['Remote-User', 'a\tb']]],
    ['a sign that turns the text around', [['Remote-User', sent('a\u202eb')]]],
    ['no UTF-8', [['Remote-User', 'a\xff']]],
  ] as const)('refuses a user that is %s', (_, headers) => {
    expect(read(...headers)).toBe('wrong');
  });

  it('reads no other header as the user', () => {
    expect(read(['X-Remote-User', 'ada'], ['Remote-Name', 'Ada'], ['Remote-Groups', 'ops'])).toBeNull();
  });
});
