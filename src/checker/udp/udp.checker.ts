import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';
import { ApiPropertyOptional } from '../../platform/openapi/deferred-property';
import * as field from '../../channel/config/config-fields';
import { faultTowards } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import { bracketed } from '../../platform/net/egress/host-name';
import { arrivalMs } from '../../platform/time/arrival-clock';
import { socketFailure } from '../check-failure';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, type CheckResult, type HostPort, parseHostPort } from '../checker';
import { bytesOf } from '../escaped-text';
import { NetworkSettings } from '../network-settings';
import { message } from '../settings-fields';

export class UdpSettings extends NetworkSettings {
  @ApiPropertyOptional({
    description:
      'The datagram to send, at most 1 KiB, with escapes such as `\\n` and `\\x00`. By default, it is empty.',
    example: 'ping\\n',
  })
  @field.Optional(message)
  send?: string;

  @ApiPropertyOptional({
    description: 'The text that an answer must contain, with escapes. By default, any answer is accepted.',
    example: 'pong',
  })
  @field.Optional(message)
  expect?: string;
}

/** After this many other datagrams, the check stops listening. */
const MAX_DATAGRAMS = 100;

/** Sends one datagram. Up if an answer arrives that contains the expected text. */
@Checker('UDP')
export class UdpChecker implements Checker<HostPort, UdpSettings> {
  readonly targetForm = 'udp://host:port or host:port';
  readonly assertionSources = ['response_time'] as const;
  readonly settingsClass = UdpSettings;

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): HostPort {
    return parseHostPort(url, { scheme: 'udp', what: 'a UDP target is a host and a port', form: this.targetForm });
  }

  hostsOf({ host }: HostPort): string[] {
    return [host];
  }

  async check(request: CheckRequest<HostPort, UdpSettings>, signal: AbortSignal): Promise<CheckResult> {
    const builder = new CheckResultBuilder(request, signal);
    const { host, port } = request.target;
    const [address] = (await builder.resolve(this.dialer, host)) ?? [];
    if (address === undefined) return builder.finish();
    builder.address = address;
    const { send, expect } = request.settings;
    const startedAt = performance.now();
    const end = await answer(
      { address, port },
      {
        sent: send === undefined ? Buffer.alloc(0) : bytesOf(send),
        expected: expect === undefined ? null : bytesOf(expect),
      },
      signal,
    );
    builder.add('firstByteMs', Math.max(0, arrivalMs() - startedAt));
    if (typeof end === 'object')
      builder.fail(
        socketFailure(await faultTowards(address, end.error), 'connect', `The datagram to ${bracketed(host)}:${port}`),
      );
    else if (end === 'aborted') builder.aborted('first_byte');
    else if (end === 'other')
      builder.down(
        'protocol_error',
        'first_byte',
        `${MAX_DATAGRAMS} answers arrived, and none contains the expected text.`,
      );
    return builder.finish();
  }
}

type End = 'answered' | 'other' | 'aborted' | { error: NodeJS.ErrnoException };

/** A connected socket receives only datagrams of the target, and the error of an ICMP message such as "port unreachable". */
function answer(
  { address, port }: { address: string; port: number },
  { sent, expected }: { sent: Buffer; expected: Buffer | null },
  signal: AbortSignal,
): Promise<End> {
  return new Promise((resolve) => {
    const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4');
    let count = 0;
    const onAbort = (): void => end('aborted');
    const end = (how: End): void => {
      signal.removeEventListener('abort', onAbort);
      socket.removeAllListeners().on('error', () => {});
      socket.close();
      resolve(how);
    };
    if (signal.aborted) return end('aborted');
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('error', (error: NodeJS.ErrnoException) => end({ error }));
    socket.on('message', (received) => {
      if (expected === null || received.includes(expected)) end('answered');
      else if (++count === MAX_DATAGRAMS) end('other');
    });
    socket.on('connect', () => socket.send(sent));
    socket.connect(port, address);
  });
}
