import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { ApiProperty, ApiPropertyOptional } from '../../platform/openapi/deferred-property';
import * as field from '../../channel/config/config-fields';
import { Dialer } from '../../platform/net/dial/dialer';
import { bracketed } from '../../platform/net/egress/host-name';
import { arrivalMs } from '../../platform/time/arrival-clock';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, type CheckResult, type HostPort, parseHostPort } from '../checker';
import { tlsOf } from '../dialed-tls';
import { NetworkSettings } from '../network-settings';
import { healthRequest, readHealth } from './health';

const NAME = /^[a-z0-9_.-]+$/;
const OURS = /^(te|content-type|grpc-.*|host|connection|transfer-encoding|keep-alive|upgrade|proxy-connection)$/;

/** An entry of the metadata of the call. */
export class GrpcMetadata {
  @ApiProperty({ description: 'The name of the entry, in lower case.', example: 'authorization', maxLength: 256 })
  @field.Required(
    field.text({
      max: 256,
      accepts: (name) => NAME.test(name) && !OURS.test(name) && !name.endsWith('-bin'),
      form: 'the name of an entry in lower case that gRPC does not set itself',
    }),
  )
  key!: string;

  @ApiProperty({
    description: 'The value of the entry.',
    example: 'Bearer 0123456789',
    format: 'password',
    maxLength: 4096,
  })
  @field.Required(field.text({ max: 4096, pattern: /^[\x20-\x7e]*$/, form: 'printable ASCII' }))
  @field.Secret()
  value!: string;
}

export class GrpcSettings extends NetworkSettings {
  @ApiPropertyOptional({
    description: 'The name of the service to ask about. By default, the server as a whole.',
    example: 'shop.v1.Checkout',
    maxLength: 255,
  })
  @field.Optional(field.text({ max: 255 }))
  service?: string;

  @ApiPropertyOptional({ type: [GrpcMetadata], maxItems: 20, description: 'The metadata to send.' })
  @field.Optional(
    field.list(
      field.object(() => GrpcMetadata),
      20,
    ),
  )
  @field.Nested(() => GrpcMetadata)
  metadata?: GrpcMetadata[];
}

export interface GrpcTarget extends HostPort {
  secure: boolean;
}

/** A response has a few bytes. */
const MAX_BYTES = 4096;
const SECURE = /^grpcs:\/\//i;
/** The status codes of gRPC that say why a server has no answer. */
const STATUS: Readonly<Record<string, string>> = {
  '5': 'it does not know the service (NOT_FOUND)',
  '7': 'it refuses the call (PERMISSION_DENIED)',
  '12': 'it does not implement grpc.health.v1 (UNIMPLEMENTED)',
  '14': 'it is not available (UNAVAILABLE)',
  '16': 'it wants credentials (UNAUTHENTICATED)',
};

/** Calls `grpc.health.v1.Health/Check`. Up if the server answers SERVING. */
@Checker('GRPC')
export class GrpcChecker implements Checker<GrpcTarget, GrpcSettings> {
  readonly targetForm = 'grpc://host:port or grpcs://host:port';
  readonly assertionSources = ['response_time', 'certificate_days'] as const;
  readonly settingsClass = GrpcSettings;

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): GrpcTarget {
    const secure = SECURE.test(url);
    const what = 'a gRPC target is a host and a port';
    return { ...parseHostPort(url, { scheme: secure ? 'grpcs' : 'grpc', what, form: this.targetForm }), secure };
  }

  hostsOf({ host }: GrpcTarget): string[] {
    return [host];
  }

  async check(request: CheckRequest<GrpcTarget, GrpcSettings>, signal: AbortSignal): Promise<CheckResult> {
    const builder = new CheckResultBuilder(request, signal);
    const { host, port, secure } = request.target;
    const tls = secure ? tlsOf(request, ['h2']) : undefined;
    const socket = await builder.dial(this.dialer, { host, port, tls });
    if (!socket) return builder.finish();
    const startedAt = performance.now();
    const answer = await call(socket, request, signal);
    builder.add('firstByteMs', Math.max(0, arrivalMs() - startedAt));
    judge(answer, builder);
    return builder.finish(builder.certificateFacts());
  }
}

