import { Dialer } from '../../platform/net/dial/dialer';
import { bracketed } from '../../platform/net/egress/host-name';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, type CheckResult, type HostPort, parseHostPort } from '../checker';
import { NetworkSettings } from '../network-settings';
import { greetSsh, loadSsh2, type SshGreeting, type SshHostKey } from './ssh-handshake';

const DEFAULT_PORT = 22;

/**
 * Checks that a server identifies itself as SSH 2.0. `firstByteMs` is the wait for the identification, and `transferMs`
 * is the key exchange that reveals the host key. A failed exchange is noted in the records and doesn't fail the check.
 */
@Checker('SSH')
export class SshChecker implements Checker<HostPort, NetworkSettings> {
  readonly settingsClass = NetworkSettings;
  readonly assertionSources = ['banner', 'response_time'] as const;
  readonly targetForm = 'ssh://host[:port] or host[:port], default port 22';

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): HostPort {
    const what = 'an SSH target is a host with or without a port';
    return parseHostPort(url, { scheme: 'ssh', defaultPort: DEFAULT_PORT, what, form: this.targetForm });
  }

  hostsOf({ host }: HostPort): string[] {
    return [host];
  }

  async check(request: CheckRequest<HostPort>, signal: AbortSignal): Promise<CheckResult> {
    loadSsh2();
    const builder = new CheckResultBuilder(request, signal);
    const socket = await builder.dial(this.dialer, request.target);
    if (!socket) return builder.finish();
    const greeting = await greetSsh(socket, signal);
    note(greeting, builder, `${bracketed(request.target.host)}:${request.target.port}`);
    return builder.finish(greeting.kind === 'identified' ? { banner: greeting.identification } : {});
  }
}

function note(greeting: SshGreeting, builder: CheckResultBuilder, server: string): null {
  builder.add('firstByteMs', greeting.kind === 'identified' ? greeting.identificationMs : greeting.elapsedMs);
  switch (greeting.kind) {
    case 'identified': {
      const { shown, identificationMs, hostKey } = greeting;
      builder.records = [shown, lineOf(hostKey)];
      if ('keyExchangeMs' in hostKey) builder.add('transferMs', hostKey.keyExchangeMs - identificationMs);
      return null;
    }
    case 'not_ssh':
      return builder.down('banner_invalid', 'first_byte', `${server} ${greeting.reason}.`);
    case 'broken':
      return builder.socketFailed(greeting.error, 'first_byte', `The connection to ${server}`);
    case 'interrupted':
      return builder.aborted('first_byte');
    default:
      return greeting satisfies never;
  }
}

const lineOf = (key: SshHostKey): string => ('missing' in key ? `host key not seen: ${key.missing}` : key.fingerprint);
