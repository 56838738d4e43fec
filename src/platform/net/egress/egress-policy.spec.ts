import { loadConfig } from '../../config/config';
import { EgressPolicy, type EgressRule } from './egress-policy';

const policyWith = (environment: Record<string, string> = {}) => new EgressPolicy(loadConfig(environment));
const policy = policyWith();
const stranger = policy.forOrganization({ id: null, isDefault: false });
const owner = policy.forOrganization({ id: null, isDefault: true });

const METADATA = /cloud metadata|link-local/;
const NEVER = /refused/;

/**
 * Addresses that must be refused for every organization except the Default organization, with the method by which each
 * one could bypass the policy.
 */
const bypasses: [address: string, how: string][] = [
  ['127.0.0.1', 'loopback'],
  ['127.0.0.53', 'another loopback'],
  ['127.255.255.254', 'end of loopback'],
  ['10.0.0.1', 'private A'],
  ['10.255.255.255', 'end of private A'],
  ['172.16.0.1', 'private B'],
  ['172.31.255.255', 'end of private B'],
  ['192.168.1.1', 'private C'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['100.127.255.255', 'end of carrier-grade NAT'],
  ['0.0.0.0', 'unspecified'],
  ['0.1.2.3', 'this network'],
  ['169.254.169.254', 'metadata'],
  ['169.254.170.2', 'container credentials'],
  ['100.100.100.200', 'Alibaba metadata'],
  ['168.63.129.16', 'Azure wire server'],
  ['192.0.0.192', 'Oracle metadata'],
  ['192.0.0.8', 'protocol assignments'],
  ['192.0.2.1', 'documentation 1'],
  ['198.51.100.1', 'documentation 2'],
  ['203.0.113.1', 'documentation 3'],
  ['192.88.99.1', '6to4 relay'],
  ['198.18.0.1', 'benchmarking'],
  ['198.19.255.255', 'end of benchmarking'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'end of multicast'],
  ['240.0.0.1', 'class E'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified v6'],
  ['::1', 'loopback v6'],
  ['0:0:0:0:0:0:0:1', 'loopback v6 in full'],
  ['::ffff:127.0.0.1', 'mapped loopback'],
  ['::ffff:7f00:1', 'mapped loopback in hex'],
  ['0:0:0:0:0:ffff:7f00:0001', 'mapped loopback in full'],
  ['::ffff:169.254.169.254', 'mapped metadata'],
  ['::ffff:10.0.0.1', 'mapped private'],
  ['::ffff:0:127.0.0.1', 'SIIT loopback'],
  ['::ffff:0:a9fe:a9fe', 'SIIT metadata'],
  ['::127.0.0.1', 'compatible loopback'],
  ['::a9fe:a9fe', 'compatible metadata'],
  ['::2', 'compatible unspecified'],
  ['64:ff9b::127.0.0.1', 'NAT64 loopback'],
  ['64:ff9b::a9fe:a9fe', 'NAT64 metadata'],
  ['64:ff9b::10.0.0.1', 'NAT64 private'],
  ['64:ff9b:1::a9fe:a9fe', 'local NAT64 metadata, /96'],
  ['64:ff9b:1:a9fe:a9:fe00::', 'local NAT64 metadata, /48'],
  ['64:ff9b:1:a9:fe:a9fe::', 'local NAT64 metadata, /56'],
  ['64:ff9b:1:0:a9:fea9:fe00:0', 'local NAT64 metadata, /64'],
  ['64:ff9b:1::8.8.8.8', 'local NAT64 is a private network'],
  ['2002:7f00:1::1', '6to4 loopback'],
  ['2002:a9fe:a9fe::', '6to4 metadata'],
  ['2002:c0a8:101::1', '6to4 private'],
  ['2001:0:7f00:1::1', 'Teredo server on loopback'],
  ['2001:0:808:808:0:0:80ff:fffe', 'Teredo client on loopback'],
  ['2001:0:808:808:0:0:5601:5601', 'Teredo client on metadata'],
  ['2606:4700::5efe:7f00:1', 'ISATAP loopback'],
  ['2606:4700::200:5efe:a9fe:a9fe', 'ISATAP metadata'],
  ['fe80::1', 'link-local v6'],
  ['fe80::1%lo', 'link-local v6 with a zone'],
  ['fe80::1%25eth0', 'link-local v6 with an encoded zone'],
  ['::1%lo', 'loopback v6 with a zone'],
  ['febf::1', 'end of link-local v6'],
  ['fec0::1', 'site-local'],
  ['fc00::1', 'unique local'],
  ['fd12:3456:789a::1', 'unique local'],
  ['fd00:ec2::254', 'AWS metadata v6'],
  ['FD00:EC2::254', 'AWS metadata v6 in capitals'],
  ['fd00:ec2::23', 'AWS pod identity v6'],
  ['fd20:ce::254', 'Google metadata v6'],
  ['ff02::1', 'multicast v6'],
  ['2001:db8::1', 'documentation v6'],
  ['3fff::1', 'documentation v6, new'],
  ['2001:2::1', 'benchmarking v6'],
  ['2001:10::1', 'ORCHID'],
  ['100::1', 'discard'],
  ['5f00::1', 'segment routing'],
  ['4000::1', 'not yet assigned'],
  ['', 'nothing'],
  ['localhost', 'a name'],
  ['127.1', 'a short form'],
  ['0x7f.0.0.1', 'hexadecimal'],
  ['0177.0.0.1', 'octal'],
  ['2130706433', 'one number'],
  ['[::1]', 'brackets'],
  ['127.0.0.1 ', 'a blank behind'],
  ['127.0.0.1\n', 'a line end behind'],
];

const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.1',
  '172.15.255.255',
  '172.32.0.1',
  '192.167.255.255',
  '198.17.255.255',
  '223.255.255.255',
  '2606:4700::6810:84e5',
  '2a00:1450:4001:831::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
];

const rulesUnder = (mode: string): EgressRule[] => {
  const strict = policyWith({ EGRESS_PRIVATE: mode });
  return [
    strict.forOrganization({ id: null, isDefault: true }),
    strict.forOrganization({ id: null, isDefault: false }),
  ];
};

/** Addresses that the service never connects to, in any configuration. */
const forbidden = [
  '169.254.169.254',
  '169.254.0.1',
  'fd00:ec2::254',
  '100.100.100.200',
  '168.63.129.16',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  'fe80::1',
  'ff02::1',
  '::',
  '::ffff:169.254.169.254',
  '64:ff9b::169.254.169.254',
  '2002:a9fe:a9fe::1',
];

describe('EgressPolicy', () => {
  it.each(bypasses)('refuses %p to a foreign organization (%s)', (address) => {
    expect(stranger.refusal(address)).toMatch(NEVER);
  });

  it.each(publicAddresses)('lets every organization reach %s', (address) => {
    expect(stranger.refusal(address)).toBeNull();
    expect(owner.refusal(address)).toBeNull();
  });

  it.each(['127.0.0.1', '10.1.2.3', '192.168.0.10', '100.64.0.1', '::1', 'fd12::1', '::ffff:127.0.0.1'])(
    'lets the Default organization reach %s in its own network',
    (address) => {
      expect(owner.refusal(address)).toBeNull();
    },
  );

  it.each(forbidden)('refuses %s even with EGRESS_ALLOW=0.0.0.0/0,::/0', (address) => {
    const open = policyWith({ EGRESS_PRIVATE: 'allow', EGRESS_ALLOW: '0.0.0.0/0,::/0' });
    expect(open.forOrganization({ id: null, isDefault: true }).refusal(address)).toMatch(NEVER);
  });

  it('names the kind of a refused address', () => {
    expect(stranger.refusal('127.0.0.1')).toBe('loopback addresses are refused');
    expect(owner.refusal('169.254.169.254')).toBe('link-local addresses are refused');
    expect(owner.refusal('100.100.100.200')).toBe('cloud metadata addresses are refused');
  });

  describe('with EGRESS_PRIVATE', () => {
    it('EGRESS_PRIVATE=allow opens private networks to every organization', () => {
      for (const rule of rulesUnder('allow')) expect(rule.refusal('192.168.1.1')).toBeNull();
    });

    it('EGRESS_PRIVATE=deny closes private networks even to the Default organization', () => {
      for (const rule of rulesUnder('deny')) expect(rule.refusal('192.168.1.1')).toBe('private addresses are refused');
    });
  });

  it('allows only addresses that EGRESS_ALLOW lists, even inside IPv6 addresses', () => {
    const rule = policyWith({ EGRESS_ALLOW: '10.1.0.0/16,198.18.0.0/15' }).forOrganization({
      id: null,
      isDefault: false,
    });
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '64:ff9b::10.1.2.3', '198.18.0.1']) {
      expect(rule.refusal(address)).toBeNull();
    }
    expect(rule.refusal('10.2.0.1')).toMatch(NEVER);
  });

  it('does not allow a private address inside an IPv6 address when EGRESS_ALLOW lists only the IPv6 range', () => {
    const rule = policyWith({ EGRESS_ALLOW: '2000::/3' }).forOrganization({ id: null, isDefault: false });
    expect(rule.refusal('2002:7f00:1::1')).toBe('loopback addresses are refused');
  });

  it('refuses addresses that EGRESS_DENY lists, even if EGRESS_ALLOW lists them', () => {
    const listed = policyWith({ EGRESS_ALLOW: '10.0.0.0/8', EGRESS_DENY: '10.9.0.0/16,8.8.8.0/24' });
    for (const isDefault of [true, false]) {
      const rule = listed.forOrganization({ id: null, isDefault });
      expect(rule.refusal('10.8.0.1')).toBeNull();
      expect(rule.refusal('10.9.0.1')).toBe('addresses in EGRESS_DENY are refused');
      expect(rule.refusal('8.8.8.8')).toBe('addresses in EGRESS_DENY are refused');
      expect(rule.refusal('::ffff:8.8.8.8')).toBe('addresses in EGRESS_DENY are refused');
    }
  });

  describe('refusalOfHost', () => {
    it.each([
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '017700000001',
      '①②⑦.⓪.⓪.①',
      '１２７.0.0.1',
      '127。0。0。1',
      '127.0.0.1.',
      '[::1]',
      '::1',
      '[::ffff:127.0.0.1]',
      'localhost',
      'LOCALHOST',
      'localhost.',
      'db.localhost',
      '10.1',
    ])('refuses the host %s to a foreign organization without a lookup', (host) => {
      expect(policy.refusalOfHost(host, stranger)).toMatch(NEVER);
      expect(policy.refusalOfHost(host, owner)).toBeNull();
    });

    it.each(['redis', 'mylocalhost', 'db.prod.internal', 'nas.local', '1.0.0.10.in-addr.arpa', '*.corp.internal'])(
      'refuses the internal name %s to a foreign organization, unless the operator lets it into a network',
      (host) => {
        expect(policy.refusalOfHost(host, stranger)).toBe('names of internal networks are refused');
        expect(policy.refusalOfHost(host, owner)).toBeNull();
        const guest = policyWith({ EGRESS_ALLOW: '10.8.0.0/16' }).forOrganization({ id: null, isDefault: false });
        expect(policy.refusalOfHost(host, guest)).toBeNull();
      },
    );

    it.each([
      '169.254.169.254',
      '0xa9fea9fe',
      '2852039166',
      '0251.0376.0251.0376',
      '[::ffff:a9fe:a9fe]',
      '[fe80::1%25lo]',
      'fe80::1%lo',
      'metadata.google.internal',
      'METADATA.GOOGLE.INTERNAL.',
      'metadata',
      'instance-data',
      '[fd00:ec2::254]',
    ])('refuses the host %s to every organization', (host) => {
      expect(policy.refusalOfHost(host, owner)).toMatch(METADATA);
    });

    it.each(['example.com', 'münchen.de', '8.8.8.8', '[2606:4700::1]', 'mylocalhost.com', 'metadata.example.com'])(
      'does not refuse the host %s before its lookup',
      (host) => {
        expect(policy.refusalOfHost(host, stranger)).toBeNull();
      },
    );
  });
});

