import { TlsAuthority } from '../../test/harness/servers/tls-authority';
import { MAX_CA_BYTES, type TlsSettings, tlsProblems, unverifiedProblem } from './tls-settings';

const tls = (part: Partial<TlsSettings>): TlsSettings => ({ verify: true, ca: null, serverName: null, ...part });

describe('TLS settings', () => {
  let root: string;
  beforeAll(async () => {
    root = (await TlsAuthority.create()).rootPem;
  });

  const begin = '-----BEGIN CERTIFICATE-----';
  const end = '-----END CERTIFICATE-----';

  it.each<{ name: string; ca: () => string; code: string | null; says?: string }>([
    { name: 'a certificate', ca: () => root, code: null },
    {
      name: 'two, with Windows line ends and notes',
      ca: () => `# é\r\n${root.replaceAll('\n', '\r\n')}\r\n${root}`,
      code: null,
    },
    { name: 'ten of them', ca: () => root.repeat(10), code: null },
    { name: 'eleven of them', ca: () => root.repeat(11), code: 'out_of_range', says: 'at most 10' },
    { name: 'an empty text', ca: () => '', code: 'invalid_format', says: begin },
    { name: 'no PEM', ca: () => 'MIIB', code: 'invalid_format', says: begin },
    {
      name: 'a damaged one',
      ca: () => `${root}\n${begin}\nMIIB\n${end}`,
      code: 'invalid_format',
      says: 'certificate 2',
    },
    { name: 'one without its end', ca: () => `${root}\n${begin}\nMIIB`, code: 'invalid_format', says: 'only complete' },
    {
      name: 'a public key',
      ca: () => root.replaceAll('CERTIFICATE', 'PUBLIC KEY'),
      code: 'invalid_format',
      says: 'only',
    },
    {
      name: 'a private key next to it',
      ca: () => `${root}\n-----BEGIN EC PRIVATE KEY-----\nMIIB\n-----END EC PRIVATE KEY-----`,
      code: 'invalid_format',
      says: 'private key',
    },
    { name: 'a NUL', ca: () => `${root}\0`, code: 'invalid_characters' },
    { name: 'half a surrogate pair', ca: () => `${root}\ud800`, code: 'invalid_characters' },
    { name: 'more than 32 KiB', ca: () => root + 'é'.repeat(MAX_CA_BYTES / 2), code: 'too_long' },
  ])('judge a ca that is $name: $code', ({ ca, code, says }) => {
    const found = tlsProblems(tls({ ca: ca() }));
    expect(found.map((problem) => [problem.part, problem.code])).toEqual(code === null ? [] : [['ca', code]]);
    expect(found[0]?.message ?? '').toContain(says ?? '');
  });

  it.each([
    ['shop.example.com', true],
    ['nas', true],
    [`${'a.'.repeat(126)}a`, true],
    ['', false],
    ['*.example.com', false],
    ['https://shop.example.com', false],
    ['shop.example.com:443', false],
    ['192.0.2.1', false],
    ['2130706433', false],
    ['2001:db8::1', false],
    [`${'a.'.repeat(127)}a`, false],
  ])('accepts the server name %p: %p', (serverName, isTaken) => {
    const parts = tlsProblems(tls({ serverName })).map(({ part }) => part);
    expect(parts).toEqual(isTaken ? [] : ['server_name']);
  });

  const header = (key: string) => ({ headers: [{ key, value: 'x' }] });

  it.each<{ sent: Partial<Parameters<typeof unverifiedProblem>[1]>; why: string | null }>([
    { sent: {}, why: null },
    { sent: header('Accept'), why: null },
    { sent: { url: 'https://nas.local/webapi/query.cgi?api=Info&version=1' }, why: null },
    { sent: { url: 'tcp://nas.local:22?token=1' }, why: null },
    { sent: { body: '' }, why: null },
    { sent: header('authorization'), why: 'the header authorization' },
    { sent: header('Cookie'), why: 'the header Cookie' },
    { sent: header('X-Anything'), why: 'the header X-Anything' },
    { sent: { body: '{}' }, why: 'a body' },
    { sent: { url: 'https://nas.local/?a=1&api_key=x' }, why: 'parameter api_key' },
    { sent: { url: 'HTTPS://nas.local/?accessToken=x' }, why: 'parameter accessToken' },
    { sent: { url: 'https://nas.local/?%70assword=x' }, why: 'parameter password' },
  ])('allow a check that sends $sent to skip verification unless it may send a credential: $why', ({ sent, why }) => {
    const all = { url: 'https://nas.local/', headers: [], body: null, ...sent };
    expect(unverifiedProblem(tls({}), all)).toBeNull();
    const problem = unverifiedProblem(tls({ verify: false }), all);
    expect(problem === null).toBe(why === null);
    expect(problem?.message ?? '').toContain(why ?? '');
  });
});