type Answer =
  | { kind: 'answered'; status: number; grpcStatus: string | null; message: Buffer }
  | { kind: 'failed'; sentence: string }
  | { kind: 'broken'; error: NodeJS.ErrnoException }
  | { kind: 'aborted' };

function judge(answer: Answer, builder: CheckResultBuilder): null {
  if (answer.kind === 'aborted') return builder.aborted('first_byte');
  if (answer.kind === 'broken') return builder.socketFailed(answer.error, 'first_byte', 'The connection');
  if (answer.kind === 'failed') return builder.down('protocol_error', 'first_byte', answer.sentence);
  const { status, grpcStatus, message } = answer;
  if (status !== 200)
    return builder.down('protocol_error', 'first_byte', `The server answered with HTTP status ${status}.`);
  if (grpcStatus !== '0') {
    const known =
      grpcStatus === null ? 'it sent no gRPC status' : (STATUS[grpcStatus] ?? `gRPC status ${grpcStatus.slice(0, 3)}`);
    return builder.down('protocol_error', 'first_byte', `The server did not report its health: ${known}.`);
  }
  const health = readHealth(message);
  if (health === 'SERVING') return null;
  const sentence = health === null ? 'The server sent an invalid health report.' : `The service is ${health}.`;
  return builder.down('protocol_error', 'first_byte', sentence);
}

/** Makes one call over the connection, which is destroyed afterwards. Never rejects. */
function call(
  socket: Socket,
  { target, settings }: CheckRequest<GrpcTarget, GrpcSettings>,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve) => {
    let session: ClientHttp2Session | null = null;
    const end = (answer: Answer): void => {
      signal.removeEventListener('abort', onAbort);
      session?.destroy();
      socket.destroy();
      resolve(answer);
    };
    const onAbort = (): void => end({ kind: 'aborted' });
    if (signal.aborted) return end({ kind: 'aborted' });
    signal.addEventListener('abort', onAbort, { once: true });
    const onError = (error: NodeJS.ErrnoException): void =>
      end(
        error.code?.startsWith('ERR_HTTP2') || error.code === undefined
          ? { kind: 'failed', sentence: 'The server does not speak HTTP/2.' }
          : { kind: 'broken', error },
      );
    const authority = `${bracketed(target.host)}:${target.port}`;
    session = connect(`${target.secure ? 'https' : 'http'}://${authority}`, {
      createConnection: () => socket,
      settings: { enablePush: false },
      maxSessionMemory: 1,
      maxHeaderListPairs: 64,
    });
    session.on('error', onError);
    session.on('close', () =>
      end({ kind: 'failed', sentence: 'The server closed the connection before its response was complete.' }),
    );
    const stream = session.request({
      [constants.HTTP2_HEADER_METHOD]: 'POST',
      [constants.HTTP2_HEADER_PATH]: '/grpc.health.v1.Health/Check',
      ...Object.fromEntries((settings.metadata ?? []).map(({ key, value }) => [key, value])),
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let status = 0;
    let grpcStatus: string | null = null;
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (headers: IncomingHttpHeaders): void => {
      const sent = headers['grpc-status'];
      if (typeof sent === 'string') grpcStatus = sent;
    };
    stream.on('response', (headers) => {
      status = Number(headers[constants.HTTP2_HEADER_STATUS] ?? 0);
      take(headers);
    });
    stream.on('trailers', take);
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BYTES) end({ kind: 'failed', sentence: 'The server sent more than 4 KiB.' });
      else chunks.push(chunk);
    });
    stream.on('error', onError);
    stream.on('end', () => end({ kind: 'answered', status, grpcStatus, message: Buffer.concat(chunks) }));
    stream.end(healthRequest(settings.service ?? ''));
  });
}
