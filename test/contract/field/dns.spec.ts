import { DnsChecker } from '../../../src/checker/dns/dns.checker';
import { SystemResolvers } from '../../../src/checker/dns/system-resolvers';
import { DialError } from '../../../src/platform/net/dial/dial-error';
import { runCheck } from '../../../packages/testing/checker/describe-checker';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import { DnsTestServer } from '../../../packages/testing/servers/dns-server';
import { dnsCases, dnsScript, FIELD_NAME } from '../../harness/field/field-targets';

describe.each(dnsCases())('$name', (given) => {
  let server: DnsTestServer;
  const dialer = dialerWith();

  beforeAll(async () => {
    server = await DnsTestServer.start(dnsScript(given));
  });
  afterAll(() => server.stop());

  it.each(
    given.checks.flatMap((check) => [
      { ...check, own: false },
      { ...check, own: true },
    ]),
  )(
    'is $outcome for a DNS check ($#), configured resolver: $own',
    async ({ own, assertions = [], outcome, code, records }) => {
      const checker = new DnsChecker(dialer, new SystemResolvers(() => [server.address]));
      const url = own ? `dns:${FIELD_NAME}?type=${given.type}` : server.target(FIELD_NAME, given.type);
      const result = await runCheck(checker, url, { assertions });
      expect([result.outcome, result.error, result.records]).toEqual([
        outcome,
        code === undefined ? result.error : expect.objectContaining({ code }),
        records ?? result.records,
      ]);
    },
  );

  it(`${given.host ?? 'no address'} is found by a check that connects to the name`, async () => {
    const looking = dialerWith({ servers: [server.address] }).resolve(
      FIELD_NAME,
      openEgress,
      new AbortController().signal,
    );
    const found = await looking.catch((error: unknown) => error);
    if (given.host === undefined) expect(found).toBeInstanceOf(DialError);
    else expect(found).toMatchObject({ addresses: [given.host] });
  });
});
