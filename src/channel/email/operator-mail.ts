import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { OPERATORS_EGRESS } from '../../platform/net/egress/egress-policy';
import { html } from '../../platform/text/html';
import { mailDomain, parseSender } from '../../platform/text/mail-address';
import type { SendOutcome } from '../channel';
import { serverAccount } from './smtp-account';
import { SmtpClient } from './smtp-client';

/**
 * A plain-text email to one person. `id` is the same for each attempt, so that an email client recognizes a repeated
 * one.
 */
export interface PlainMail {
  id: string;
  to: string;
  subject: string;
  text: string;
}

/** Sends email on behalf of the installation, through the operator's account (`SMTP_URL`). */
@Injectable()
export class OperatorMail {
  constructor(
    private readonly smtp: SmtpClient,
    private readonly settings: Config,
  ) {}

  /** Makes one attempt, limited to 15 seconds. */
  async send({ id, to, subject, text }: PlainMail, signal: AbortSignal): Promise<SendOutcome> {
    const { smtpUrl, smtpFrom } = this.settings;
    const account = smtpUrl === null ? null : serverAccount(smtpUrl);
    const from = account && parseSender(smtpFrom ?? account.username ?? '');
    if (!account || !from)
      return { result: 'rejected', status: null, error: 'no SMTP_URL with a sender is configured', gone: false };
    const mail = {
      from,
      to: [to],
      cc: [],
      subject,
      text,
      html: `<!doctype html>\n<html><body><p>${html(text.trim()).replaceAll('\n\n', '</p><p>').replaceAll('\n', '<br>')}</p></body></html>\n`,
      messageId: `<${id}@${mailDomain(from.address)}>`,
      references: [],
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    };
    const hidden = [account.username, account.password].filter((one) => one !== null);
    return this.smtp.send(mail, account, { egress: OPERATORS_EGRESS, signal, hidden });
  }
}
