import { ApiPropertyOptional } from '../../platform/openapi/deferred-property';
import * as field from '../../channel/config/config-fields';
import { Dialer } from '../../platform/net/dial/dialer';
import { CheckResultBuilder } from '../check-result-builder';
import { Checker, type CheckRequest, type CheckResult, type HostPort, parseHostPort } from '../checker';
import { Dialogue, line } from '../dialogue';
import { tlsOf } from '../dialed-tls';
import { NetworkSettings } from '../network-settings';

export class RedisSettings extends NetworkSettings {
  @ApiPropertyOptional({
    description: 'The user to sign in as. Only used with `password`.',
    example: 'monitor',
    maxLength: 128,
  })
  @field.Optional(field.text({ max: 128 }))
  user?: string;

  @ApiPropertyOptional({
    description: 'The password.',
    example: 'correct horse battery',
    format: 'password',
    maxLength: 512,
  })
  @field.Optional(field.text({ max: 512 }))
  @field.Secret()
  password?: string;
}

export interface RedisTarget extends HostPort {
  secure: boolean;
}

const DEFAULT_PORT = 6379;
const SECURE = /^rediss:\/\//i;

/** Signs in, if there is a password, and sends PING. Up if the server answers with PONG. */
@Checker('REDIS')
export class RedisChecker implements Checker<RedisTarget, RedisSettings> {
  readonly targetForm = 'redis://host[:port] or rediss://host[:port], default port 6379';
  readonly assertionSources = ['response_time', 'certificate_days'] as const;
  readonly settingsClass = RedisSettings;

  constructor(private readonly dialer: Dialer) {}

  parseTarget(url: string): RedisTarget {
    const secure = SECURE.test(url);
    const what = 'a Redis target is a host with or without a port';
    const scheme = secure ? 'rediss' : 'redis';
    return { ...parseHostPort(url, { scheme, defaultPort: DEFAULT_PORT, what, form: this.targetForm }), secure };
  }

  hostsOf({ host }: RedisTarget): string[] {
    return [host];
  }

  settingsProblems({ user, password }: RedisSettings) {
    if (user === undefined || password !== undefined) return [];
    return [{ key: 'password', code: 'required', message: 'is required with user' }] as const satisfies object[];
  }

  async check(request: CheckRequest<RedisTarget, RedisSettings>, signal: AbortSignal): Promise<CheckResult> {
    const builder = new CheckResultBuilder(request, signal);
    const { host, port, secure } = request.target;
    const tls = secure ? tlsOf(request) : undefined;
    const socket = await builder.dial(this.dialer, { host, port, tls });
    if (!socket) return builder.finish();
    const dialogue = new Dialogue(socket, builder, signal);
    await ping(dialogue, request.settings, builder);
    dialogue.close();
    return builder.finish(builder.certificateFacts());
  }
}

async function ping(dialogue: Dialogue, { user, password }: RedisSettings, builder: CheckResultBuilder): Promise<null> {
  if (password !== undefined) {
    const signedIn = await dialogue.ask(command('AUTH', ...(user === undefined ? [] : [user]), password), line);
    if (signedIn === null) return null;
    if (signedIn !== '+OK') return refused(signedIn, 'AUTH', builder);
  }
  const reply = await dialogue.ask(command('PING'), line);
  return reply === null || reply === '+PONG' ? null : refused(reply, 'PING', builder);
}

/** A command as an array of bulk strings (RESP 2), which no argument can break out of. */
function command(...words: string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

/** Only the code of an error is shown, because the rest of the line may contain anything. */
function refused(reply: string, sent: string, builder: CheckResultBuilder): null {
  const code = /^-([A-Z]{1,20})\b/.exec(reply)?.[1];
  const answer = code === undefined ? 'something else than a Redis server would' : `the error ${code}`;
  return builder.down('protocol_error', 'first_byte', `The server answered ${sent} with ${answer}.`);
}
