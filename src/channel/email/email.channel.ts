import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { Config } from '../../platform/config/config';
import type { EgressRule } from '../../platform/net/egress/egress-policy';
import { Clock } from '../../platform/time/clock';
import { HOUR_MS, SECOND_MS } from '../../platform/time/time-units';
import { type MailSender, parseSender } from '../../platform/text/mail-address';
import { emailLayout } from './email-layout';
import { alertAccount, serverAccount, type SmtpAccount, SUBMISSION_PORT } from './smtp-account';
import { SmtpClient } from './smtp-client';
import { Channel, type ConfigProblem, type RecordedRequest, type SendOutcome, type SendRequest } from '../channel';
import * as field from '../config/config-fields';

const MAX_RECIPIENTS = 50;

const sender = field.text({
  max: 320,
  accepts: (text) => parseSender(text) !== null,
  form: 'one address such as Uptime <uptime@example.com>',
});

export class EmailSmtpConfig {
  @ApiProperty({
    title: 'Mail server',
    description: 'The host of the mail server.',
    example: 'smtp.example.com',
    maxLength: 253,
  })
  @field.Required(field.hostName)
  @field.Dialed()
  host!: string;

  @ApiPropertyOptional({
    description: 'The port. Port 465 uses TLS from the start, any other port uses STARTTLS.',
    example: 587,
    default: 587,
    type: 'integer',
    minimum: 1,
    maximum: 65_535,
  })
  @field.Optional(field.integer(1, 65_535))
  @field.Connection(SUBMISSION_PORT)
  port?: number;

  @ApiPropertyOptional({
    title: 'Require TLS',
    description:
      'Require TLS with a trusted certificate; without it, the email is not sent. With `false`, STARTTLS is used ' +
      'only if the server offers it, and the email is sent unencrypted otherwise. With `false` and no password, the ' +
      'certificate is not verified.',
    example: true,
    default: true,
    type: 'boolean',
  })
  @field.Optional(field.flag)
  @field.Connection(true)
  secure?: boolean;

  @ApiPropertyOptional({
    title: 'User name',
    description: 'The user name of the account.',
    example: 'uptime@example.com',
    maxLength: 320,
  })
  @field.Optional(field.text({ max: 320 }))
  username?: string;

  @ApiPropertyOptional({
    description: 'The password of the account.',
    example: 'correct horse battery staple',
    format: 'password',
    maxLength: 500,
  })
  @field.Optional(field.text({ max: 500 }))
  @field.Secret()
  password?: string;
}

export class EmailConfig {
  @ApiProperty({
    description: 'The recipients, at most 50. Each item is exactly one address.',
    example: ['ops@example.com'],
    type: [String],
    minItems: 1,
    maxItems: MAX_RECIPIENTS,
  })
  @field.Required(field.list(field.mailAddress, MAX_RECIPIENTS))
  @field.ConfidentialAddress()
  @field.Addressee()
  to!: string[];

  @ApiPropertyOptional({
    title: 'Copy to',
    description: 'The recipients of a copy, at most 50.',
    example: ['team@example.com'],
    type: [String],
    maxItems: MAX_RECIPIENTS,
  })
  @field.Optional(field.list(field.mailAddress, MAX_RECIPIENTS, 0))
  @field.ConfidentialAddress()
  cc?: string[];

  @ApiPropertyOptional({
    title: 'Sender',
    description:
      'The sender. If the alert has its own SMTP account, this defaults to the user name of that account. The SMTP ' +
      'account of the server always sends from the address of the server (`SMTP_FROM`) and takes only the display ' +
      'name from here.',
    example: 'Uptime <uptime@example.com>',
    maxLength: 320,
  })
  @field.Optional(sender)
  from?: string;

  @ApiPropertyOptional({
    title: 'Own SMTP account',
    description: 'The SMTP account of this alert, used instead of the SMTP account of the server (`SMTP_URL`).',
    type: EmailSmtpConfig,
    example: { host: 'smtp.example.com', port: 587, username: 'uptime@example.com', password: 'correct horse battery' },
  })
  @field.Optional(field.object(() => EmailSmtpConfig))
  @field.Nested(() => EmailSmtpConfig)
  smtp?: EmailSmtpConfig;
}

/** Sends email over SMTP, through the alert's own account or the server's. */
@Channel('email')
@Injectable()
export class EmailChannel implements Channel<EmailConfig> {
  readonly audience = 'mail';
  readonly configClass = EmailConfig;

  /**
   * Rate limits by organization for recipients of email through the server's account. All organizations share its
   * reputation.
   */
  private readonly recipients: TokenBuckets | null;

  constructor(
    private readonly smtp: SmtpClient,
    private readonly settings: Config,
    clock: Clock,
  ) {
    const perHour = settings.mailRecipientsPerHour;
    const perSecond = (perHour * SECOND_MS) / HOUR_MS;
    this.recipients = perHour === 0 ? null : new TokenBuckets(perSecond, perHour, () => clock.monotonic());
  }

