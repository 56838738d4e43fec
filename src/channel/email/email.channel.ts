import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Config } from '../../platform/config/config';
import {
  Channel,
  type ChannelAudience,
  type ConfigProblem,
  type Notification,
  type SendContext,
  type SendOutcome,
} from '../channel';
import { nestedObject } from '../config/config-validation';
import { hiddenValues } from '../config/config-masking';
import { Confidential, Dialed, NestedConfig, Secret } from '../config/config-decorators';
import {
  flag,
  hostName,
  integer,
  list,
  mailAddress,
  OptionalRule,
  Rule,
  text,
  type ValueRule,
} from '../config/config-rules';
import { destinationKey } from '../destination-key';
import { emailMessage } from './email-message';
import { alertAccount, type MailSender, parseSender, serverAccount, type SmtpAccount } from './smtp-account';
import { SmtpClient } from './smtp-client';

const MAX_RECIPIENTS = 50;

const sender: ValueRule = (value) => {
  const findings = text({ max: 320 })(value);
  if (findings.length > 0 || typeof value !== 'string' || parseSender(value)) return findings;
  return [{ pointer: '', code: 'invalid_format', message: 'must be one address such as Uptime <uptime@example.com>' }];
};

export class EmailSmtpConfig {
  @ApiProperty({ description: 'Host of the mail server.', example: 'smtp.example.com', maxLength: 253 })
  @Rule(hostName)
  @Dialed()
  host!: string;

  @ApiPropertyOptional({
    description: 'Port: 465 is TLS from the start, any other port begins with STARTTLS.',
    example: 587,
    default: 587,
    type: 'integer',
    minimum: 1,
    maximum: 65_535,
  })
  @OptionalRule(integer(1, 65_535))
  port?: number;

  @ApiPropertyOptional({
    description:
      'Demand TLS: without it the mail is not sent. `false` uses STARTTLS only when the server offers it, and sends in ' +
      'clear otherwise.',
    example: true,
    default: true,
    type: 'boolean',
  })
  @OptionalRule(flag)
  secure?: boolean;

  @ApiPropertyOptional({ description: 'User name of the account.', example: 'uptime@example.com', maxLength: 320 })
  @OptionalRule(text({ max: 320 }))
  username?: string;

  @ApiPropertyOptional({
    description: 'Password of the account.',
    example: 'correct horse battery staple',
    format: 'password',
    maxLength: 500,
  })
  @OptionalRule(text({ max: 500 }))
  @Secret()
  password?: string;
}

export class EmailConfig {
  @ApiProperty({
    description: 'Recipients, at most 50, each exactly one address.',
    example: ['ops@example.com'],
    type: [String],
    minItems: 1,
    maxItems: MAX_RECIPIENTS,
  })
  @Rule(list(mailAddress, MAX_RECIPIENTS))
  @Confidential()
  to!: string[];

  @ApiPropertyOptional({
    description: 'Recipients of a copy, at most 50.',
    example: ['team@example.com'],
    type: [String],
    maxItems: MAX_RECIPIENTS,
  })
  @OptionalRule(list(mailAddress, MAX_RECIPIENTS, 0))
  @Confidential()
  cc?: string[];

  @ApiPropertyOptional({
    description: 'Sender; by default the one of the server (`SMTP_FROM`) or the user name of the account.',
    example: 'Uptime <uptime@example.com>',
    maxLength: 320,
  })
  @OptionalRule(sender)
  from?: string;

  @ApiPropertyOptional({
    description: "Mail account of this alert, instead of the server's own (`SMTP_URL`).",
    type: EmailSmtpConfig,
    example: { host: 'smtp.example.com', port: 587, username: 'uptime@example.com', password: 'correct horse battery' },
  })
  @OptionalRule(nestedObject(() => EmailSmtpConfig))
  @NestedConfig(() => EmailSmtpConfig)
  smtp?: EmailSmtpConfig;
}

/** Mail over SMTP, through the alert's own account or the server's. */
@Channel('email')
@Injectable()
export class EmailChannel implements Channel<EmailConfig> {
  readonly audience: ChannelAudience = 'mail';
  readonly configClass = EmailConfig;

  constructor(
    private readonly delivery: SmtpClient,
    private readonly settings: Config,
  ) {}

  complete(config: EmailConfig): EmailConfig | ConfigProblem[] {
    const { smtp } = config;
    if (smtp && (smtp.username === undefined) !== (smtp.password === undefined))
      return [
        {
          key: smtp.username === undefined ? 'smtp/username' : 'smtp/password',
          code: 'required',
          message: 'is required: user name and password belong together',
        },
      ];
    return config;
  }

  destination(config: EmailConfig): string {
    const account = config.smtp ? `${config.smtp.host}/${config.smtp.username ?? ''}` : 'server';
    return destinationKey('email', account, ...[...config.to, ...(config.cc ?? [])].sort());
  }

  async send(notice: Notification, config: EmailConfig, context: SendContext): Promise<SendOutcome> {
    const account = this.accountOf(config);
    if (!account) return refused('There is no mail account: the alert has no "smtp" and the server has no SMTP_URL');
    const from = this.senderOf(config, account);
    if (!from) return refused('There is no sender: the alert has no "from" and the server has no SMTP_FROM');
    const mail = emailMessage(notice, from, { to: config.to, cc: config.cc ?? [] });
    const hidden = [...hiddenValues(EmailConfig, config), ...credentialsOf(account)];
    return this.delivery.deliver(mail, account, context, hidden);
  }

  private accountOf(config: EmailConfig): SmtpAccount | null {
    if (config.smtp) return alertAccount(config.smtp);
    return this.settings.smtpUrl === null ? null : serverAccount(this.settings.smtpUrl);
  }

  private senderOf(config: EmailConfig, account: SmtpAccount): MailSender | null {
    const configured = config.from ?? (account.operators ? this.settings.smtpFrom : null);
    return parseSender(configured ?? account.username ?? this.settings.smtpFrom ?? '');
  }
}

const refused = (error: string): SendOutcome => ({ result: 'rejected', status: null, error, gone: false });

const credentialsOf = (account: SmtpAccount): string[] =>
  [account.username, account.password].filter((text) => text !== null);
