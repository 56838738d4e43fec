import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { get, post, put, remove } from '../api/client';
import { loadDocument } from '../api/document';
import type { Alert, Delivery, DeliveryTest } from '../api/types';
import { AlertState, thresholdsOf } from '../components/alert/alert-state';
import { DeliveryState, SendAgain } from '../components/alert/delivery-state';
import { EventFeed } from '../components/alert/event-feed';
import { endpointOptions } from '../components/alert/target-filter';
import { CopyButton } from '../components/copy';
import { confirmed } from '../components/dialog';
import { EndpointName } from '../components/endpoint-name';
import { ApiCall } from '../components/form/api-call';
import { Chooser } from '../components/form/chooser';
import { Check, Choice, Text } from '../components/form/field';
import { Form } from '../components/form/form';
import { SchemaFields } from '../components/form/schema-fields';
import { Button, Data, Facts, Head, Section, Table } from '../components/layout';
import { channelName } from '../logic/channel-name';
import { type ConfigSchemas, configSchemas, filled } from '../logic/config-schema';
import { count, time } from '../logic/format';
import { now } from '../state/clock';
import { listen } from '../state/live';
import { patch, useEvery, useLoad, usePages } from '../state/load';
import { go, route } from '../state/router';
import { may } from '../state/session';
import { runAction, showToast } from '../state/toast';

/** Secrets that the server generated; only the response that created the alert holds them. */
const generated = signal<{ alertId: string; text: string } | null>(null);

const FRESH: Omit<Alert, 'id' | 'triggered' | 'destination' | 'last_delivery' | 'created_at' | 'updated_at'> = {
  endpoint_id: '',
  type: 'webhook',
  enabled: true,
  config: {},
  condition: 'down',
  failure_threshold: 3,
  success_threshold: 2,
  send_on_resolved: true,
  description: '',
};

/** One alert rule: its form, its deliveries and its events. */
export function AlertPage({ id }: { id: string | null }) {
  const path = `/api/v1/alerts/${id}`;
  const loaded = useLoad(path, (abort) =>
    Promise.all([id === null ? null : get<Alert>(path, abort), loadDocument().then(configSchemas)]),
  );
  const version = useSignal(0);
  useEffect(
    () => () => {
      if (generated.peek()?.alertId === id) generated.value = null;
    },
    [id],
  );
  useEffect(() => listen({ alert: (event) => event.alert_id === id && loaded.reload() }), [id]);
  const sendTest = () =>
    runAction(async () => {
      const delivery = await post<Delivery>(`${path}/test`);
      version.value++;
      if (delivery.state === 'delivered') showToast('The test message was delivered.');
      else showToast(`The test message was not delivered: ${delivery.error ?? delivery.state}`, 'bad');
    });
  const destroy = async () => {
    if (!(await confirmed('Delete this alert', 'An open incident is resolved first. Past events stay.'))) return;
    if (await runAction(() => remove(path), 'The alert is deleted.')) go('/alerts');
  };
  return (
    <Data of={loaded}>
      {([alert, schemas]) => (
        <>
          <Head
            parent={['#/alerts', 'Alerts']}
            title={alert ? `${channelName(alert.type)} alert` : 'New alert'}
            actions={
              alert &&
              may.write() && (
                <>
                  <Button class="primary" onClick={sendTest}>
                    Send a test
                  </Button>
                  <Button class="danger" onClick={destroy}>
                    Delete
                  </Button>
                </>
              )
            }
          >
            {alert && (
              <p>
                <AlertState alert={alert} /> for{' '}
                <a href={`#/endpoints/${alert.endpoint_id}`}>
                  <EndpointName id={alert.endpoint_id} />
                </a>
                {alert.destination !== null && ` · notifies ${alert.destination}`}
              </p>
            )}
          </Head>
          {generated.value && generated.value.alertId === id && (
            <div class="notice good" role="status">
              <p>Made for this alert and shown this one time:</p>
              <pre tabIndex={0}>{generated.value.text}</pre>
              <CopyButton text={generated.value.text} label="Copy" />
            </div>
          )}
          {may.write() ? (
            <AlertForm
              id={id}
              start={alert ?? { ...FRESH, endpoint_id: route.value.query.get('endpoint_id') ?? '' }}
              schemas={schemas}
            />
          ) : (
            <Facts
              of={[
                ['Rule', alert ? thresholdsOf(alert) : 'This key may only read.'],
                ['Description', alert?.description],
                ...Object.entries(alert?.config ?? {}).map(([key, value]) => [key, JSON.stringify(value)] as const),
              ]}
            />
          )}
          {alert && (
            <>
              <Section title="Deliveries">
                <Deliveries alertId={alert.id} version={version.value} />
              </Section>
              <Section title="Events">
                <EventFeed parameters={{ alert_id: alert.id }} />
              </Section>
            </>
          )}
        </>
      )}
    </Data>
  );
}

type Draft = Omit<typeof FRESH, 'failure_threshold' | 'success_threshold'> & {
  failure_threshold: number | string;
  success_threshold: number | string;
};

