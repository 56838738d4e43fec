import { isInternalName } from './internal-name';

describe('isInternalName', () => {
  it.each([
    'redis',
    'REDIS.',
    'nas.local',
    'printer.lan',
    'db.prod.internal',
    'internal',
    'wiki.corp',
    'router.home.arpa',
    'redis.default.svc.cluster.local',
    '10.in-addr.arpa',
    '1.0.0.10.in-addr.arpa',
    '5.168.192.in-addr.arpa',
    '1.0.0.127.in-addr.arpa',
    '254.169.254.169.in-addr.arpa',
    'd.f.ip6.arpa',
    '1.0.0.0.8.e.f.ip6.arpa',
  ])('says that %s is internal', (name) => {
    expect(isInternalName(name)).toBe(true);
  });

  it.each([
    '.',
    'example.com',
    'internal.example.com',
    'local.dev',
    'notlocal.org',
    'arpa.example',
    '8.8.8.8.in-addr.arpa',
    '192.in-addr.arpa',
    '0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
    'x.y.in-addr.arpa',
    'in-addr.arpa',
  ])('says that %s is not internal', (name) => {
    expect(isInternalName(name)).toBe(false);
  });

  it('treats names under the given domains as internal', () => {
    const domains = ['corp.example.com'];
    expect(isInternalName('db.corp.example.com', domains)).toBe(true);
    expect(isInternalName('corp.example.com.', domains)).toBe(true);
    expect(isInternalName('xcorp.example.com', domains)).toBe(false);
  });
});
