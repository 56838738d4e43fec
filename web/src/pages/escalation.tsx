import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { all } from '../api/client';
import type { Alert, Contact } from '../api/types';
import { AlertsHead } from '../components/alert/alerts-head';
import { AlertName, contactName } from '../components/alert/alert-name';
import { endpointOptions } from '../components/alert/target-filter';
import { EndpointName } from '../components/endpoint-name';
import { Chooser } from '../components/form/chooser';
import { Form } from '../components/form/form';
import { Icon } from '../components/icons';
import { Button, Data, Section, Skeleton } from '../components/layout';
import { inOrder } from '../logic/alert-draft';
import { channelName } from '../logic/channel-name';
import {
  arranged,
  isDone,
  type Escalation,
  escalationOf,
  escalationPlan,
  type EscalationPlan,
  type EscalationTarget,
  escalationTarget,
  escalationText,
  planLines,
  planText,
  secondsOf,
  type Step,
  unlikeText,
  whenText,
  withStep,
} from '../logic/escalation';
import { count, time } from '../logic/format';
import { tagsOf } from '../logic/overview-order';
import { now } from '../state/clock';
import { useContacts } from '../state/contacts';
import { useDraft } from '../state/drafts';
import { carryOut } from '../state/escalation';
import { useLoad } from '../state/load';
import { items, refreshWebsites, websites } from '../state/overview-store';
import { address, go, route } from '../state/router';
import { may } from '../state/session';
import { showToast } from '../state/toast';
import '../styles/escalation.css';

/**
 * Edits the escalation for an endpoint, a website, or all endpoints with a tag. `of` is an ID, or `''` for the tag in
 * the query.
 */
export function EscalationPage({ of }: { of: string }) {
  const tag = route.value.query.get('tag');
  useEffect(() => void refreshWebsites(), []);
  const options = targets();
  const isKnown = items.value !== null && websites.value !== null;
  const target = isKnown ? escalationTarget(of, tag, items.value ?? [], websites.value ?? []) : null;
  return (
    <>
      <AlertsHead current="escalation" />
      <div class="escalation-of">
        <Chooser
          isFilter
          label="Escalation of"
          placeholder="Choose an endpoint, a website, or a tag"
          value={of === '' && tag !== null ? `tag:${tag}` : of}
          set={(value) => go(pathOf(value))}
          options={options}
        />
      </div>
      {!isKnown && <Skeleton />}
      {isKnown && target === null && (
        <div class="empty">
          <p>
            An escalation notifies contacts in steps: for example, the chat at once and the manager after half an hour
            if no one has acknowledged.
          </p>
          <p>Choose an endpoint, a website with all its endpoints, or everything that has a tag.</p>
        </div>
      )}
      {target && <OfTarget key={address.value} target={target} of={of} />}
    </>
  );
}

const TAG = 'tag:';

const pathOf = (value: string): string =>
  value.startsWith(TAG) ? `/escalation?tag=${encodeURIComponent(value.slice(TAG.length))}` : `/escalation/${value}`;

function targets(): (readonly [value: string, title: string])[] {
  const endpoints = endpointOptions();
  return [
    ...tagsOf(items.value ?? [], websites.value ?? []).map(
      ([tag, n]) => [`${TAG}${tag}`, `${tag} (tag, ${n})`] as const,
    ),
    ...(websites.value ?? []).map(({ id, name }) => [id, `${name} (website)`] as const),
    ...endpoints,
  ];
}

function OfTarget({ target, of }: { target: EscalationTarget; of: string }) {
  const ids = new Set(target.endpointIds);
  const alerts = useLoad(target.path, async (signal) =>
    (await all<Alert>(target.path, signal)).filter(({ endpoint_id }) => ids.has(endpoint_id)),
  );
  const contacts = useContacts();
  if (ids.size === 0) return <p class="empty">{target.name} has no endpoints yet.</p>;
  return (
    <Data of={contacts}>
      {(known) => (
        <Data of={alerts}>
          {(list) => (
            <>
              {known.length === 0 && (
                <p class="notice warn">
                  There is no contact to notify. <a href="#/contacts/new">Create the first one</a>, then come back.
                </p>
              )}
              <Editor target={target} alerts={list} contacts={inOrder(known)} reload={alerts.reload} />
              <Own alerts={list.filter(({ contact_id }) => contact_id === null)} of={of} />
            </>
          )}
        </Data>
      )}
    </Data>
  );
}

