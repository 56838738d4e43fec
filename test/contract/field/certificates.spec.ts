import { HttpCheck } from '../../../src/checker/http/http-check';
import { HttpsChecker } from '../../../src/checker/http/http.checker';
import { startDeadline } from '../../../src/platform/net/deadline';
import { dialerWith, openEgress } from '../../../packages/testing/checker/network';
import type { HttpTarget } from '../../../packages/testing/servers/http-target';
import { certificateCases, serveCertificate } from '../../harness/field/field-targets';
import type { TlsAuthority } from '../../harness/servers/tls-authority';

const NOW = Date.now();

/** Replaces `{-1}` with yesterday's date. */
const dated = (text: string) =>
  text.replace(/\{(-?\d+)\}/g, (_, days: string) =>
    new Date(NOW + Number(days) * 86_400_000).toISOString().slice(0, 10),
  );

describe.each(certificateCases())('$name', (given) => {
  let target: HttpTarget;
  let authority: TlsAuthority;

  beforeAll(async () => {
    ({ target, authority } = await serveCertificate(given));
  });
  afterAll(() => target.close());

  const trusts = [
    { how: 'as the authority of the endpoint', isOwn: true },
    { how: 'as every endpoint does', isOwn: false },
  ];
  it.each(trusts.flatMap((trust) => given.checks.map((check) => ({ ...trust, ...check }))))(
    'is $outcome ($#) for an HTTPS check that trusts the root $how',
    async ({ isOwn, verify = true, assertions = [], warn_days, outcome, code, message, never, warning }) => {
      const dialer = isOwn ? dialerWith() : dialerWith({ roots: [authority.rootPem] });
      const checker = new HttpsChecker(new HttpCheck(dialer));
      const deadline = startDeadline(10_000);
      const result = await checker.check(
        {
          target: checker.parseTarget(target.url()),
          settings: {},
          method: 'GET',
          headers: [],
          body: null,
          followRedirects: true,
          tls: isOwn || !verify ? { verify, ca: isOwn ? authority.rootPem : null, serverName: null } : null,
          assertions,
          certificateWarnDays: warn_days ?? null,
          egress: openEgress,
        },
        deadline.signal,
      );
      deadline.clear();
      expect([result.outcome, result.error?.code ?? null]).toEqual([outcome, code ?? null]);
      expect(result.error?.message ?? '').toContain(dated(message ?? ''));
      if (never !== undefined) expect(result.error?.message).not.toContain(dated(never));
      if (warning === undefined) expect(result.warning).toBeNull();
      else expect(result.warning?.message).toContain(warning);
    },
  );
});
