import { DialError, socketFault } from '../../platform/net/dial/dial-error';
import { type Dialed, Dialer } from '../../platform/net/dial/dialer';
import { bracketed, HOST_FORM, normalizeHost } from '../../platform/net/egress/host-name';
import { assertionFailure } from '../assertion/assertion-failure';
import type { AssertionSource } from '../assertion/assertion';
import { CheckResultBuilder } from '../check-result-builder';
import { abortFailure, type CheckFailure, dialFailure, down, socketFailure } from '../check-failure';
import { Checker, type CheckResult, type CheckRequest, InvalidTarget } from '../checker';
import { greetSsh, type SshHostKey } from './ssh-handshake';

/** An SSH server. */
export interface SshTarget {
  host: string;
  port: number;
}

const DEFAULT_PORT = 22;

/**
 * Up when the server identifies itself as SSH 2.0. `firstByteMs` is the wait for the identification, `transferMs` the key
 * exchange that shows the host key; a failed exchange is noted beside the identification and does not make it down.
 */
@Checker('SSH')
export class SshChecker implements Checker<SshTarget> {
  readonly assertionSources: readonly AssertionSource[] = ['banner', 'response_time'];
  readonly targetForm = 'ssh://host[:port] or host[:port], default port 22';

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): SshTarget {
    const parts = /^(?:ssh:\/\/)?(\[[^\]]*\]|[^:[\]/?#@]+)(?::(\d{1,5}))?\/?$/i.exec(url);
    if (!parts) throw this.invalid('an SSH target is a host with or without a port');
    const host = normalizeHost(parts[1] ?? '');
    const port = parts[2] === undefined ? DEFAULT_PORT : Number(parts[2]);
    if (host === null) throw this.invalid(`the host must be ${HOST_FORM}`);
    if (port < 1 || port > 65_535) throw this.invalid('the port must be 1 to 65535');
    return { host, port };
  }

  hostsOf({ host }: SshTarget): string[] {
    return [host];
  }

  async check(request: CheckRequest<SshTarget>, signal: AbortSignal): Promise<CheckResult> {
    const { target, egress } = request;
    const draft = new CheckResultBuilder();
    try {
      const dialed = await this.dialer.dial({ ...target, egress, signal });
      draft.addDial(dialed.phases, dialed.address);
      return draft.result(await greet(dialed, request, draft, signal));
    } catch (error) {
      if (!(error instanceof DialError)) throw error;
      draft.addDial(error.phases, error.address);
      return draft.result(dialFailure(error, signal));
    }
  }

  private invalid(why: string): InvalidTarget {
    return new InvalidTarget(`${why}; the accepted form is ${this.targetForm}`);
  }
}

async function greet(
  { socket }: Dialed,
  { target, assertions }: CheckRequest<SshTarget>,
  draft: CheckResultBuilder,
  signal: AbortSignal,
): Promise<CheckFailure | null> {
  const greeting = await greetSsh(socket, signal);
  draft.add('firstByteMs', greeting.kind === 'identified' ? greeting.identificationMs : greeting.elapsedMs);
  switch (greeting.kind) {
    case 'identified': {
      const { identification, identificationMs, hostKey } = greeting;
      draft.records = [identification, lineOf(hostKey)];
      if ('keyExchangeMs' in hostKey) draft.add('transferMs', hostKey.keyExchangeMs - identificationMs);
      return assertionFailure(assertions, { durationMs: draft.durationMs, banner: identification });
    }
    case 'not_ssh':
      return down('banner_invalid', 'first_byte', `${placeOf(target)} ${greeting.reason}.`);
    case 'broken':
      return socketFailure(socketFault(greeting.error), 'first_byte', `The connection to ${placeOf(target)}`);
    case 'interrupted':
      return abortFailure('first_byte', signal);
    default:
      return greeting satisfies never;
  }
}

const lineOf = (key: SshHostKey) => ('missing' in key ? `host key not seen: ${key.missing}` : key.fingerprint);

const placeOf = ({ host, port }: SshTarget) => `${bracketed(host)}:${port}`;