interface EditorProps {
  target: EscalationTarget;
  alerts: readonly Alert[];
  contacts: readonly Contact[];
  reload: () => void;
}

function Editor({ target, alerts, contacts, reload }: EditorProps) {
  const { name, endpointIds } = target;
  const { escalation, saved } = useDraft(`an unsaved escalation of ${name}`, () => ({
    escalation: signal(escalationOf(alerts)),
  }));
  const steps = escalation.value;
  const set = (next: Escalation) => (escalation.value = next);
  const plan = escalationPlan(steps, alerts, endpointIds);
  const others = unlikeText(alerts, endpointIds);
  const nameOf = (id: string) => contactName(id, contacts);
  const said = escalationText(steps, nameOf);
  const save = async () => {
    if (steps.some((step) => secondsOf(step) === null)) throw new Error('Enter the minutes of each step, up to 1,440.');
    set(arranged(steps));
    try {
      await carryOut(plan);
      saved();
      showToast(`The escalation of ${name} is saved.`);
    } finally {
      reload();
    }
  };
  return (
    <Form save={save} action="Save">
      {() => (
        <>
          <p class="escalation-said">
            <strong>{name}</strong>
            {endpointIds.length > 1 && ` (${count(endpointIds.length, 'endpoint')})`}{' '}
            {said !== ''
              ? `notifies ${said}.`
              : alerts.some(({ contact_id }) => contact_id === null)
                ? 'notifies no contact when it is down. Alert rules without a contact are listed below.'
                : 'notifies no one when it is down.'}
          </p>
          {others && <p class="escalation-unlike muted">{others} Saving makes them all the same.</p>}
          <ol class="escalation" aria-label={`Escalation of ${name}`}>
            {steps.map((step, index) => (
              <StepCard key={step.id} step={step} isFirst={index === 0} {...{ steps, set, alerts, contacts }} />
            ))}
          </ol>
          <aside class="escalation-plan" aria-label="Effect of saving">
            <p role="status">{planSentence(plan)}</p>
            <ul>
              {planLines(plan, nameOf).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
            <p class="muted small">
              Acknowledging stops the later steps. Contacts that were notified also get the recovery message. Failure
              thresholds and reminders come from the defaults of each contact. Changes to single alert rules are kept.
            </p>
          </aside>
        </>
      )}
    </Form>
  );
}

function planSentence(plan: EscalationPlan): string {
  if (isDone(plan)) return 'No changes. The alert rules already match.';
  const open = plan.removes.filter(({ triggered }) => triggered).length;
  const over =
    open === 0
      ? ''
      : ` ${count(open, 'removed alert rule is triggered and sends', 'removed alert rules are triggered and send')} the recovery message.`;
  return `Saving ${planText(plan)}.${over}`;
}

interface StepProps {
  step: Step;
  isFirst: boolean;
  steps: Escalation;
  set: (escalation: Escalation) => void;
  alerts: readonly Alert[];
  contacts: readonly Contact[];
}

function StepCard({ step, isFirst, steps, set, alerts, contacts }: StepProps) {
  const { id } = step;
  const seconds = secondsOf(step);
  const when = seconds === null ? 'at this step' : whenText(seconds);
  const tell = (told: readonly string[]) => set(arranged(withStep(steps, id, { contacts: told })));
  return (
    <li class={step.contacts.length === 0 ? 'open' : undefined}>
      <div role="group" aria-label={when}>
        <div class="when">
          {isFirst ? <h2>At once</h2> : <Minutes step={step} steps={steps} set={set} />}
          {!isFirst && step.contacts.length > 0 && may.write() && (
            <Button class="plain" label={`Remove the step ${when}`} onClick={() => tell([])}>
              Remove
            </Button>
          )}
        </div>
        {isFirst && step.contacts.length === 0 && <p class="muted small">No one yet.</p>}
        <ul>
          {step.contacts.map((contact) => (
            <li key={contact}>
              <Told id={contact} contacts={contacts} isOff={isOff(alerts, contact, seconds)} />
              {may.write() && (
                <Button
                  class="plain"
                  label={`Remove ${contactName(contact, contacts)} ${when}`}
                  onClick={() => tell(step.contacts.filter((each) => each !== contact))}
                >
                  <Icon name="close" size={14} />
                </Button>
              )}
            </li>
          ))}
        </ul>
        {may.write() && (
          <Add
            when={when}
            contacts={contacts.filter((each) => !step.contacts.includes(each.id))}
            add={(contact) => tell([...step.contacts, contact])}
          />
        )}
      </div>
    </li>
  );
}

/** Whether all of the contact's alert rules at this step are turned off. */
function isOff(alerts: readonly Alert[], contact: string, seconds: number | null): boolean {
  const there = alerts.filter(({ contact_id, after }) => contact_id === contact && after === seconds);
  return there.length > 0 && there.every(({ enabled }) => !enabled);
}

function Told({ id, contacts, isOff: off }: { id: string; contacts: readonly Contact[]; isOff: boolean }) {
  const contact = contacts.find((each) => each.id === id);
  return (
    <span>
      <a href={`#/contacts/${id}`}>{contactName(id, contacts)}</a>{' '}
      {contact && <span class="muted small">{channelName(contact.type)}</span>} {off && <span class="chip">Off</span>}
      {contact?.failing_since && (
        <span class="small reason"> failing since {time(contact.failing_since, now.value)}</span>
      )}
    </span>
  );
}

/** A field for a step's minutes. They also define the order of the steps, so there is no other way to move one. */
function Minutes({ step, steps, set }: Pick<StepProps, 'step' | 'steps' | 'set'>) {
  const isWrong = secondsOf(step) === null;
  return (
    <h2>
      <label>
        After{' '}
        <input
          type="number"
          min={0}
          max={1440}
          step="any"
          aria-label="Minutes"
          aria-invalid={isWrong ? true : undefined}
          disabled={!may.write()}
          value={step.minutes}
          onInput={(event) => set(withStep(steps, step.id, { minutes: event.currentTarget.value }))}
          onBlur={({ currentTarget, relatedTarget }) => {
            // A click inside the same step must not move its target away. The step is sorted after the click.
            const isInside = relatedTarget instanceof Node && currentTarget.closest('li')?.contains(relatedTarget);
            if (!isInside) set(arranged(steps));
          }}
        />{' '}
        min
      </label>
      <span class="muted small"> if no one has acknowledged</span>
    </h2>
  );
}

/** Up to this many contacts are shown as buttons. If there are more, there is a search box. */
const MOST_BUTTONS = 8;

function Add({ when, contacts, add }: { when: string; contacts: readonly Contact[]; add: (id: string) => void }) {
  if (contacts.length > MOST_BUTTONS)
    return (
      <Chooser
        isFilter
        label={`Notify ${when}`}
        placeholder="Add a contact"
        value=""
        set={(id) => id !== '' && add(id)}
        options={contacts.map(({ id, name, type }) => [id, `${name} · ${channelName(type)}`] as const)}
      />
    );
  return (
    <div class="add">
      {contacts.map(({ id, name }) => (
        <Button key={id} label={`Notify ${name} ${when}`} onClick={() => add(id)}>
          <Icon name="plus" size={14} /> {name}
        </Button>
      ))}
    </div>
  );
}

/** The maximum number of unchanged alert rules to show. */
const MOST_OWN = 10;

function Own({ alerts, of }: { alerts: readonly Alert[]; of: string }) {
  if (alerts.length === 0) return null;
  return (
    <Section title="Without a contact">
      <p class="muted small">
        {count(alerts.length, 'alert rule')} with settings that are not from a contact. The escalation does not change
        them.
      </p>
      <ul class="feed">
        {alerts.slice(0, MOST_OWN).map((alert) => (
          <li key={alert.id}>
            <div>
              <AlertName alert={alert} contacts={undefined} />
            </div>
            <span>
              {whenText(alert.after)} · <EndpointName id={alert.endpoint_id} />
            </span>
          </li>
        ))}
      </ul>
      {alerts.length > MOST_OWN && (
        <p class="below">
          <a href={`#/alerts?contact=none&of=${of}`}>Show all</a>
        </p>
      )}
    </Section>
  );
}
