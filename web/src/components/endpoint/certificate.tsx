import type { Check, Endpoint } from '../../api/types';
import { stepsOf } from '../../logic/expiry';
import { count, day, daysUntil } from '../../logic/format';
import { now } from '../../state/clock';
import { warnOfCertificate } from '../../state/endpoint-actions';
import { may } from '../../state/session';
import { Button, Facts, Section } from '../layout';

interface CertificateProps {
  endpoint: Endpoint;
  checks: readonly Check[];
  reload: () => void;
}

/** Shows the newest certificate seen by a check, and who is notified before it expires. */
export function CertificateCard({ endpoint, checks, reload }: CertificateProps) {
  const certificate = checks.find((check) => check.certificate !== null)?.certificate;
  if (!certificate) return null;
  const days = daysUntil(certificate.expires_at, now.value);
  return (
    <Section title="Certificate">
      <Facts
        of={[
          [
            'Valid until',
            <>
              {day(certificate.expires_at)}, <strong>{days < 0 ? 'expired' : `${count(days, 'day')} left`}</strong>
            </>,
          ],
          ...(certificate.authority ? [['Expires first', `The authority ${certificate.authority}`] as const] : []),
          ['Subject', certificate.subject],
          ['Issuer', certificate.issuer],
          ['Names', certificate.names.join(', ')],
          ['Warnings', <ExpirySteps endpoint={endpoint} reload={reload} />],
        ]}
      />
    </Section>
  );
}

/** Shows when contacts are notified about the expiry. If they aren't, a button turns notifications on. */
function ExpirySteps({ endpoint, reload }: Omit<CertificateProps, 'checks'>) {
  const { tls } = endpoint;
  if (tls && tls.warn_days !== null) {
    return (
      <>
        {stepsOf(endpoint).join(', ')} days before expiry, through its alert rules.{' '}
        <a href="#/certificates">All certificates expiring soon</a>
      </>
    );
  }
  if (!may.write()) return <>Not set</>;
  return <Button onClick={() => void warnOfCertificate(endpoint).then(reload)}>Warn 14 days before expiry</Button>;
}
