import { all } from '../api/client';
import type { Alert, Endpoint } from '../api/types';
import { AlertName } from '../components/alert/alert-name';
import { Empty } from '../components/empty';
import { EndpointName } from '../components/endpoint-name';
import { Button, Data, Head, Table } from '../components/layout';
import { isPager } from '../logic/alert-rule';
import { WARN_DAYS } from '../logic/endpoint-defaults';
import { inOrderOfEnd, nextTold } from '../logic/expiry';
import { count, day } from '../logic/format';
import { now } from '../state/clock';
import { useContacts } from '../state/contacts';
import { warnOfCertificate } from '../state/endpoint-actions';
import { useLoad } from '../state/load';
import { items, refresh } from '../state/overview-store';
import { may } from '../state/session';

/** How many days ahead the page shows. A full-length bar represents this many days. */
const DAYS = 90;

/** Lists certificates that expire within 90 days: when, who is notified, and when that happens next. */
export function CertificatesPage() {
  const endpoints = useLoad('certificates', async (signal) => {
    const found = await all<Endpoint>(`/api/v1/endpoints?certificate_within=${DAYS}`, signal);
    if (items.value === null) await refresh();
    return found;
  });
  const alerts = useLoad('certificates/alerts', (signal) => all<Alert>('/api/v1/alerts', signal));
  const contacts = useContacts();
  return (
    <>
      <Head title="Expiring certificates" />
      <Data of={endpoints}>
        {(found) => {
          const ending = inOrderOfEnd(found, items.value ?? [], now.value);
          if (ending.length === 0)
            return (
              <Empty drawing="certificate">
                <p>No certificate that a check has seen expires within {DAYS} days.</p>
              </Empty>
            );
          return (
            <Table
              label="Certificates by expiry"
              head={['Endpoint', 'Expires', 'Next warning', 'Recipients']}
              rows={ending.map(({ endpoint, expiresAt, days }) => [
                <a href={`#/endpoints/${endpoint.id}`}>
                  <EndpointName id={endpoint.id} />
                </a>,
                <EndBar days={days} expiresAt={expiresAt} />,
                endpoint.tls?.warn_days === null && may.write() ? (
                  <Button onClick={() => void warnOfCertificate(endpoint).then(endpoints.reload)}>
                    Warn {WARN_DAYS} days before expiry
                  </Button>
                ) : (
                  nextTold(endpoint, days, toldOf(endpoint.id, alerts.data.value)?.length !== 0)
                ),
                <Told told={toldOf(endpoint.id, alerts.data.value)} contacts={contacts.data.value} />,
              ])}
            />
          );
        }}
      </Data>
    </>
  );
}

const EndBar = ({ days, expiresAt }: { days: number; expiresAt: string }) => (
  <>
    <strong class="num">{days < 0 ? 'Expired' : count(days, 'day')}</strong>{' '}
    <span class="muted small">{day(expiresAt)}</span>
    <meter min={0} low={7} high={21} optimum={DAYS} max={DAYS} value={Math.max(0, days)}>
      {count(Math.max(0, days), 'day')} of {DAYS}
    </meter>
  </>
);

/** Returns the alert rules that notify contacts about an endpoint, after they are loaded. */
const toldOf = (endpointId: string, alerts: readonly Alert[] | undefined): readonly Alert[] | undefined =>
  alerts?.filter((each) => each.endpoint_id === endpointId && each.enabled && !isPager(each.type));

interface ToldProps {
  told: readonly Alert[] | undefined;
  contacts: Parameters<typeof AlertName>[0]['contacts'];
}

function Told({ told, contacts }: ToldProps) {
  if (!told) return null;
  if (told.length === 0) return <span class="muted">No one: it has no email, chat, or SMS alert rule</span>;
  return (
    <>
      {told.map((alert) => (
        <AlertName key={alert.id} alert={alert} contacts={contacts} />
      ))}
    </>
  );
}
