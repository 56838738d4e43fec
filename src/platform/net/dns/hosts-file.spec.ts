import { parseHosts, parseSearchDomains, parseSearchDots } from './hosts-file';

describe('parseHosts', () => {
  it('maps every name in lower case to its addresses, in the order of the lines', () => {
    const hosts = parseHosts(
      [
        '# comment',
        '127.0.0.1\tlocalhost',
        '::1 localhost ip6-localhost # loopback',
        '10.0.0.5  NAS nas.lan',
        '10.0.0.5  nas',
        'not-an-address name',
        '',
        '10.0.0.6',
      ].join('\n'),
    );
    expect(Object.fromEntries(hosts)).toEqual({
      localhost: ['127.0.0.1', '::1'],
      'ip6-localhost': ['::1'],
      nas: ['10.0.0.5'],
      'nas.lan': ['10.0.0.5'],
    });
  });
});

it.each([
  ['nameserver 10.0.0.1', []],
  ['search .', []],
  [
    'search svc.cluster.local Cluster.Local.\ndomain corp.example',
    ['svc.cluster.local', 'cluster.local', 'corp.example'],
  ],
])('parseSearchDomains reads from %j the domains %j', (text, domains) => {
  expect(parseSearchDomains(text)).toEqual(domains);
});

describe('parseSearchDots', () => {
  it.each([
    ['nameserver 10.0.0.1', 0],
    ['options ndots:5', 0],
    ['search example.com', 1],
    ['domain example.com', 1],
    ['search svc.cluster.local cluster.local\noptions timeout:1 ndots:5', 5],
    ['# search example.com', 0],
  ])('reads from %j that the search list is for names with fewer than %d dots', (text, dots) => {
    expect(parseSearchDots(text)).toBe(dots);
  });
});
