import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { all, get, put } from '../../api/client';
import type { IncidentDetails, IncidentMember } from '../../api/types';
import { AcknowledgeDialog, AcknowledgedBanner } from '../../components/acknowledge';
import { Dialog } from '../../components/dialog';
import { Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { PublicMark, SaidPill } from '../../components/incident/incident-pill';
import { Button, Data, Head, Section } from '../../components/layout';
import { Shape } from '../../components/status';
import { count, time } from '../../logic/format';
import { causeText, downText, stateText, titleOf } from '../../logic/incident';
import { scopeText } from '../../logic/maintenance';
import { now } from '../../state/clock';
import { deleteLater } from '../../state/deletion';
import { refreshIncidentsSoon } from '../../state/incidents';
import { useKeys } from '../../state/keyboard';
import { listen } from '../../state/live';
import { into, useEvery, useLoad, useReload, useSoon } from '../../state/load';
import { nameOf } from '../../state/overview-store';
import { go, route } from '../../state/router';
import { may } from '../../state/session';
import { Members } from './members';
import { Timeline } from './timeline';
import { WriteUpdate } from './write-update';
import '../../styles/incident.css';

/** How many endpoints to load per request, in addition to those that an incident includes. */
const MORE = 200;

/** The page for an incident: its state, timeline, and endpoints, and a form for updates. */
export function IncidentPage({ id }: { id: string }) {
  const path = `/api/v1/incidents/${id}`;
  const incident = useLoad(path, (signal) => get<IncidentDetails>(path, signal));
  const wanted = useSignal(0);
  const members = useLoad(`${path}/endpoints`, (signal) =>
    wanted.value > 0
      ? all<IncidentMember>(`${path}/endpoints?limit=${MORE}`, signal, wanted.value)
      : Promise.resolve(null),
  );
  useReload(members, [wanted.value]);
  const reload = () => {
    incident.reload();
    if (wanted.peek() > 0) members.reload();
    refreshIncidentsSoon();
  };
  const soon = useSoon(300, reload);
  useEffect(() => listen({ incident: (change) => change.id === id && soon(), ready: soon }), [id]);
  useEvery(30, reload);
  return (
    <Data of={incident}>
      {(data) => (
        <Incident
          of={data}
          members={members.data.value ?? data.endpoints}
          more={() => (wanted.value += MORE)}
          reload={reload}
        />
      )}
    </Data>
  );
}

interface Props {
  of: IncidentDetails;
  members: readonly IncidentMember[];
  more: () => void;
  reload: () => void;
}

function Incident({ of, members, more, reload }: Props) {
  const asked = useSignal<'acknowledge' | 'rename' | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const isOpen = of.state === 'open';
  const mayTake = may.write() && isOpen && of.kind === 'detected' && !of.acknowledgement;
  const mayWrite = may.write() && of.state !== 'merged';
  const take = () => {
    if (mayTake) asked.value = 'acknowledge';
  };
  const write = () => area.current?.focus();
  const close = () => {
    asked.value = null;
    reload();
  };
  useKeys({ a: take, u: write });
  const isToCustomers = route.value.query.has('public');
  useEffect(() => {
    if (isToCustomers) write();
  }, [isToCustomers]);
  const path = `incidents/${of.id}`;
  const destroy = () => {
    deleteLater(
      [{ path: `/api/v1/${path}`, name: titleOf(of) }],
      `Incident #${of.number} is deleted.`,
      refreshIncidentsSoon,
    );
    go('/incidents');
  };
  return (
    <>
      <Head
        parent={['#/incidents', 'Incidents']}
        title={titleOf(of)}
        actions={
          mayWrite && (
            <>
              {mayTake && (
                <Button class="primary" onClick={take}>
                  Acknowledge
                </Button>
              )}
              <Button onClick={() => (asked.value = 'rename')}>Rename</Button>
              {of.kind === 'manual' && (
                <Button class="danger" onClick={destroy}>
                  Delete
                </Button>
              )}
            </>
          )
        }
      >
        <Sentence of={of} />
      </Head>
      {of.acknowledgement && <AcknowledgedBanner path={path} of={of.acknowledgement} onChange={reload} />}
      {of.merged_into !== null && (
        <p class="notice">
          Its endpoints are part of <a href={`#/incidents/${of.merged_into}`}>another incident</a>.
        </p>
      )}
      <div class="incident-columns">
        <div>
          {mayWrite && <WriteUpdate key={String(isToCustomers)} of={of} reload={reload} area={area} />}
          <Timeline of={{ ...of, endpoints: [...members] }} reload={reload} />
        </div>
        <div>
          {of.scope ? (
            <Section title="Affected">
              <p>{scopeText(of.scope, nameOf)}</p>
              <p class="muted small">Created manually. It does not affect uptime and does not notify anyone.</p>
            </Section>
          ) : (
            <Members of={of} members={members} more={more} />
          )}
          {of.kind === 'detected' && (
            <p class="below">
              <a href={`#/alerts/events?incident=${of.id}`}>Notifications sent</a>
            </p>
          )}
        </div>
      </div>
      {asked.value === 'acknowledge' && (
        <AcknowledgeDialog path={path} name={`incident #${of.number}`} onClose={close} />
      )}
      {asked.value === 'rename' && <Rename of={of} close={close} />}
    </>
  );
}

/**
 * Shows the state and duration in large type. Below are the number of endpoints, the common cause, and who acknowledged
 * it.
 */
function Sentence({ of }: { of: IncidentDetails }) {
  const tone = of.state === 'open' ? (of.severity ?? 'unknown') : of.state === 'merged' ? 'paused' : 'up';
  const facts = [
    `#${of.number}`,
    `since ${time(of.started_at, now.value)}`,
    downText(of),
    causeText(of),
    of.reopen_count > 0 ? `reopened ${count(of.reopen_count, 'time')}` : '',
  ];
  return (
    <>
      <p class={`status state ${tone}`}>
        <Shape status={tone} size={24} />
        <span>{stateText(of, now.value)}</span>
      </p>
      <p class="incident-facts">
        {of.status && <SaidPill status={of.status} />}
        <PublicMark of={of} />
        <span class="muted">{facts.filter((fact) => fact !== '').join(' · ')}</span>
      </p>
    </>
  );
}

/** Edits the title. If it is empty, the automatic summary is shown. */
function Rename({ of, close }: { of: IncidentDetails; close: () => void }) {
  const title = useSignal(of.title ?? '');
  const save = async () => {
    await put(`/api/v1/incidents/${of.id}`, { title: title.value.trim() === '' ? null : title.value }, of);
    close();
  };
  return (
    <Dialog title={`Rename incident #${of.number}`} onClose={close}>
      <Form save={save} action="Save" more={() => <Button onClick={close}>Cancel</Button>}>
        {({ problem }) => (
          <Text
            label="Title"
            hint={
              of.kind === 'manual'
                ? 'Customers see it.'
                : 'Customers see it if the incident is public. If it is empty, they see the names of the endpoints.'
            }
            placeholder={of.summary ?? ''}
            error={problem('/title')}
            value={title.value}
            set={into(title)}
            autofocus
          />
        )}
      </Form>
    </Dialog>
  );
}
