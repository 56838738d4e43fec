import { createHash, randomBytes } from 'node:crypto';
import { ApiProperty, ApiPropertyOptional } from '../../platform/openapi/deferred-property';
import * as field from '../../channel/config/config-fields';
import { Dialer } from '../../platform/net/dial/dialer';
import { HOST_FORM, normalizeHost } from '../../platform/net/egress/host-name';
import { readUrl } from '../../platform/text/read-url';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, type CheckResult, type HostPort, InvalidTarget } from '../checker';
import { Dialogue, type Reader, Refused } from '../dialogue';
import { tlsOf } from '../dialed-tls';
import { bytesOf } from '../escaped-text';
import { NetworkSettings } from '../network-settings';
import { message } from '../settings-fields';
import { BINARY, clientFrame, CLOSE, CONTINUATION, frame, PING, PONG, TEXT } from './frames';

const NAME = /^[!#$%&'*+.^_\x60|~0-9A-Za-z-]+$/;
const OURS = /^(host|connection|upgrade|content-length|transfer-encoding|sec-websocket-.*)$/i;
const VALUE = /^[\x20-\x7e\x80-\xff]*$/;

/** A header of the request that opens the connection. */
export class WebSocketHeader {
  @ApiProperty({ description: 'The name of the header.', example: 'Authorization', maxLength: 256 })
  @field.Required(
    field.text({
      max: 256,
      accepts: (name) => NAME.test(name) && !OURS.test(name),
      form: 'the name of a header that the check does not set itself',
    }),
  )
  key!: string;

  @ApiProperty({
    description: 'The value of the header.',
    example: 'Bearer 0123456789',
    format: 'password',
    maxLength: 4096,
  })
  @field.Required(field.text({ max: 4096, pattern: VALUE, form: 'the value of a header' }))
  @field.Secret()
  value!: string;
}

export class WebSocketSettings extends NetworkSettings {
  @ApiPropertyOptional({
    type: [WebSocketHeader],
    maxItems: 20,
    description: 'The headers to send when the connection is opened.',
  })
  @field.Optional(
    field.list(
      field.object(() => WebSocketHeader),
      20,
    ),
  )
  @field.Nested(() => WebSocketHeader)
  headers?: WebSocketHeader[];

  @ApiPropertyOptional({
    description: 'The subprotocol that the server must select.',
    example: 'graphql-transport-ws',
    maxLength: 100,
  })
  @field.Optional(field.text({ max: 100, pattern: NAME, form: 'the name of a subprotocol' }))
  subprotocol?: string;

  @ApiPropertyOptional({
    description: 'The text message to send, at most 1 KiB, with escapes such as `\\n`.',
    example: '{"type":"ping"}',
  })
  @field.Optional(message)
  send?: string;

  @ApiPropertyOptional({
    description:
      'The text that a message of the server must contain, with escapes. By default, opening the connection is enough.',
    example: '"type":"pong"',
  })
  @field.Optional(message)
  expect?: string;
}

export interface WebSocketTarget extends HostPort {
  secure: boolean;
  /** The value of the `Host` header. */
  authority: string;
  path: string;
}

interface Head {
  status: number;
  headers: ReadonlyMap<string, string>;
}

const MAX_HEAD = 16 * 1024;
const MAX_FRAMES = 1000;
const ACCEPT_KEY = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
type Request = CheckRequest<WebSocketTarget, WebSocketSettings>;

/** Opens a WebSocket (RFC 6455). Up if that works, and if the expected message, if there is one, arrives. */
@Checker('WEBSOCKET')
export class WebSocketChecker implements Checker<WebSocketTarget, WebSocketSettings> {
  readonly targetForm = 'ws://host[:port]/path or wss://host[:port]/path';
  readonly assertionSources = ['response_time', 'certificate_days'] as const;
  readonly settingsClass = WebSocketSettings;

  constructor(private readonly dialer: Dialer) {}

  parseTarget(text: string): WebSocketTarget {
    const invalid = (why: string) => new InvalidTarget(`${why}; the accepted form is ${this.targetForm}`);
    const url = /^wss?:\/\/[^/?#\\\s]/i.test(text) && !/\s/.test(text) ? readUrl(text) : null;
    if (url === null || url.username !== '' || url.password !== '' || url.hash !== '' || url.port === '0')
      throw invalid('a WebSocket target is a URL without credentials and fragment');
    const host = normalizeHost(url.hostname);
    if (host === null) throw invalid(`the host must be ${HOST_FORM}`);
    const secure = url.protocol === 'wss:';
    const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
    return { host, port, secure, authority: url.host, path: `${url.pathname}${url.search}` };
  }

  hostsOf({ host }: WebSocketTarget): string[] {
    return [host];
  }

  async check(request: Request, signal: AbortSignal): Promise<CheckResult> {
    const builder = new CheckResultBuilder(request, signal);
    const { host, port, secure } = request.target;
    const tls = secure ? tlsOf(request, ['http/1.1']) : undefined;
    const socket = await builder.dial(this.dialer, { host, port, tls });
    if (socket) {
      const dialogue = new Dialogue(socket, builder, signal);
      await converse(dialogue, request, builder);
      dialogue.close();
    }
    return builder.finish(builder.certificateFacts());
  }
}

async function converse(dialogue: Dialogue, request: Request, builder: CheckResultBuilder): Promise<null> {
  const key = randomBytes(16).toString('base64');
  const head = await dialogue.ask(opening(request, key), responseHead);
  if (head === null) return null;
  builder.statusCode = head.status;
  const problem = problemOf(head, key, request.settings.subprotocol);
  if (problem !== null) return builder.down('protocol_error', 'first_byte', problem);
  const { send, expect } = request.settings;
  if (send !== undefined) dialogue.send(clientFrame(TEXT, bytesOf(send)));
  if (expect !== undefined && !(await awaited(dialogue, bytesOf(expect), builder))) return null;
  dialogue.send(clientFrame(CLOSE, Buffer.from([0x03, 0xe8])));
  return null;
}

function opening({ target, settings }: Request, key: string): Buffer {
  const lines = [
    `GET ${target.path} HTTP/1.1`,
    `Host: ${target.authority}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Key: ${key}`,
    'Sec-WebSocket-Version: 13',
    ...(settings.subprotocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${settings.subprotocol}`]),
    ...(settings.headers ?? []).map((header) => `${header.key}: ${header.value}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/** Reads the status and the headers of the response. */
export const responseHead: Reader<Head> = (received) => {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0 ? received.length > MAX_HEAD : end > MAX_HEAD) throw new Refused('The headers have more than 16 KiB.');
  if (end < 0) return null;
  const [first = '', ...rest] = received.toString('latin1', 0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw new Refused('The server does not speak HTTP.');
  const headers = new Map<string, string>();
  for (const text of rest) {
    const colon = text.indexOf(':');
    if (colon < 1) throw new Refused('The server sent an invalid header.');
    const name = text.slice(0, colon).toLowerCase();
    const before = headers.get(name);
    headers.set(name, `${before === undefined ? '' : `${before}, `}${text.slice(colon + 1).trim()}`);
  }
  return { value: { status: Number(status), headers }, used: end + 4 };
};

function problemOf({ status, headers }: Head, key: string, subprotocol: string | undefined): string | null {
  if (status !== 101) return `The server answered with status ${status} instead of opening a WebSocket.`;
  const listed = (name: string): string[] =>
    (headers.get(name) ?? '').split(',').map((one) => one.trim().toLowerCase());
  if (!listed('upgrade').includes('websocket') || !listed('connection').includes('upgrade'))
    return 'The server did not switch to the WebSocket protocol.';
  const accepted = createHash('sha1')
    .update(key + ACCEPT_KEY)
    .digest('base64');
  if (headers.get('sec-websocket-accept') !== accepted) return 'The server sent a wrong Sec-WebSocket-Accept header.';
  if (headers.has('sec-websocket-extensions')) return 'The server selected an extension that was not offered.';
  if (headers.get('sec-websocket-protocol') !== subprotocol)
    return subprotocol === undefined
      ? 'The server selected a subprotocol that was not offered.'
      : `The server did not select the subprotocol ${subprotocol}.`;
  return null;
}

/** Returns true when a message contains the text. Replies to pings. */
async function awaited(dialogue: Dialogue, expected: Buffer, builder: CheckResultBuilder): Promise<boolean> {
  let parts: Buffer[] | null = null;
  for (let count = 0; count < MAX_FRAMES; count++) {
    const next = await dialogue.ask(null, frame);
    if (next === null) return false;
    const { opcode, isLast, payload } = next;
    if (opcode === PING) dialogue.send(clientFrame(PONG, payload));
    if (opcode === CLOSE) return fails(builder, 'The server closed the WebSocket before the expected message arrived.');
    if (opcode >= CLOSE) continue;
    if ((opcode === CONTINUATION) !== (parts !== null))
      return fails(builder, 'The server sent an invalid WebSocket frame.');
    parts = opcode === TEXT || opcode === BINARY ? [payload] : [...(parts ?? []), payload];
    if (!isLast) continue;
    if (Buffer.concat(parts).includes(expected)) return true;
    parts = null;
  }
  return fails(builder, `The server sent more than ${MAX_FRAMES} frames.`);
}

function fails(builder: CheckResultBuilder, sentence: string): false {
  builder.down('protocol_error', 'first_byte', sentence);
  return false;
}
