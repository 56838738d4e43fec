import type { Assertion } from '../../../src/checker/assertion/assertion';
import { HttpChecker } from '../../../src/checker/http/http.checker';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { JudgingTurns } from '../../../src/checker/http/judging-turns';
import { BodyBudget } from '../../../src/platform/net/http/body-budget';
import { dialerWith } from '../../../packages/testing/checker/network';
import { always, rawResponse, type HttpScript, HttpTarget, sent } from '../../../packages/testing/servers/http-target';
import { runCheck } from '../../../packages/testing/checker/describe-checker';

const checker = new HttpChecker(new HttpCheck(dialerWith()));
const targets: HttpTarget[] = [];

const serve = async (script: HttpScript): Promise<string> => {
  const target = await HttpTarget.listen(script);
  targets.push(target);
  return target.url();
};

afterEach(async () => {
  await Promise.all(targets.splice(0).map((target) => target.close()));
});

const warning = (one: Assertion): Assertion => ({ ...one, severity: 'warning' });
const needle: Assertion = { source: 'body', comparison: 'contains', target: 'needle' };
const passing: Assertion = { source: 'json', property: '$.status', comparison: 'equals', target: 'passing' };
const statusIn = (target: string): Assertion => ({ source: 'status_code', comparison: 'in', target });
const warns = (message: string) => ({
  outcome: 'up',
  error: null,
  warning: { code: 'assertion_failed', phase: 'assertion', message },
});
const isDown = (code: string) => ({ outcome: 'down', error: { code }, warning: null });

describe('An HTTP check with warnings', () => {
  it.each([
    ['200, as expected', 200, [warning(statusIn('200'))], { outcome: 'up', warning: null }],
    [
      '204, not as expected',
      204,
      [warning(statusIn('200'))],
      warns('Expected status_code to be one of 200, but it was 204.'),
    ],
    ['500, not as expected', 500, [warning(statusIn('200'))], isDown('status_unexpected')],
    ['500, as expected', 500, [warning(statusIn('200-599'))], isDown('status_unexpected')],
    [
      '500, which a critical assertion allows',
      500,
      [warning(statusIn('200')), statusIn('200-599')],
      warns('Expected status_code to be one of 200, but it was 500.'),
    ],
    ['404, which no assertion allows', 404, [warning(statusIn('200')), statusIn('500')], isDown('assertion_failed')],
  ] as const)(
    'keeps the rule 200 to 299 in addition to a warning about the status: %s',
    async (_, status, assertions, result) => {
      const url = await serve(always(rawResponse(status)));
      expect(await runCheck(checker, url, { assertions })).toMatchObject(result);
    },
  );

  it.each([
    ['body', warning(needle), 'Expected body to contain needle, but it was another value.'],
    ['JSON', warning(passing), 'Expected json $.status to equal passing, but it was another value.'],
    [
      'header',
      warning({ source: 'header', property: 'X-Cache', comparison: 'equals', target: 'HIT' }),
      'Expected header X-Cache to equal HIT, but it was absent.',
    ],
  ])('warns of an assertion that a %s does not hold', async (_, assertion, message) => {
    const url = await serve(always(rawResponse(200, '{"status":"failing"}')));
    expect(await runCheck(checker, url, { assertions: [assertion] })).toMatchObject(warns(message));
  });

  it('warns of an assertion that a large body does not hold, and reports down if a critical assertion fails as well', async () => {
    const url = await serve(always(rawResponse(200, 'x'.repeat(300_000))));
    const message = 'Expected body to contain needle, but it was another value.';
    expect(await runCheck(checker, url, { assertions: [warning(needle)] })).toMatchObject(warns(message));
    const both = [warning(needle), { ...needle, target: 'another' }];
    expect(await runCheck(checker, url, { assertions: both })).toMatchObject(isDown('assertion_failed'));
  });

  const encoded = (encoding: string, body: string): HttpScript =>
    always(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\n\r\n`), Buffer.from(body)]));

  it.each([
    ['is damaged: it cannot be decompressed', encoded('gzip', 'hello')],
    ['uses an unsupported compression (compress)', encoded('compress', 'hello')],
  ])('only warns of a body that %s when only a warning is about it', async (why, script) => {
    const url = await serve(script);
    expect(await runCheck(checker, url, { assertions: [] })).toMatchObject({ outcome: 'up', warning: null });
    const message = `Expected body to contain needle, but it was a body that ${why}.`;
    expect(await runCheck(checker, url, { assertions: [warning(needle)] })).toMatchObject(warns(message));
    const json = await runCheck(checker, url, { assertions: [warning(passing)] });
    expect(json.warning?.message).toContain(`a body that ${why}`);
    const both = [warning(needle), passing];
    expect(await runCheck(checker, url, { assertions: both })).toMatchObject(isDown('protocol_error'));
  });

  it('reports a critical failure without waiting for a turn to judge a large body that only a warning is about', async () => {
    const turns = new JudgingTurns();
    const busy = new HttpChecker(new HttpCheck(dialerWith(), new BodyBudget(), turns));
    const over = new AbortController();
    let end = () => {};
    const held = new Promise<void>((resolve) => (end = resolve));
    const holding = turns.take('another', over.signal, () => held);
    const url = await serve(always(rawResponse(200, 'x'.repeat(300_000))));
    const cached: Assertion = { source: 'header', property: 'X-Cache', comparison: 'exists', target: 'true' };
    const failing = await runCheck(busy, url, { assertions: [warning(needle), cached] });
    expect(failing).toMatchObject(isDown('assertion_failed'));
    const waiting = await runCheck(busy, url, { assertions: [warning(needle)], timeoutMs: 300 });
    expect(waiting).toMatchObject({ outcome: 'unknown', error: { code: 'internal' }, warning: null });
    end();
    await holding;
  });

  it('hides a credential that the target echoes in a warning', async () => {
    const secret = 'tok-4f9a1c77';
    const url = await serve((request, socket) =>
      socket.end(rawResponse(200, JSON.stringify({ token: sent(request, 'x-key') }))),
    );
    const assertions = [warning({ ...passing, property: '$.token', target: `not ${secret}` })];
    const result = await runCheck(checker, url, { headers: [{ key: 'X-Key', value: secret }], assertions });
    expect(result).toMatchObject(warns('Expected json $.token to equal not (hidden), but it was another value.'));
    expect(JSON.stringify(result)).not.toContain(secret);
  });
});
