import { Problem } from '../../../platform/problem/problem';
import { readResult, readResults } from './sent-results';

const SESSION = '7f3c9a52e0b14d68';
const ASK = '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11';
const ENDPOINT = 'ep_01jd3k6q7be5y9x4v2m8n0r1st';
const ERROR = { code: 'connection_refused', phase: 'connect', message: 'The connection was refused.' };

const check = (changes: object = {}) => ({
  outcome: 'up',
  duration_ms: 12.4,
  phases: { dns_ms: null, connect_ms: 1.2, tls_ms: null, first_byte_ms: 3.1, transfer_ms: 0.2 },
  status_code: 200,
  address: '192.0.2.1',
  certificate: null,
  records: null,
  redirects: [],
  error: null,
  warning: null,
  ...changes,
});
const sent = (changes: object = {}, result: unknown = check()) => ({
  endpoint_id: ENDPOINT,
  revision: 3,
  slot: 1_790_000_020_340,
  request_id: null,
  checked_at: 1_790_000_020_342.4,
  attempts: 1,
  first_error: null,
  result,
  ...changes,
});

describe('a parsed row', () => {
  it('is a result of a check', () => {
    expect(readResult(sent())).toEqual({
      endpointId: '01934733-5ceb-717c-9e93-62a22a0c073a',
      revision: 3,
      slotMs: 1_790_000_020_340,
      ask: null,
      checkedMs: 1_790_000_020_342,
      attempts: 1,
      firstError: null,
      result: {
        outcome: 'up',
        durationMs: 12.4,
        phases: { dnsMs: null, connectMs: 1.2, tlsMs: null, firstByteMs: 3.1, transferMs: 0.2 },
        statusCode: 200,
        address: '192.0.2.1',
        certificate: null,
        records: null,
        redirects: [],
        error: null,
        warning: null,
      },
    });
  });

  it('needs only the fields of the result', () => {
    const { outcome, duration_ms, phases } = check();
    const { endpoint_id, revision, slot, checked_at } = sent();
    const least = { endpoint_id, revision, slot, checked_at, result: { outcome, duration_ms, phases } };
    expect(readResult(least)?.result).toMatchObject({ outcome: 'up', redirects: [], warning: null });
  });

  it.each([
    ['no object', 7],
    ['null', null],
    ['no endpoint', sent({ endpoint_id: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })],
    ['no revision', sent({ revision: null })],
    ['neither slot nor ask', sent({ slot: null })],
    ['slot and ask', sent({ request_id: ASK })],
    ['an invalid ask', sent({ slot: null, request_id: 'ask' })],
    ['a try-out without an ask', sent({ endpoint_id: null })],
    ['a slot in words', sent({ slot: '1790000020340' })],
    ['a slot before all time', sent({ slot: -20 })],
    ['a time beyond all time', sent({ checked_at: 1e300 })],
    ['three attempts', sent({ attempts: 3 })],
    ['no result', sent({}, null)],
    ['another outcome', sent({}, check({ outcome: 'degraded' }))],
    ['a negative duration', sent({}, check({ duration_ms: -1 }))],
    ['a duration of months', sent({}, check({ duration_ms: 1e10 }))],
    ['no phases', sent({}, check({ phases: null }))],
    ['a phase in words', sent({}, check({ phases: { dns_ms: 'fast' } }))],
    ['a status beyond 999', sent({}, check({ status_code: 1000 }))],
    ['an invalid address', sent({}, check({ address: 'shop.example.com' }))],
    ['invalid records', sent({}, check({ records: 'a' }))],
    ['an invalid redirect', sent({}, check({ redirects: [7] }))],
    [
      'a certificate without an expiry',
      sent({}, check({ certificate: { expires_at: 'soon', issuer: '', subject: '' } })),
    ],
    ['an unknown code', sent({}, check({ outcome: 'down', error: { ...ERROR, code: 'bad_luck' } }))],
    ['an unknown phase', sent({}, check({ outcome: 'down', error: { ...ERROR, phase: 'run' } }))],
    ['an invalid message', sent({}, check({ outcome: 'down', error: { ...ERROR, message: 7 } }))],
    ['a failure without an error', sent({}, check({ outcome: 'down' }))],
    ['a success with an error', sent({}, check({ error: ERROR }))],
  ])('is refused with %s', (_, row) => {
    expect(readResult(row)).toBeNull();
  });

  it('has shortened texts without control characters', () => {
    const message = `a\0b\r\nc\u202e${'x'.repeat(10_000)}`;
    const certificate = {
      expires_at: '2027-02-01T00:00:00Z',
      issuer: 'y'.repeat(1000),
      subject: 'CN=\u0007',
      names: Array.from({ length: 50 }, () => 'z'.repeat(1000)),
    };
    const result = check({ outcome: 'down', error: { ...ERROR, message }, certificate, redirects: ['u'.repeat(9000)] });
    const read = readResult(sent({}, result))?.result;
    expect(read?.error?.message).toMatch(/^ab {2}c x+$/);
    expect(read?.error?.message.length).toBeLessThanOrEqual(300);
    expect(read?.certificate).toMatchObject({ expiresAt: '2027-02-01T00:00:00.000Z', subject: 'CN= ' });
    expect([read?.certificate?.names.length, read?.certificate?.names[0]?.length, read?.redirects[0]?.length]).toEqual([
      20, 300, 500,
    ]);
  });

  it('keeps a warning only for an up result', () => {
    expect(readResult(sent({}, check({ warning: ERROR })))?.result.warning).toEqual(ERROR);
    const down = check({ outcome: 'down', error: ERROR, warning: ERROR });
    expect(readResult(sent({}, down))?.result.warning).toBeNull();
  });

  it('has a first error if there were two attempts', () => {
    expect(readResult(sent({ attempts: 2, first_error: ERROR }))?.firstError).toEqual(ERROR);
    expect(readResult(sent({ attempts: 1, first_error: ERROR }))?.firstError).toBeNull();
  });
});

describe('a parsed batch', () => {
  const batch = (results: unknown) => ({ protocol: 1, session: SESSION, results });
  const refusalOf = (body: unknown): unknown => {
    try {
      readResults(body);
      return null;
    } catch (error) {
      return error instanceof Problem ? error.errors.map(({ pointer, code }) => `${pointer} ${code}`) : error;
    }
  };

  it('keeps the positions of rows that cannot be read', () => {
    expect(readResults(batch([7, sent(), null])).rows.map((row) => row !== null)).toEqual([false, true, false]);
  });

  it.each([
    ['no results', batch(undefined), ['/results required']],
    ["results that aren't a list", batch({}), ['/results invalid_format']],
    ['1,001 of them', batch(Array.from({ length: 1001 }, () => 0)), ['/results too_large']],
    ['no session', { ...batch([]), session: 7 }, ['/session invalid_format']],
  ])('is refused with %s', (_, body, refusal) => {
    expect(refusalOf(body)).toEqual(refusal);
  });
});