function AlertForm({ id, start, schemas }: { id: string | null; start: typeof FRESH; schemas: ConfigSchemas }) {
  const draft = useSignal<Draft>(start);
  const verdict = useSignal<DeliveryTest | null>(null);
  const change = patch(draft);
  const set = (changes: Partial<Draft>) => {
    verdict.value = null;
    change(changes);
  };
  const { value } = draft;
  const body = {
    endpoint_id: value.endpoint_id,
    type: value.type,
    config: filled(value.config),
    failure_threshold: Number(value.failure_threshold),
    success_threshold: Number(value.success_threshold),
    condition: value.condition,
    send_on_resolved: value.send_on_resolved,
    description: value.description,
    enabled: value.enabled,
  };
  const test = async () => {
    verdict.value = null;
    verdict.value = await post<DeliveryTest>('/api/v1/alerts/test', body);
  };
  const path = id === null ? '/api/v1/alerts' : `/api/v1/alerts/${id}`;
  const save = async () => {
    if (id !== null) {
      set({ config: (await put<Alert>(path, body)).config });
      showToast('The alert is saved.');
      return;
    }
    const made = await post<Alert>(path, body);
    const secrets = Object.entries(made.config).filter(
      ([key, text]) =>
        typeof text === 'string' &&
        !(key in body.config) &&
        /secret|token|password/.test(key) &&
        !text.startsWith('***'),
    );
    if (secrets.length > 0)
      generated.value = { alertId: made.id, text: secrets.map(([, text]) => String(text)).join('\n') };
    showToast('The alert watches from now on.');
    go(`/alerts/${made.id}`);
  };
  const threshold = (key: 'failure_threshold' | 'success_threshold', label: string, error: string | undefined) => (
    <Text
      label={label}
      type="number"
      min={1}
      max={100}
      error={error}
      value={String(value[key])}
      set={(text) => set({ [key]: text })}
    />
  );
  return (
    <div class="columns forms">
      <div>
        <Form
          save={save}
          action={id === null ? 'Create' : 'Save'}
          more={(form) =>
            id === null && (
              <Button disabled={form.isBusy} onClick={() => form.run(test)}>
                Send a test
              </Button>
            )
          }
        >
          {(form) => (
            <>
              {id === null && (
                <Chooser
                  label="Endpoint"
                  placeholder="Choose an endpoint"
                  error={form.problem('/endpoint_id')}
                  value={value.endpoint_id}
                  set={(endpoint_id) => set({ endpoint_id })}
                  options={endpointOptions()}
                />
              )}
              <Choice
                label="Channel"
                error={form.problem('/type')}
                value={value.type}
                set={(type) => {
                  form.clear();
                  set({ type: type as Alert['type'], config: type === start.type ? start.config : {} });
                }}
                options={Object.keys(schemas).map((type) => [type, channelName(type)] as const)}
              />
              <SchemaFields
                key={value.type}
                schema={schemas[value.type] ?? {}}
                value={value.config}
                pointer="/config"
                form={form}
                set={(config) => set({ config })}
              />
              <Choice
                label="Notifies when it is"
                hint={
                  value.condition === 'degraded' ? 'Degraded: up, but a condition that is a warning fails.' : undefined
                }
                error={form.problem('/condition')}
                value={value.condition}
                set={(condition) => set({ condition: condition as Alert['condition'] })}
                options={[
                  ['down', 'down'],
                  ['degraded', 'down or degraded'],
                ]}
              />
              <div class="form-row">
                {threshold('failure_threshold', 'Triggers after failures in a row', form.problem('/failure_threshold'))}
                {threshold(
                  'success_threshold',
                  'Resolves after successes in a row',
                  form.problem('/success_threshold'),
                )}
              </div>
              <Text
                label="Description (optional)"
                hint="Part of every notification: a runbook link, for example."
                error={form.problem('/description')}
                value={value.description}
                set={(description) => set({ description })}
              />
              <Check
                label="Also notify when it is resolved"
                value={value.send_on_resolved}
                set={(send_on_resolved) => set({ send_on_resolved })}
              />
              <Check label="Enabled" value={value.enabled} set={(enabled) => set({ enabled })} />
            </>
          )}
        </Form>
        <div role="status">
          {verdict.value && (
            <p class={`notice ${verdict.value.state === 'delivered' ? 'good' : 'bad'}`}>
              {verdict.value.state === 'delivered'
                ? `The test message was delivered. ${verdict.value.error ?? ''}`
                : `The test message was not delivered: ${verdict.value.error}`}
            </p>
          )}
        </div>
      </div>
      <ApiCall method={id === null ? 'POST' : 'PUT'} path={path} body={body} />
    </div>
  );
}

function Deliveries({ alertId, version }: { alertId: string; version: number }) {
  const again = useSignal(0);
  const reload = () => {
    again.value++;
  };
  const deliveries = usePages<Delivery>(`/api/v1/alerts/${alertId}/deliveries?limit=20`, `${version}/${again.value}`);
  useEvery(5, reload);
  useEffect(() => listen({ alert: reload }), []);
  const list = deliveries.items.value ?? [];
  if (list.length === 0) return <p class="muted">Nothing was sent yet.</p>;
  return (
    <>
      <Table
        label="Deliveries"
        head={['State', 'Kind', 'Last attempt', 'Response', '']}
        rows={list.map((delivery) => [
          <DeliveryState of={delivery} />,
          delivery.kind,
          <>
            {delivery.last_attempt_at === null ? '–' : time(delivery.last_attempt_at, now.value)}
            <span class="muted small"> · {count(delivery.attempts, 'attempt')}</span>
          </>,
          <>
            {delivery.error ?? (delivery.response_status === null ? '–' : `accepted, ${delivery.response_status}`)}
            {delivery.state === 'pending' &&
              delivery.next_attempt_at !== null &&
              ` · next try ${time(delivery.next_attempt_at, now.value)}`}
          </>,
          may.write() && delivery.state !== 'pending' && delivery.kind !== 'test' && (
            <SendAgain id={delivery.id} then={reload} />
          ),
        ])}
      />
      {deliveries.older && <Button onClick={deliveries.older}>Older deliveries</Button>}
    </>
  );
}
