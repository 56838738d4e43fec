import type { Answer } from 'dns-packet';
import type { Assertion } from '../../../src/checker/assertion/assertion';
import type { CheckResult, ErrorCode } from '../../../src/checker/checker';
import type { DnsScript } from '../../../packages/testing/servers/dns-server';
import { always, type HttpScript, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { slam } from '../../../packages/testing/servers/tcp-target';
import { TlsAuthority } from '../servers/tls-authority';
import { bytesOf, type FieldCase, fieldCases } from './field-cases';

/** The expected result when an input is checked. */
interface FieldCheck {
  assertions?: Assertion[];
  outcome: CheckResult['outcome'];
  code?: ErrorCode;
}

export interface HttpFieldCase extends FieldCase {
  answers: { path?: string; with?: string; without?: string; send?: string; reset?: boolean }[];
  status?: number;
  checks: (FieldCheck & {
    path?: string;
    method?: string;
    headers?: { key: string; value: string }[];
    follow_redirects?: boolean;
    message?: string;
  })[];
}

export const httpCases = (): HttpFieldCase[] => fieldCases<HttpFieldCase>('http', ['answers', 'status', 'checks']);

/** Returns the first response whose conditions are met. A request without a matching response is reset. */
export const httpScript =
  ({ answers }: HttpFieldCase): HttpScript =>
  (request, socket) => {
    const head = request.headers.map(([name, value]) => `${name}: ${value}`).join('\n');
    const answer = answers.find(
      (one) =>
        (one.path ?? request.path) === request.path &&
        head.includes(one.with ?? '') &&
        (one.without === undefined || !head.includes(one.without)),
    );
    if (answer?.send === undefined || answer.reset === true) slam(socket);
    else socket.end(bytesOf(answer.send));
  };

/** In days from now. Negative values are in the past. */
interface Days {
  from: number;
  until: number;
}

export interface CertificateFieldCase extends FieldCase {
  root?: Days;
  intermediate: Days;
  leaf: Days;
  cross_signed?: Days;
  checks: (FieldCheck & {
    verify?: boolean;
    warn_days?: number;
    message?: string;
    never?: string;
    warning?: string;
  })[];
}

export const certificateCases = (): CertificateFieldCase[] =>
  fieldCases<CertificateFieldCase>('certificates', ['root', 'intermediate', 'leaf', 'cross_signed', 'checks']);

const daysOf = ({ from, until }: Days) => ({ fromDays: from, untilDays: until });

/** Starts a web server with that certificate chain, and returns the authority that clients must trust. */
export async function serveCertificate({ root, intermediate, leaf, cross_signed }: CertificateFieldCase) {
  const authority = await TlsAuthority.create('Test Root', root ?? { from: -100, until: 3650 });
  const older = await TlsAuthority.create('Older Root');
  const alsoSent = cross_signed ? [await authority.crossSigned(older, daysOf(cross_signed))] : [];
  const identity = await authority.issueWithIntermediate({
    ...daysOf(leaf),
    intermediate: daysOf(intermediate),
    alsoSent,
  });
  const target = await HttpTarget.listen(always(rawResponse(200)), { tls: identity });
  return { target, authority };
}

export interface DnsFieldCase extends FieldCase {
  type: string;
  rcode?: number;
  records: { type: string; name?: string; data: unknown }[];
  host?: string;
  checks: (FieldCheck & { records?: string[] })[];
}

/** The name used in every DNS case. */
export const FIELD_NAME = 'field.example.com';

export const dnsCases = (): DnsFieldCase[] =>
  fieldCases<DnsFieldCase>('dns', ['type', 'rcode', 'records', 'host', 'checks']);

export const dnsScript =
  (given: DnsFieldCase): DnsScript =>
  ({ type }) =>
    type === given.type ? { rcode: given.rcode ?? 0, answers: given.records.map(answerOf) } : {};

function answerOf({ type, name = FIELD_NAME, data }: DnsFieldCase['records'][number]): Answer {
  const sent = type === 'TXT' ? (data as string[]).map(bytesOf) : data;
  return { type, name, ttl: 60, data: sent } as Answer;
}
