import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { put, remove } from '../../api/client';
import type {
  IncidentDetails,
  IncidentTimeline,
  IncidentUpdate,
  PlannedNotification,
  TimelineDelivery,
  TimelineEndpoint,
} from '../../api/types';
import { confirmed, Dialog } from '../../components/dialog';
import { Field } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Icon, type IconName } from '../../components/icons';
import { SaidPill } from '../../components/incident/incident-pill';
import { PlainText } from '../../components/incident/plain-text';
import { Button, Section } from '../../components/layout';
import { acknowledgedBy, acknowledgedHow } from '../../logic/acknowledged-text';
import { channelName } from '../../logic/channel-name';
import { count, time } from '../../logic/format';
import { lengthText, namesText, outageText } from '../../logic/incident';
import { afterText, becameText, type Entry, reasonsOf, receiverOf, timelineOf } from '../../logic/incident-timeline';
import { now } from '../../state/clock';
import { may } from '../../state/session';
import { runAction } from '../../state/toast';

/** The maximum number of names in an entry, and of different reasons. */
const NAMED = 4;
const REASONS = 4;

interface Props {
  of: IncidentDetails;
  timeline: IncidentTimeline;
  reload: () => void;
}

/** Shows planned messages, outages, and messages that were sent, newest first. */
export function Timeline({ of, timeline, reload }: Props) {
  return (
    <Section title="Timeline">
      <ol class="timeline">
        {timelineOf(of, timeline).map((entry, index) => (
          <Line key={`${entry.at} ${entry.kind} ${index}`} entry={entry} of={of} reload={reload} />
        ))}
      </ol>
      {timeline.more && <p class="muted small">Older outages and messages are not shown.</p>}
    </Section>
  );
}

function Line({ entry, of, reload }: { entry: Entry; of: IncidentDetails; reload: () => void }) {
  const when = <time dateTime={entry.at}>{time(entry.at, now.value)}</time>;
  const tone = of.severity ?? 'manual';
  const went = of.severity === 'degraded' ? 'became degraded' : 'went down';
  switch (entry.kind) {
    case 'said':
      return <Said update={entry.update} path={`/api/v1/incidents/${of.id}`} when={when} reload={reload} />;
    case 'acknowledged': {
      const { by, note, until } = entry.acknowledgement;
      return (
        <Event icon="check" tone="hand" when={when}>
          {entry.isNow ? 'Acknowledged' : 'Was acknowledged'} by <strong>{acknowledgedBy(by)}</strong>
          {acknowledgedHow(by)}
          {until !== null && ` until ${time(until, now.value)}`}
          {note !== '' && <PlainText>{note}</PlainText>}
        </Event>
      );
    }
    case 'planned':
      return (
        <Event icon="clock" tone="planned" when={when}>
          <span class="muted">Planned:</span> <Planned of={entry.planned} />
        </Event>
      );
    case 'told':
      return (
        <Event icon="mail" tone="told" when={when}>
          <Told of={entry.deliveries} />
        </Event>
      );
    case 'began':
    case 'joined':
      return (
        <Event icon={entry.kind === 'began' ? 'alert' : 'plus'} tone={tone} when={when}>
          <Reasons of={entry.endpoints} then={entry.kind === 'began' ? went : `${went} as well`} />
        </Event>
      );
    case 'again':
      return (
        <Event icon="alert" tone={tone} when={when}>
          <Reasons of={entry.endpoints} then={`${went} again`} />{' '}
          <span class="muted">{outageText(Math.max(...entry.endpoints.map(({ outage }) => outage)))}</span>
        </Event>
      );
    case 'left':
      return (
        <Event icon="check" tone="up" when={when}>
          <strong>{namesOf(entry.endpoints)}</strong> recovered <span class="muted">{afterText(entry.endpoints)}</span>
        </Event>
      );
    case 'opened':
      return (
        <Event icon="alert" tone={tone} when={when}>
          Started{of.created_by !== null && <>, opened by {of.created_by}</>}
        </Event>
      );
    case 'over':
      return (
        <Event icon="check" tone="up" when={when}>
          The incident ended after {lengthText(of, now.value)}
          {of.outage_count > 1 && ` in ${count(of.outage_count, 'outage')}`}
        </Event>
      );
  }
}

const namesOf = (endpoints: readonly { name: string }[]): string =>
  namesText([...new Set(endpoints.map(({ name }) => name))], NAMED);

