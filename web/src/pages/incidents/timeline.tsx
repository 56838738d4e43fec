import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { put, remove } from '../../api/client';
import type { IncidentDetails, IncidentUpdate } from '../../api/types';
import { confirmed, Dialog } from '../../components/dialog';
import { Field } from '../../components/form/field';
import { Form } from '../../components/form/form';
import { Icon, type IconName } from '../../components/icons';
import { SaidPill } from '../../components/incident/incident-pill';
import { PlainText } from '../../components/incident/plain-text';
import { Button, Section } from '../../components/layout';
import { acknowledgedBy, acknowledgedHow } from '../../logic/acknowledged-text';
import { count, time } from '../../logic/format';
import { lengthText, namesText } from '../../logic/incident';
import { type Entry, timelineOf } from '../../logic/incident-timeline';
import { now } from '../../state/clock';
import { may } from '../../state/session';
import { runAction } from '../../state/toast';

/** The maximum number of names in an entry. */
const NAMED = 4;

/** Events and updates, newest first. */
export function Timeline({ of, reload }: { of: IncidentDetails; reload: () => void }) {
  return (
    <Section title="Timeline">
      <ol class="timeline">
        {timelineOf(of, of.endpoints, of.updates).map((entry) => (
          <Line key={`${entry.at} ${entry.kind}`} entry={entry} of={of} reload={reload} />
        ))}
      </ol>
      {of.endpoints.length < of.endpoint_count && (
        <p class="muted small">
          Based on the listed endpoints only. The incident has {count(of.endpoint_count, 'endpoint')}.
        </p>
      )}
    </Section>
  );
}

function Line({ entry, of, reload }: { entry: Entry; of: IncidentDetails; reload: () => void }) {
  const when = <time dateTime={entry.at}>{time(entry.at, now.value)}</time>;
  if (entry.kind === 'said')
    return <Said update={entry.update} path={`/api/v1/incidents/${of.id}`} when={when} reload={reload} />;
  if (entry.kind === 'acknowledged') {
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
  const names = namesText(
    entry.members.map(({ endpoint_name }) => endpoint_name),
    NAMED,
  );
  const many = entry.members.length > 1;
  const word = of.severity === 'degraded' ? 'degraded' : 'down';
  const [first] = entry.members;
  switch (entry.kind) {
    case 'began':
      return (
        <Event icon="alert" tone={of.severity ?? 'manual'} when={when}>
          {first ? (
            <>
              <strong>{names}</strong> {many ? 'went' : word === 'down' ? 'went' : 'became'} {word}
              {first.error && <span class="reason small">{first.error.message}</span>}
            </>
          ) : (
            <>Started{of.created_by !== null && <>, opened by {of.created_by}</>}</>
          )}
        </Event>
      );
    case 'joined':
      return (
        <Event icon="plus" tone={of.severity ?? 'down'} when={when}>
          <strong>{names}</strong> {many ? 'are' : 'is'} {word} as well
        </Event>
      );
    case 'left':
      return (
        <Event icon="check" tone="up" when={when}>
          <strong>{names}</strong> recovered
        </Event>
      );
    case 'over':
      return (
        <Event icon="check" tone="up" when={when}>
          {names !== '' && (
            <>
              <strong>{names}</strong> recovered.{' '}
            </>
          )}
          The incident ended after {lengthText(of, now.value)}
        </Event>
      );
  }
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