describe('the egress policy for checks of a service on a probe', () => {
  const refused = (environment: Record<string, string>, allowPrivate: boolean, address: string): boolean =>
    policyWith(environment).forAssigned({ organization: 'org_1', allowPrivate }).refusal(address) !== null;

  it.each([
    ['goes to private addresses if the service allows it', {}, true, '10.0.0.1', false],
    ['goes nowhere private if the service does not allow it', {}, false, '10.0.0.1', true],
    ['is not wider if the probe allows everything', { EGRESS_PRIVATE: 'allow' }, false, '127.0.0.1', true],
    ['is not widened by a list of the probe', { EGRESS_ALLOW: '10.0.0.0/8' }, false, '10.0.0.1', true],
    ['is stricter if the probe is', { EGRESS_PRIVATE: 'deny' }, true, '10.0.0.1', true],
    [
      'leaves out of that what the probe lists',
      { EGRESS_PRIVATE: 'deny', EGRESS_ALLOW: '10.1.0.0/16' },
      true,
      '10.1.0.1',
      false,
    ],
    ['respects what the probe denies', { EGRESS_DENY: '8.8.8.0/24' }, true, '8.8.8.8', true],
    [
      'never goes to metadata',
      { EGRESS_PRIVATE: 'allow', EGRESS_ALLOW: '169.254.0.0/16' },
      true,
      '169.254.169.254',
      true,
    ],
    ['goes to public addresses', {}, false, '8.8.8.8', false],
  ])('%s', (_, environment, allowPrivate, address, isRefused) => {
    expect(refused(environment, allowPrivate, address)).toBe(isRefused);
  });
});
