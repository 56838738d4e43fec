import { ApiPropertyOptional } from '../../platform/openapi/deferred-property';
import * as field from '../../channel/config/config-fields';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { Dialer } from '../../platform/net/dial/dialer';
import { normalizeHost } from '../../platform/net/egress/host-name';
import { ExchangeError, type ExchangeResponse, exchange } from '../../platform/net/http/http-exchange';
import { endsIn } from '../../platform/text/ends-in';
import { readUrl } from '../../platform/text/read-url';
import { DAY_MS, HOUR_MS } from '../../platform/time/time-units';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, type CheckResult, InvalidTarget } from '../checker';
import { tlsOf } from '../dialed-tls';
import { NetworkSettings } from '../network-settings';
import { isIP } from 'node:net';
import { readRegistration, type Registration, serverFor } from './rdap';
import { socketFailure } from '../check-failure';

const DEFAULT_WARN_DAYS = 30;

export class DomainSettings extends NetworkSettings {
  @ApiPropertyOptional({
    minimum: 0,
    maximum: 365,
    default: DEFAULT_WARN_DAYS,
    title: 'Warn before expiry (days)',
    description: 'If the registration expires within this number of days, the endpoint is degraded.',
  })
  @field.Optional(field.integer(0, 365))
  warn_days?: number;

  @ApiPropertyOptional({
    description:
      'The base URL of the RDAP server to ask. By default, the one that IANA lists for the top-level domain.',
    example: 'https://rdap.example.com/',
    format: 'uri',
    title: 'RDAP server',
  })
  @field.Optional(field.httpUrl())
  @field.Dialed()
  rdap?: string;
}

/** The registries that IANA lists. The list changes a few times a month. */
const LIST = 'https://data.iana.org/rdap/dns.json';
const LIST_MS = DAY_MS;
/** Registries limit how often they are asked, and a registration changes once a year. */
const KEPT_MS = HOUR_MS;
const MAX_KEPT = 10_000;
const MAX_BYTES = 512 * 1024;
const MAX_REDIRECTS = 3;

type Request = CheckRequest<string, DomainSettings>;

/**
 * Asks the registry when a domain expires (RDAP, RFC 9082). Up if that is not soon. The registry is asked at most once
 * an hour. Checks in between use its last answer.
 */
@Checker('DOMAIN')
export class DomainChecker implements Checker<string, DomainSettings> {
  readonly targetForm = 'domain://name or name, such as example.com';
  readonly assertionSources = ['response_time'] as const;
  readonly settingsClass = DomainSettings;
  protected readonly keptMs: number = KEPT_MS;

