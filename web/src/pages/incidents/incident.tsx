import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { all, get, put } from '../../api/client';
import type { IncidentDetails, IncidentMember, IncidentTimeline } from '../../api/types';
import { AcknowledgeDialog, AcknowledgedBanner } from '../../components/acknowledge';
import { Dialog } from '../../components/dialog';
import { Text } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { PublicMark, SaidPill } from '../../components/incident/incident-pill';
import { Button, Data, Head, Section } from '../../components/layout';
import { Shape } from '../../components/status';
import { time } from '../../logic/format';
import { againText, causeText, downText, reopenedText, stateText, titleOf } from '../../logic/incident';
import { nextText, notifiedOf, reasonsOf } from '../../logic/incident-timeline';
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
  const timeline = useLoad(`${path}/timeline`, (signal) => get<IncidentTimeline>(`${path}/timeline`, signal));
  const reload = () => {
    incident.reload();
    timeline.reload();
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
          timeline={timeline.data.value ?? NO_TIMELINE}
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
  timeline: IncidentTimeline;
  more: () => void;
  reload: () => void;
}

/** While the timeline is loading. */
const NO_TIMELINE: IncidentTimeline = { items: [], planned: [], more: false };

function Incident({ of, members, timeline, more, reload }: Props) {
  const asked = useSignal<'acknowledge' | 'rename' | null>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const isOpen = of.state === 'open';
  const mayTake = may.respond() && isOpen && of.kind === 'detected' && !of.acknowledgement;
  const mayComment = may.respond() && of.state !== 'merged';
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
          mayComment && (
            <>
              {mayTake && (
                <Button class="primary" onClick={take}>
                  Acknowledge
                </Button>
              )}
              {may.write() && <Button onClick={() => (asked.value = 'rename')}>Rename</Button>}
              {may.write() && of.kind === 'manual' && (
                <Button class="danger" onClick={destroy}>
                  Delete
                </Button>
              )}
            </>
          )
        }
      >
        <Sentence of={of} members={members} timeline={timeline} />
      </Head>
      {of.acknowledgement && <AcknowledgedBanner path={path} of={of.acknowledgement} onChange={reload} />}
      {of.merged_into !== null && (
        <p class="notice">
          Its endpoints are part of <a href={`#/incidents/${of.merged_into}`}>another incident</a>.
        </p>
      )}
      <div class="incident-columns">
        <div>
          {mayComment && <WriteUpdate key={String(isToCustomers)} of={of} reload={reload} area={area} />}
          <Timeline of={of} timeline={timeline} reload={reload} />
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
        </div>
      </div>
      {asked.value === 'acknowledge' && (
        <AcknowledgeDialog path={path} name={`incident #${of.number}`} onClose={close} />
      )}
      {asked.value === 'rename' && <Rename of={of} close={close} />}
    </>
  );
}

interface SentenceProps {
  of: IncidentDetails;
  members: readonly IncidentMember[];
  timeline: IncidentTimeline;
}

/**
 * Answers what happened, since when, why, who was notified, and who is next. The state and duration are in large type.
 */
function Sentence({ of, members, timeline }: SentenceProps) {
  const tone = of.state === 'open' ? (of.severity ?? 'unknown') : of.state === 'merged' ? 'paused' : 'up';
  const facts = [
    `#${of.number}`,
    `since ${time(of.started_at, now.value)}`,
    downText(of),
    causeText(of),
    againText(of, now.value) || reopenedText(of),
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
      <Why members={members} />
      <Told timeline={timeline} />
    </>
  );
}

/** Shows the reason of the endpoints that are failing. If they have different reasons, the list below shows them. */
function Why({ members }: { members: readonly IncidentMember[] }) {
  const failing = members.filter(({ ended_at }) => ended_at === null);
  const reasons = reasonsOf(
    failing.map(({ endpoint_name: name, outages, error }) => ({ name, error: outages[0]?.error ?? error })),
  );
  const [first] = reasons;
  if (!first?.message) return null;
  return (
    <p class="incident-why">{reasons.length === 1 ? first.message : 'The endpoints fail for different reasons.'}</p>
  );
}

/** Shows who was notified, and who is next. */
function Told({ timeline: { items, planned } }: { timeline: IncidentTimeline }) {
  const notified = notifiedOf(items);
  const next = nextText(planned);
  return (
    <>
      {notified.length > 0 && (
        <p class="incident-told">
          Notified:{' '}
          {notified.map(({ name, isReached }, index) => (
            <span key={name} class={isReached === false ? 'failed' : ''}>
              {index > 0 && ' · '}
              {name} {isReached === null ? '(waiting)' : isReached ? '✓' : '(not reached)'}
            </span>
          ))}
        </p>
      )}
      {next !== '' && <p class="incident-next">Next: {next}</p>}
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