  complete(config: EmailConfig): EmailConfig | ConfigProblem[] {
    const { smtp } = config;
    if (smtp && (smtp.username === undefined) !== (smtp.password === undefined))
      return [
        {
          key: smtp.username === undefined ? 'smtp/username' : 'smtp/password',
          code: 'required',
          message: 'is required: set both user name and password, or neither',
        },
      ];
    return config;
  }

  destination(config: EmailConfig): string[] {
    const account = config.smtp ? `${config.smtp.host}/${config.smtp.username ?? ''}` : 'server';
    return [account, ...[...config.to, ...(config.cc ?? [])].sort()];
  }

  missing(config: EmailConfig): string | null {
    const account = this.accountOf(config);
    if (!account) return NO_ACCOUNT;
    if (this.senderOf(config, account)) return null;
    return account.operators ? NO_SMTP_FROM : NO_SENDER;
  }

  async send({ notification, text, config, ...attempt }: SendRequest<EmailConfig>): Promise<SendOutcome> {
    if (attempt.record) {
      attempt.record(this.recorded(notification, text, config));
      return { result: 'delivered', status: null };
    }
    const account = this.accountOf(config);
    if (!account) return refused(NO_ACCOUNT);
    const from = this.senderOf(config, account);
    if (!from) return refused(account.operators ? NO_SMTP_FROM : NO_SENDER);
    const wait = account.operators ? this.waitOf(attempt.egress, config) : 0;
    if (wait > 0) return tooManyRecipients(wait);
    const mail = emailLayout(notification, text, from, { to: config.to, cc: config.cc ?? [] });
    const hidden = [...attempt.hidden, ...credentialsOf(account)];
    return this.smtp.send(mail, account, { ...attempt, hidden });
  }

  /** Returns the email for a preview. Without an account, the sender is made up. */
  private recorded(
    notification: SendRequest<EmailConfig>['notification'],
    text: SendRequest<EmailConfig>['text'],
    config: EmailConfig,
  ): RecordedRequest {
    const account = this.accountOf(config);
    const from = (account && this.senderOf(config, account)) ?? { name: 'Uptime', address: 'uptime@example.com' };
    const mail = emailLayout(notification, text, from, { to: config.to, cc: config.cc ?? [] });
    return {
      method: 'SMTP',
      url: config.smtp === undefined ? '' : `smtp://${config.smtp.host}`,
      headers: {
        from: mail.from.address,
        to: mail.to.join(', '),
        ...(mail.cc.length > 0 ? { cc: mail.cc.join(', ') } : {}),
        subject: mail.subject,
        'message-id': mail.messageId,
        ...(mail.references.length > 0 ? { references: mail.references.join(' ') } : {}),
      },
      body: mail.text,
    };
  }

  /**
   * Returns the number of seconds until the organization may send through the server's account again. The operator has
   * no limit.
   */
  private waitOf({ organization, isDefault }: EgressRule, { to, cc = [] }: EmailConfig): number {
    if (organization === null || isDefault === true) return 0;
    return this.recipients?.take(organization, to.length + cc.length) ?? 0;
  }

  private accountOf(config: EmailConfig): SmtpAccount | null {
    if (config.smtp) return alertAccount(config.smtp);
    return this.settings.smtpUrl === null ? null : serverAccount(this.settings.smtpUrl);
  }

  /**
   * Returns the sender. The operator's account always sends from the operator's address. The alert only sets the
   * display name.
   */
  private senderOf(config: EmailConfig, account: SmtpAccount): MailSender | null {
    const own = parseSender(config.from ?? '');
    if (!account.operators) return own ?? parseSender(account.username ?? this.settings.smtpFrom ?? '');
    const operators = parseSender(this.settings.smtpFrom ?? account.username ?? '');
    return operators && { ...operators, name: own?.name || operators.name };
  }
}

const tooManyRecipients = (waitSeconds: number): SendOutcome => ({
  result: 'retry',
  status: null,
  error:
    'Your organization has sent email to too many recipients through the SMTP account of the server within an ' +
    'hour. Give the alert its own "smtp" account, or use fewer recipients',
  retryAfterMs: Math.ceil(waitSeconds) * SECOND_MS,
  mayHaveArrived: false,
});

const NO_ACCOUNT = 'No mail server is configured. Add one to the contact or set SMTP_URL.';
const NO_SENDER = 'No sender: the alert has no "from" and the server has no SMTP_FROM';
const NO_SMTP_FROM = 'No sender: the server has an SMTP account (SMTP_URL), but no SMTP_FROM';

const refused = (error: string): SendOutcome => ({ result: 'rejected', status: null, error, gone: false });

const credentialsOf = (account: SmtpAccount): string[] =>
  [account.username, account.password].filter((text) => text !== null);