  private readonly known = new BoundedMap<string, { registration: Registration; atMs: number }>(MAX_KEPT);
  private list: { text: string; atMs: number } | null = null;

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): string {
    const name = normalizeHost(/^(?:domain:\/\/)?([^/]*)\/?$/i.exec(url)?.[1] ?? '');
    if (name === null || isIP(name) !== 0 || !name.includes('.'))
      throw new InvalidTarget(`the target must be a registered domain; the accepted form is ${this.targetForm}`);
    return name;
  }

  async check(request: Request, signal: AbortSignal): Promise<CheckResult> {
    const builder = new CheckResultBuilder(request, signal);
    const registration = signal.aborted ? builder.aborted('first_byte') : await this.ask(request, builder, signal);
    if (registration) judge(registration, request, builder);
    return builder.finish();
  }

  private async ask(request: Request, builder: CheckResultBuilder, signal: AbortSignal): Promise<Registration | null> {
    const { target, settings } = request;
    const place = `${settings.rdap ?? ''} ${target}`;
    const known = this.known.get(place);
    if (known && known.atMs + this.keptMs > performance.now()) return known.registration;
    const server = settings.rdap ?? (await this.serverOf(request, builder, signal));
    if (server === null) return null;
    const url = `${server.endsWith('/') ? server : `${server}/`}domain/${target}`;
    const response = await this.fetch(url, request, { builder, signal });
    if (response === null) return null;
    const { status, body } = response;
    builder.statusCode = status;
    if (status === 404) return builder.down('protocol_error', 'first_byte', `The registry does not know ${target}.`);
    if (status === 429)
      return builder.unknown(
        'internal',
        'first_byte',
        'The registry refuses to answer, because it was asked too often.',
      );
    const registration = status === 200 ? readRegistration(body.toString('utf8'), target) : null;
    if (registration === null)
      return builder.unknown(
        'internal',
        'first_byte',
        `The registry sent no valid answer about ${target} (status ${status}).`,
      );
    this.known.set(place, { registration, atMs: performance.now() });
    return registration;
  }

  /** Returns the URL of the domain's RDAP server, or `null` with a failure if there is none. */
  private async serverOf(request: Request, builder: CheckResultBuilder, signal: AbortSignal): Promise<string | null> {
    if (this.list === null || this.list.atMs + LIST_MS < performance.now()) {
      const response = await this.fetch(LIST, request, { builder, signal });
      if (response === null) return null;
      if (response.status !== 200)
        return builder.unknown('internal', 'first_byte', `The list of registries has status ${response.status}.`);
      this.list = { text: response.body.toString('utf8'), atMs: performance.now() };
    }
    const server = serverFor(this.list.text, request.target);
    return server ?? builder.unknown('internal', 'first_byte', `The registry of ${request.target} has no RDAP server.`);
  }

  private async fetch(
    url: string,
    request: Request,
    { builder, signal }: { builder: CheckResultBuilder; signal: AbortSignal },
  ): Promise<ExchangeResponse | null> {
    let next = url;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await this.fetchOne(next, request, builder, signal);
      const location =
        response && response.status >= 301 && response.status <= 308 ? response.headers['location'] : undefined;
      if (response === null || location === undefined) return response;
      const target = readUrl(location, next);
      if (target === null || !/^https?:$/.test(target.protocol) || target.username !== '') break;
      next = target.href;
    }
    return builder.unknown('internal', 'first_byte', 'The registry redirects too often, or to an invalid URL.');
  }

  private async fetchOne(
    url: string,
    request: Request,
    builder: CheckResultBuilder,
    signal: AbortSignal,
  ): Promise<ExchangeResponse | null> {
    const { protocol, hostname, host, port, pathname, search } = new URL(url);
    const secure = protocol === 'https:';
    const to = { host: hostname, port: port === '' ? (secure ? 443 : 80) : Number(port) };
    const socket = await builder.dial(this.dialer, { ...to, tls: secure ? tlsOf(request, ['http/1.1']) : undefined });
    if (socket === null) return null;
    try {
      const response = await exchange({
        socket,
        method: 'GET',
        path: `${pathname}${search}`,
        headers: [
          ['Host', host],
          ['User-Agent', 'uptime-monitor/1 (availability check)'],
          ['Accept', 'application/rdap+json, application/json'],
          ['Accept-Encoding', 'identity'],
          ['Connection', 'close'],
        ],
        body: null,
        maxBodyBytes: MAX_BYTES,
        keepBody: true,
        signal,
      });
      builder.add('firstByteMs', response.firstByteMs);
      builder.add('transferMs', response.transferMs);
      return response;
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      builder.add('firstByteMs', error.firstByteMs);
      builder.add('transferMs', error.transferMs);
      if (error.fault === 'aborted') return builder.aborted(error.phase);
      if (typeof error.fault === 'string')
        return builder.down('protocol_error', error.phase, `${host}: ${error.message}.`);
      return builder.fail(socketFailure(error.fault, error.phase, `The connection to ${host}`));
    }
  }
}

function judge(
  { expiresMs, registrar }: Registration,
  { target, settings, now }: Request,
  builder: CheckResultBuilder,
): null {
  if (expiresMs === null)
    return builder.unknown('internal', 'first_byte', `The registry does not publish when ${target} expires.`);
  const at = new Date(expiresMs).toISOString();
  builder.records = [`expires ${at}`, ...(registrar === null ? [] : [`registrar ${registrar}`])];
  const days = Math.floor((expiresMs - (now?.() ?? Date.now())) / DAY_MS);
  const sentence = `The registration of ${target} ${endsIn(days, at)}.`;
  if (days < 0) return builder.down('domain_expiring', 'first_byte', sentence);
  if (days <= (settings.warn_days ?? DEFAULT_WARN_DAYS)) builder.warn('domain_expiring', 'first_byte', sentence);
  return null;
}
