import type { Notification } from '../notification';
import { endsIn } from '../../platform/text/ends-in';
import { oneLine } from '../../platform/text/text-limits';
import type { MessageKind, NotificationFact } from './message-kind';
import { recoveryText, timeText } from './wording';

/** A certificate that is still valid for days can wait for the next reader, so no one is mentioned. */
export const EXPIRY: MessageKind = {
  about: 'certificate',
  paging: 'trigger',
  countsAs: 'certificate',
  tone: () => 'neutral',
  title: (_notification, name) => `The certificate of ${name} expires`,
  sentence: ({ certificate }, name) =>
    `The certificate of ${name} ${certificate ? endsIn(certificate.daysLeft, certificate.expiresAt) : 'expires soon'}`,
  inDigest: (notification) => {
    const { certificate } = notification;
    return certificate ? endsIn(certificate.daysLeft, certificate.expiresAt) : recoveryText(notification);
  },
  facts: certificateFacts,
};

function certificateFacts({ certificate }: Notification): NotificationFact[] {
  return certificate
    ? [
        { label: 'Certificate', value: oneLine(certificate.subject ?? '') },
        { label: 'Issued by', value: oneLine(certificate.issuer ?? '') },
        { label: 'Expires', value: timeText(certificate.expiresAt) },
      ]
    : [];
}