/** Shows which endpoints went down, with the reason of each. If they have the same reason, it is shown once. */
function Reasons({ of, then }: { of: readonly TimelineEndpoint[]; then: string }) {
  const reasons = reasonsOf(of);
  const [first] = reasons;
  if (reasons.length < 2)
    return (
      <>
        <strong>{namesOf(of)}</strong> {then}
        {first?.message && <span class="reason small">{first.message}</span>}
      </>
    );
  return (
    <>
      <strong>{namesOf(of)}</strong> {then}
      {reasons.slice(0, REASONS).map(({ names, message }) => (
        <span class="reason small" key={message}>
          {namesText(names, 2)}: {message ?? 'no reason was recorded'}
        </span>
      ))}
      {reasons.length > REASONS && (
        <span class="reason small">and {count(reasons.length - REASONS, 'other reason')}</span>
      )}
    </>
  );
}

const SUBJECTS = {
  triggered: 'notified',
  resolved: 'notified of the recovery',
  reminder: 'reminded',
  acknowledged: 'notified of the acknowledgement',
} as const;

/** Shows who was notified, and what became of each message. */
function Told({ of }: { of: readonly TimelineDelivery[] }) {
  const kind = of[0]?.kind ?? 'triggered';
  return (
    <ul class="told">
      {of.map((delivery, index) => (
        <li key={index}>
          <strong>{receiverOf(delivery)}</strong>{' '}
          {delivery.state === 'delivered'
            ? SUBJECTS[kind]
            : kind === 'resolved'
              ? 'recovery'
              : kind === 'reminder'
                ? 'reminder'
                : ''}
          {delivery.contact !== null && ` by ${channelName(delivery.channel_type)}`}{' '}
          <span class={`became ${delivery.state}`}>{becameText(delivery)}</span>
        </li>
      ))}
    </ul>
  );
}

function Planned({ of }: { of: readonly PlannedNotification[] }) {
  const names = [...new Map(of.map((each) => [receiverOf(each), each])).values()];
  const isReminder = of[0]?.kind === 'reminder';
  return (
    <>
      <strong>{namesText(names.map(receiverOf), NAMED)}</strong> {names.length === 1 ? 'is' : 'are'}{' '}
      {isReminder ? 'reminded' : 'notified'}
      {names.length === 1 && names[0]?.contact && ` by ${channelName(names[0].channel_type)}`} unless acknowledged
    </>
  );
}

const Event = (props: { icon: IconName; tone: string; when: ComponentChildren; children: ComponentChildren }) => (
  <li class={props.tone}>
    <span class="dot">
      <Icon name={props.icon} size={14} />
    </span>
    <div>{props.children}</div>
    {props.when}
  </li>
);

interface SaidProps {
  update: IncidentUpdate;
  path: string;
  when: ComponentChildren;
  reload: () => void;
}

/** Shows an update. Users with write access can edit or delete it. */
function Said({ update, path, when, reload }: SaidProps) {
  const isEditing = useSignal(false);
  const own = `${path}/updates/${update.id}`;
  const destroy = async () => {
    const text = update.public
      ? 'It is removed from the status pages and the feed. The audit log keeps it.'
      : 'The audit log keeps it.';
    if (!(await confirmed('Remove the update', text))) return;
    if (await runAction(() => remove(own), 'The update is removed.')) reload();
  };
  return (
    <li class={`said-by${update.public ? ' seen' : ''}`}>
      <span class="dot">
        <Icon name={update.public ? 'globe' : 'chat'} size={14} />
      </span>
      <div class="card">
        <p class="head-line">
          <strong>{update.automatic ? 'Automatic' : (update.by ?? 'Someone')}</strong>
          {update.status && <SaidPill status={update.status} />}
          <span class="muted small">
            {update.public ? 'Customers see this' : 'Internal'}
            {update.edited_at !== null && ' · edited'}
          </span>
          {when}
        </p>
        {update.text !== '' && <PlainText>{update.text}</PlainText>}
        {may.respond() && !update.automatic && (
          <p class="own">
            <Button class="plain" onClick={() => (isEditing.value = true)}>
              Edit
            </Button>
            <Button class="plain" onClick={destroy}>
              Remove
            </Button>
          </p>
        )}
      </div>
      {isEditing.value && (
        <EditUpdate
          text={update.text}
          path={own}
          close={() => {
            isEditing.value = false;
            reload();
          }}
        />
      )}
    </li>
  );
}

function EditUpdate({ text, path, close }: { text: string; path: string; close: () => void }) {
  const typed = useSignal(text);
  const save = async () => {
    await put(path, { text: typed.value });
    close();
  };
  return (
    <Dialog title="Edit the update" onClose={close}>
      <Form save={save} action="Save" isOpen more={() => <Button onClick={close}>Cancel</Button>}>
        {({ problem }) => (
          <Field label="Text" error={problem('/text')}>
            {(control) => (
              <textarea
                {...control}
                rows={6}
                value={typed.value}
                onInput={(event) => (typed.value = event.currentTarget.value)}
              />
            )}
          </Field>
        )}
      </Form>
    </Dialog>
  );
}
