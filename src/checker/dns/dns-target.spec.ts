import { InvalidTarget } from '../checker';
import { DNS_TARGET_FORM, parseDnsTarget } from './dns-target';

describe('parseDnsTarget', () => {
  it.each([
    ['example.com', null, 'example.com', ['A', 'AAAA']],
    ['Example.COM.', null, 'example.com', ['A', 'AAAA']],
    ['localhost', null, 'localhost', ['A', 'AAAA']],
    ['bücher.example', null, 'xn--bcher-kva.example', ['A', 'AAAA']],
    ['dns:example.com', null, 'example.com', ['A']],
    ['DNS:example.com?TYPE=mx', null, 'example.com', ['MX']],
    ['dns:example.com?class=IN;type=AAAA', null, 'example.com', ['AAAA']],
    ['dns:example.com?type=TXT&class=in', null, 'example.com', ['TXT']],
    ['dns:_sip._tcp.example.com?type=SRV', null, '_sip._tcp.example.com', ['SRV']],
    ['dns:*.example.com?type=CAA', null, '*.example.com', ['CAA']],
    ['dns:.?type=NS', null, '.', ['NS']],
    ['dns:%62%C3%BCcher.example', null, 'xn--bcher-kva.example', ['A']],
    ['dns:1.2.0.192.in-addr.arpa?type=PTR', null, '1.2.0.192.in-addr.arpa', ['PTR']],
    ['dns:///example.com', null, 'example.com', ['A']],
    ['dns://192.0.2.53/example.com?type=SOA', { host: '192.0.2.53', port: 53 }, 'example.com', ['SOA']],
    ['dns://192.0.2.53:5353/example.com', { host: '192.0.2.53', port: 5353 }, 'example.com', ['A']],
    ['dns://[2001:DB8::53]/example.com', { host: '2001:db8::53', port: 53 }, 'example.com', ['A']],
    ['dns://[2001:db8::53]:5353/example.com', { host: '2001:db8::53', port: 5353 }, 'example.com', ['A']],
    ['dns://NS1.example.net:53/example.com?type=NS', { host: 'ns1.example.net', port: 53 }, 'example.com', ['NS']],
  ])('reads %s', (url, resolver, name, types) => {
    expect(parseDnsTarget(url)).toEqual({ resolver, name, types });
  });

  it.each([
    [''],
    ['dns:'],
    ['dns:?type=A'],
    ['dns:example.com?type=ANY'],
    ['dns:example.com?type='],
    ['dns:example.com?type=A;type=MX'],
    ['dns:example.com?class=CH'],
    ['dns:example.com?ttl=5'],
    ['dns:example.com#A'],
    ['dns://192.0.2.53'],
    ['dns://192.0.2.53:0/example.com'],
    ['dns://192.0.2.53:65536/example.com'],
    ['dns://192.0.2.53:dns/example.com'],
    ['dns://2001:db8::53/example.com'],
    ['dns://[192.0.2.53]/example.com'],
    ['dns://user@192.0.2.53/example.com'],
    ['dns://192.0.2.53/example.com/more'],
    ['dns:%zz.example'],
    ['http://example.com'],
    ['example.com:53'],
    ['exa mple.com'],
    ['example.com\n'],
    ['a..b'],
    ['.example.com'],
    [`${'a'.repeat(64)}.example`],
    [`${'a.'.repeat(127)}abc`],
    ['192.0.2.1'],
    ['2001:db8::1'],
  ])('refuses %j and shows the accepted form', (url) => {
    expect(() => parseDnsTarget(url)).toThrow(InvalidTarget);
    expect(() => parseDnsTarget(url)).toThrow(DNS_TARGET_FORM);
  });
});
