import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { all, ApiProblem, get, post, put, query } from '../api/client';
import { loadDocument } from '../api/document';
import { home } from '../api/home';
import type { Assertion, Endpoint, Header, Probe, UnrecordedCheck, Website } from '../api/types';
import { ContactChoice } from '../components/alert/contact-choice';
import { giveAlerts, type MissingAlert, MissingAlerts } from '../components/alert/missing-alerts';
import { endpointOptions } from '../components/alert/target-filter';
import { Verdict } from '../components/check/check-list';
import { Beside } from '../components/form/beside';
import { Many } from '../components/form/chooser';
import { Check as CheckField, Choice, Lines, Select, Text } from '../components/form/field';
import { Form, type FormState } from '../components/form/form';
import { EditableList, HeaderList } from '../components/form/header-list';
import { LocationFields } from '../components/form/location-fields';
import { HelpLink } from '../components/help-link';
import { ScheduleFields } from '../components/heartbeat/schedule-fields';
import { TypeSettings } from '../components/endpoint/type-settings';
import { Button, Data, Head } from '../components/layout';
import {
  changed,
  type ConfigValue,
  type EndpointChoices,
  endpointChoices,
  filled,
  withoutMasked,
} from '../logic/config-schema';
import { endpointDocument } from '../logic/document-preview';
import { firstAlertText } from '../logic/first-alert';
import { INTERVAL, TIMEOUT, WARN_DAYS } from '../logic/endpoint-defaults';
import { duration } from '../logic/format';
import { guessEndpoint, siteOf } from '../logic/endpoint-guess';
import { isHeartbeat } from '../logic/heartbeat';
import { helpForType } from '../logic/help-topic';
import { type HeartbeatDraft, heartbeatBody, heartbeatDraftOf, newHeartbeat } from '../logic/heartbeat-draft';
import { tagsIn } from '../logic/maintenance';
import { alertPlan, defaultContacts } from '../logic/new-alerts';
import { chosenOf, HERE, isLocal, possibleLocations } from '../logic/location';
import { isProbe, LOCAL, locationOf } from '../logic/probe';
import { OWN_ZONE } from '../logic/zoned-time';
import { addAddresses } from '../state/add-many';
import { useContacts } from '../state/contacts';
import { useDraft } from '../state/drafts';
import { into, patch, useLoad } from '../state/load';
import { refreshSoon, refreshWebsites } from '../state/overview-store';
import { go, route } from '../state/router';
import { may } from '../state/session';
import '../styles/form.css';

/** The form's values. Numbers are strings until they are sent. */
interface Draft {
  name: string;
  url: string;
  type: string;
  method: string;
  interval: string;
  timeout: string;
  headers: Header[];
  body: string;
  assertions: Assertion[];
  follow_redirects: boolean;
  tls: NonNullable<Endpoint['tls']>;
  /** The settings of the type. */
  settings: ConfigValue;
  /** The text as typed. */
  tags: string;
  depends_on: string[];
  /** In the order chosen by the user. */
  locations: string[];
  quorum: string;
  /** The settings for a heartbeat. The other settings don't apply to heartbeats. */
  heartbeat: HeartbeatDraft;
}

const EMPTY: Draft = {
  name: '',
  url: '',
  type: 'HTTPS',
  method: 'GET',
  interval: String(INTERVAL.default),
  timeout: String(TIMEOUT.default),
  headers: [],
  body: '',
  assertions: [],
  follow_redirects: true,
  tls: { verify: true, ca: null, server_name: null, warn_days: WARN_DAYS },
  settings: {},
  tags: '',
  depends_on: [],
  locations: [LOCAL],
  quorum: 'majority',
  heartbeat: newHeartbeat(OWN_ZONE),
};

/** The placeholder for values that a key isn't allowed to see. It also works in another endpoint's settings. */
const MASK = '********';

/** Replaces settings that don't apply to the endpoint's type with the defaults for a new endpoint. */
const withoutNulls = ({
  method,
  headers,
  assertions,
  follow_redirects,
  tls,
  settings,
  heartbeat,
  ...rest
}: Endpoint) => ({
  ...rest,
  settings: settings ?? {},
  heartbeat: heartbeat ? heartbeatDraftOf(heartbeat, OWN_ZONE) : EMPTY.heartbeat,
  method: method ?? EMPTY.method,
  headers: headers ?? [],
  assertions: assertions ?? [],
  follow_redirects: follow_redirects ?? true,
  tls: tls ?? EMPTY.tls,
});

const draftOf = (endpoint: Endpoint): Draft => ({
  ...withoutNulls(endpoint),
  interval: String(endpoint.interval ?? INTERVAL.default),
  timeout: String(endpoint.timeout ?? TIMEOUT.default),
  body: endpoint.body ?? '',
  tags: endpoint.tags.join(', '),
  depends_on: endpoint.depends_on,
  quorum: String(endpoint.quorum),
});

/** Returns the URL to send. A plain host is converted to a URL that the type accepts. */
function urlOf(draft: Draft): string {
  const guess = guessEndpoint(draft.url);
  return guess?.type === draft.type ? guess.url : draft.url.trim();
}

const hasTls = ({ tls: { verify, ca, server_name, warn_days } }: Draft) =>
  !verify || ca !== null || server_name !== null || warn_days !== WARN_DAYS;

/** Returns the request body. For a new endpoint, it omits the defaults, so that the command shown is short. */
function bodyOf(draft: Draft, isNew: boolean): Record<string, unknown> {
  const { method, body, assertions, follow_redirects, tls, depends_on, locations, quorum } = draft;
  const tags = tagsIn(draft.tags);
  const links = {
    ...((!isNew || tags.length > 0) && { tags }),
    ...((!isNew || depends_on.length > 0) && { depends_on }),
  };
  const name = draft.name.trim();
  if (isHeartbeat(draft)) return { name, type: draft.type, heartbeat: heartbeatBody(draft.heartbeat), ...links };
  if (isProbe(draft))
    return {
      name,
      url: draft.url,
      type: draft.type,
      interval: Number(draft.interval),
      timeout: Number(draft.timeout),
      ...links,
    };
  const headers = draft.headers.filter(({ key }) => key !== '');
  const settings = isNew ? filled(draft.settings) : changed(draft.settings);
  return {
    name,
    url: isNew ? urlOf(draft) : draft.url.trim(),
    type: draft.type,
    interval: Number(draft.interval),
    timeout: Number(draft.timeout),
    ...((!isNew || method !== 'GET') && { method }),
    ...((!isNew || headers.length > 0) && { headers }),
    ...((!isNew || body !== '') && { body: body === '' ? null : body }),
    ...((!isNew || assertions.length > 0) && {
      assertions: assertions.map(({ property, ...rest }) => (property ? { ...rest, property } : rest)),
    }),
    ...((!isNew || !follow_redirects) && { follow_redirects }),
    ...((!isNew || hasTls(draft)) && { tls }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...((!isNew || !isLocal(locations)) && { locations }),
    ...((!isNew || (locations.length > 1 && quorum !== 'majority')) && {
      quorum: /^\d+$/.test(quorum) ? Number(quorum) : quorum,
    }),
    ...links,
  };
}

/** The form for editing an endpoint or creating one, possibly as a copy. */
export function EndpointFormPage({ id }: { id: string | null }) {
  const source = id ?? route.value.query.get('copy');
  const existing = useLoad(`form/${source}`, (signal) =>
    source === null ? Promise.resolve(null) : get<Endpoint>(`/api/v1/endpoints/${source}`, signal),
  );
  if (!may.write()) return <p class="notice warn">You have read-only access.</p>;
  return (
    <Data of={existing}>
      {(endpoint) =>
        endpoint && id !== null ? (
          <>
            <Head title={`Edit ${endpoint.name}`} owner={endpoint.owner} />
            <ExistingEndpoint endpoint={endpoint} />
          </>
        ) : (
          <>
            <Head title={endpoint ? `A copy of ${endpoint.name}` : 'Add endpoint'} />
            <NewEndpoint key={source} of={endpoint} />
          </>
        )
      }
    </Data>
  );
}

/** Returns the settings for a copy. Masked values are cleared, because the user must enter them again. */
function copyOf(endpoint: Endpoint): Draft {
  const draft = draftOf(endpoint);
  return {
    ...draft,
    name: `${draft.name} copy`,
    url: draft.url.replace(`?${MASK}`, ''),
    headers: draft.headers.map(({ key, value }) => ({ key, value: value === MASK ? '' : value })),
    body: draft.body === MASK ? '' : draft.body,
    settings: withoutMasked(draft.settings),
    assertions: draft.assertions.map((each) => (each.target === MASK ? { ...each, target: '' } : each)),
  };
}

function ExistingEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const { draft, opened, saved } = useDraft(`unsaved changes to ${endpoint.name}`, () => ({
    draft: signal(draftOf(endpoint)),
    opened: signal(endpoint),
  }));
  const path = `/api/v1/endpoints/${endpoint.id}`;
  const save = async () => {
    await put(call.path, call.body, opened.value);
    saved();
    refreshSoon();
    go(`/endpoints/${endpoint.id}`);
  };
  const call: Call = { path, body: bodyOf(draft.value, false), pointer: '' };
  return <Editor id={endpoint.id} draft={draft.value} isNew={false} save={save} call={call} set={patch(draft)} />;
}

/** Fills in settings that the user hasn't chosen, based on the URL. */
function guessed(chosen: Partial<Draft>): Draft {
  const guess = guessEndpoint(chosen.url ?? '');
  return { ...EMPTY, ...(guess && { type: guess.type, name: guess.name }), ...chosen };
}

/** Returns the settings in the query. A heartbeat has no URL to guess from, and a probe is identified by its key. */
function asAsked(): Partial<Draft> {
  const { query: asked } = route.peek();
  return Object.fromEntries(
    ['type', 'url', 'name'].flatMap((key) => {
      const value = asked.get(key);
      return value === null ? [] : [[key, value]];
    }),
  );
}

/**
 * Returns the website for jobs and probes, which don't belong to a site. Unless the user chooses a website, they are
 * grouped under this name.
 */
const siteless = (draft: Pick<Draft, 'type'>): string | null =>
  isHeartbeat(draft) ? 'Jobs' : isProbe(draft) ? 'Probes' : null;

/** The URL comes first, because the type, name, and website are guessed from it until the user sets them. */
function NewEndpoint({ of }: { of: Endpoint | null }) {
  const { chosen, website, websiteName, picked, saved } = useDraft('an unsaved endpoint', () => ({
    chosen: signal<Partial<Draft>>(of ? copyOf(of) : asAsked()),
    website: signal(of?.website_id ?? route.peek().query.get('website_id')),
    websiteName: signal(''),
    /** `null` until the user changes it. Until then, the default contacts are used. */
    picked: signal<string[] | null>(null),
  }));
  const draft = guessed(chosen.value);
  const websites = useLoad('websites', (signal) => all<Website>('/api/v1/websites', signal));

  const contacts = useContacts();
  const unfinished = useSignal<{ id: string; name: string; missing: MissingAlert[] } | null>(null);
  const everyContact = contacts.data.value ?? [];
  const told = picked.value ?? defaultContacts(everyContact);
  const plan = alertPlan(everyContact, told);
  const guess = guessEndpoint(draft.url);
  const kept = siteless(draft);
  const known = websites.data.value?.find((each) =>
    kept !== null ? each.name === kept : new URL(each.url).hostname.replace(/^www\./, '') === guess?.website.host,
  );
  const websiteId = website.value ?? known?.id ?? '';
  const site = kept !== null ? { host: kept, url: `${home()}/` } : siteOf(draft.url);
  const endpoint = bodyOf(draft, true);
  const chosenWebsite = websites.data.value?.find((each) => each.id === websiteId);
  const websiteOf = chosenWebsite
    ? { name: chosenWebsite.name, url: chosenWebsite.url }
    : { name: websiteName.value.trim() || site.host, url: site.url };
  // Uses a single request in both cases, so that no empty website is left behind if its endpoint is rejected.
  const call: Call =
    websiteId === ''
      ? {
          path: `/api/v1/websites${plan.query}`,
          body: { ...websiteOf, endpoints: [endpoint] },
          pointer: '/endpoints/0',
        }
      : { path: `/api/v1/websites/${websiteId}/endpoints${plan.query}`, body: endpoint, pointer: '' };

  const save = async () => {
    const made = await post<Endpoint & { endpoints?: Endpoint[] }>(call.path, call.body);
    const { id, name } = made.endpoints?.[0] ?? made;
    saved();
    refreshSoon();
    void refreshWebsites();
    const missing = await giveAlerts(
      id,
      everyContact
        .filter((each) => plan.after.includes(each.id))
        .map((each) => ({ contactId: each.id, name: each.name })),
    );
    // The endpoint exists now, so saving again would create a second one.
    if (missing.length > 0) unfinished.value = { id, name, missing };
    else go(`/endpoints/${id}`);
  };
  if (unfinished.value) {
    const { id, name, missing } = unfinished.value;
    return <MissingAlerts id={id} name={name} of={missing} />;
  }
  const many = `/new/many${query({ website_id: website.value })}`;
  const pasteMany = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (text.trim().split(/[\r\n]+/).length < 2) return;
    event.preventDefault();
    addAddresses(`${draft.url}\n${text}`);
    go(many);
  };
  const hasSecrets = of && JSON.stringify(of).includes(MASK);
  return (
    <Editor
      draft={draft}
      isNew
      set={patch(chosen)}
      save={save}
      call={call}
      pasteMany={pasteMany}
      many={kept === null ? many : undefined}
      yaml={endpointDocument(websiteOf, endpoint)}
      last={
        <div class="notify">
          <ContactChoice contacts={contacts} chosen={told} set={into(picked)} />
          {!isHeartbeat(draft) && (
            <p class="hint">
              {firstAlertText(
                everyContact.filter(({ id }) => told.includes(id)),
                Number(draft.interval),
              )}
            </p>
          )}
        </div>
      }
    >
      {(problem) => (
        <>
          {hasSecrets && <p class="notice warn">Secret values are not copied. Enter them again.</p>}
          <Choice
            label="Website"
            value={websiteId}
            set={into(website)}
            options={[['', 'New website'], ...(websites.data.value ?? []).map(({ id, name }) => [id, name] as const)]}
          />
          {websiteId === '' && (
            <Text
              label="Website name"
              error={problem('/name')}
              placeholder={site.host}
              value={websiteName.value}
              set={into(websiteName)}
            />
          )}
        </>
      )}
    </Editor>
  );
}

/** The request that saves the endpoint, and the pointer to the endpoint in its body. */
interface Call {
  path: string;
  body: Record<string, unknown>;
  pointer: '' | '/endpoints/0';
}

type Problem = FormState['problem'];

interface EditorProps {
  /** The ID of an existing endpoint, which can't depend on itself. */
  id?: string;
  draft: Draft;
  isNew: boolean;
  call: Call;
  set: (changes: Partial<Draft>) => void;
  save: () => Promise<void>;
  children?: (problem: Problem) => preact.ComponentChildren;
  /** Handles pasted text. Several lines become several endpoints. */
  pasteMany?: (event: ClipboardEvent) => void;
  /** The page for adding several endpoints. */
  many?: string | undefined;
  /** Rendered below the settings. */
  last?: preact.ComponentChildren;
  /** The endpoint as a configuration document. */
  yaml?: string;
}

/** Checked here, because the service would also report the website's URL, which has no field in this form. */
function needUrl(draft: Draft, pointer: string): void {
  if (draft.url.trim() !== '' || isHeartbeat(draft)) return;
  const message = isProbe(draft) ? 'Choose a probe.' : 'Enter a URL, a host, or host:port.';
  throw new ApiProblem(400, 'validation_failed', 'Some fields are not valid.', [
    { pointer: `${pointer}/url`, code: 'required', message },
  ]);
}

/** How long the user must pause before the URL is tested. */
const PAUSE_MS = 800;

function Editor({ draft, isNew, call, set, save, id, children, last, many, pasteMany, yaml }: EditorProps) {
  /** The result of a test, and the settings that were tested. It disappears when they change. */
  const verdict = useSignal<{ of: string; check: UnrecordedCheck } | null>(null);
  const { value: choices } = useLoad('choices', () => loadDocument().then(endpointChoices)).data;
  const probes = useLoad('probes', (signal) => all<Probe>('/api/v1/probes', signal)).data.value ?? [];
  const isJob = isHeartbeat(draft);
  const tested = bodyOf(draft, isNew);
  const from = useSignal('');
  const testsFrom =
    siteless(draft) === null && !isLocal(draft.locations) ? chosenOf(draft.locations, from.value) : null;
  const shown = JSON.stringify({ ...tested, name: null, interval: null, testsFrom });
  const test = async () => {
    needUrl(draft, '');
    verdict.value = null;
    await tryOut();
  };
  const tryOut = async () => {
    const check = await post<UnrecordedCheck>(`/api/v1/endpoints/test${query({ location: testsFrom })}`, {
      ...tested,
      name: draft.name.trim() || 'Test',
    });
    verdict.value = { of: shown, check };
  };
  // A plausible URL is tested as soon as the user pauses. Errors are only shown for a test that the user starts.
  const isPlausible = isNew && may.write() && guessEndpoint(draft.url) !== null && !isJob;
  const tryOutNow = useRef(tryOut);
  tryOutNow.current = tryOut;
  useEffect(() => {
    if (!isPlausible) return undefined;
    const timer = setTimeout(() => void tryOutNow.current().catch(() => undefined), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [isPlausible && draft.url]);
  return (
    <div class="conversation">
      <Form
        save={async () => {
          needUrl(draft, call.pointer);
          await save();
        }}
        action={isNew ? 'Add endpoint' : 'Save'}
        more={(form) =>
          !isJob && (
            <>
              <TestButton form={form} test={test} />
              {testsFrom !== null && draft.locations.length > 1 && (
                <Select
                  label="Test from"
                  value={testsFrom}
                  set={into(from)}
                  options={possibleLocations(probes, draft.type, draft.locations)
                    .filter(({ location }) => draft.locations.includes(location))
                    .map(({ location, name }): [string, string] => [
                      location,
                      `from ${location === LOCAL ? HERE.toLowerCase() : name}`,
                    ])}
                />
              )}
            </>
          )
        }
      >
        {(form) => {
          const { problem: at } = form;
          // In a test request, the endpoint's fields are at the root. A new website gets its URL from the endpoint, and
          // its name has a separate field. Both pointers are read, so that neither problem is repeated below the form.
          const problem: Problem = (pointer) => {
            const atRoot = pointer === '/name' ? undefined : at(pointer);
            return at(`${call.pointer}${pointer}`) ?? atRoot;
          };
          return (
            <>
              <div class="panel what">
                {isProbe(draft) ? (
                  <Choice
                    label="Probe"
                    hint="Up while the probe is online."
                    error={problem('/url')}
                    value={draft.url}
                    set={(url) =>
                      set({ url, ...(draft.name === '' && { name: `Probe ${url.replace('probe:', '')}` }) })
                    }
                    options={probeOptions(probes, draft.url)}
                  />
                ) : (
                  !isJob && (
                    <Text
                      label="URL, host, or host:port"
                      error={problem('/url')}
                      placeholder="https://shop.example.com/checkout"
                      value={draft.url}
                      set={(url) => set({ url })}
                      onPaste={pasteMany}
                    />
                  )
                )}
                <div class="kinds">
                  {isNew && (
                    <div class="tags" role="group" aria-label="Kind of target">
                      {KINDS.map(([type, title]) => (
                        <button
                          type="button"
                          key={type}
                          aria-pressed={isKind(draft.type, type)}
                          onClick={() => set({ type, ...(isProbe(draft) && { url: '' }) })}
                        >
                          {title}
                        </button>
                      ))}
                    </div>
                  )}
                  <Choice
                    label="Type"
                    error={problem('/type')}
                    options={typesOf(choices, draft.type, isNew, probes.length > 0)}
                    value={draft.type}
                    set={(type) =>
                      set({ type, settings: {}, ...(isProbe({ type }) !== isProbe(draft) && { url: '' }) })
                    }
                  />
                </div>
                {many !== undefined && (
                  <p class="small muted">
                    Type and name are detected from the URL. <a href={`#${many}`}>Add several endpoints</a>{' '}
                    <HelpLink page={helpForType(draft.type)}>How this works</HelpLink>
                  </p>
                )}
                <div role="status" class="verdict-box">
                  {verdict.value?.of === shown && (
                    <div class={`notice ${TONES[verdict.value.check.outcome]}`}>
                      <Verdict check={verdict.value.check} />
                    </div>
                  )}
                </div>
              </div>
              <div class="panel lines">
                <Text label="Name" error={problem('/name')} value={draft.name} set={(name) => set({ name })} />
                {children?.(at)}
                {isJob ? (
                  <ScheduleFields
                    value={draft.heartbeat}
                    set={(changes) => set({ heartbeat: { ...draft.heartbeat, ...changes } })}
                    problem={problem}
                  />
                ) : (
                  <Timing draft={draft} set={set} problem={problem} choices={choices} />
                )}
                {!isJob && (
                  <TypeSettings
                    type={draft.type}
                    schema={choices?.settings[draft.type]}
                    value={draft.settings}
                    problem={problem}
                    form={form}
                    set={(settings) => set({ settings })}
                  />
                )}
                {siteless(draft) === null && (probes.length > 0 || !isLocal(draft.locations)) && (
                  <LocationFields
                    probes={probes}
                    type={draft.type}
                    locations={draft.locations}
                    quorum={draft.quorum}
                    problem={problem}
                    set={set}
                  />
                )}
                {last}
              </div>
              <div class="panel advanced">
                {!isJob && !isProbe(draft) && (
                  <Conditions draft={draft} set={set} problem={problem} choices={choices} />
                )}
                <Links draft={draft} set={set} problem={problem} id={id} />
                {!isJob && draft.type.startsWith('HTTP') && <HttpDetails draft={draft} set={set} problem={problem} />}
              </div>
            </>
          );
        }}
      </Form>
      <details class="as-code">
        <summary>As curl or YAML</summary>
        <Beside call={{ method: isNew ? 'POST' : 'PUT', path: call.path, body: call.body }} yaml={yaml ?? null} />
      </details>
    </div>
  );
}

/** The types that most users need. The other ones are in the list of types. */
const KINDS = [
  ['HTTPS', 'Website or API'],
  ['TCP', 'TCP port'],
  ['ICMP', 'Ping'],
  ['DNS', 'DNS'],
  ['SSH', 'SSH'],
  ['HEARTBEAT', 'Cron job'],
] as const;

const isKind = (type: string, kind: string): boolean => type === kind || (kind === 'HTTPS' && type === 'HTTP');

const TONES = { up: 'good', down: 'bad', unknown: 'warn' } as const;

const TestButton = ({ form, test }: { form: FormState; test: () => Promise<void> }) => (
  <Button disabled={form.isBusy} onClick={() => form.run(test)}>
    Test
  </Button>
);

/** Returns the options, plus the current value if it isn't among them. */
const withCurrent = (choices: readonly string[] | undefined, current: string): string[] => [
  ...new Set([...(choices ?? []), current]),
];

/**
 * A heartbeat can't be changed to another type, and other types can't be changed to a heartbeat. Without probes, the
 * PROBE type isn't offered.
 */
const typesOf = (choices: EndpointChoices | undefined, current: string, isNew: boolean, hasProbes: boolean): string[] =>
  withCurrent(choices?.types, current).filter(
    (type) =>
      type === current ||
      ((isNew || isHeartbeat({ type }) === isHeartbeat({ type: current })) && (hasProbes || !isProbe({ type }))),
  );

/** Returns the probes that a PROBE endpoint can monitor. The current one is included even if it was deleted. */
const probeOptions = (probes: readonly Probe[], current: string): [value: string, title: string][] => {
  const known = probes.map((probe): [string, string] => [`probe:${locationOf(probe)}`, probe.name]);
  const isKnown = current === '' || known.some(([url]) => url === current);
  return [['', 'Choose a probe'], ...known, ...(isKnown ? [] : [[current, current] as [string, string]])];
};

type DetailsProps = Pick<EditorProps, 'draft' | 'set' | 'id'> &
  Pick<FormState, 'problem'> & { choices: EndpointChoices | undefined };

/** Common intervals, in seconds. */
const INTERVALS = ['30', '60', '300'];

function Timing({ draft, set, problem, choices }: Omit<DetailsProps, 'id'>) {
  const isHttp = draft.type.startsWith('HTTP');
  return (
    <>
      <div>
        <Text
          label="Interval (seconds)"
          type="number"
          min={INTERVAL.minimum}
          max={INTERVAL.maximum}
          error={problem('/interval')}
          value={draft.interval}
          set={(interval) => set({ interval })}
        />
        <div class="tags usual" role="group" aria-label="Usual intervals">
          {INTERVALS.map((interval) => (
            <button
              type="button"
              class="tag"
              key={interval}
              aria-pressed={draft.interval === interval}
              onClick={() => set({ interval })}
            >
              {duration(Number(interval))}
            </button>
          ))}
        </div>
      </div>
      {!isProbe(draft) && (
        <Text
          label="Timeout (seconds)"
          type="number"
          min={TIMEOUT.minimum}
          max={TIMEOUT.maximum}
          error={problem('/timeout')}
          value={draft.timeout}
          set={(timeout) => set({ timeout })}
        />
      )}
      {isHttp && (
        <Choice
          label="Method"
          error={problem('/method')}
          options={withCurrent(choices?.methods, draft.method)}
          value={draft.method}
          set={(method) => set({ method })}
        />
      )}
    </>
  );
}

/** The conditions for the endpoint to be up. */
const Conditions = ({ draft, set, problem, choices }: Omit<DetailsProps, 'id'>) => (
  <details open={draft.assertions.length > 0}>
    <summary>Conditions for up</summary>
    <p class="muted small">
      If a condition fails, the endpoint is down, or (for warnings) up but degraded. A status-code condition that means
      down replaces the default of 200–299.
    </p>
    <EditableList
      label="Conditions"
      noun="condition"
      list={draft.assertions}
      error={problem('/assertions')}
      empty={{ source: 'status_code', comparison: 'in', target: '200-299' }}
      set={(assertions) => set({ assertions })}
      row={(assertion, change, number) => (
        <AssertionRow assertion={assertion} change={change} number={number} choices={choices} />
      )}
    />
  </details>
);

function Links({ draft, set, problem, id }: Omit<DetailsProps, 'choices'>) {
  return (
    <details open={draft.tags !== '' || draft.depends_on.length > 0}>
      <summary>Tags and dependencies</summary>
      <div class="form">
        <Text
          label="Tags (optional)"
          hint="Separated by spaces or commas. Use them to filter the overview and to choose what a maintenance window covers."
          error={problem('/tags')}
          placeholder="prod, team:web"
          value={draft.tags}
          set={(tags) => set({ tags })}
        />
        <Many
          label="Depends on (optional)"
          hint="While one of these is down, the alerts of this endpoint do not trigger."
          placeholder="Add an endpoint"
          error={problem('/depends_on')}
          values={draft.depends_on}
          set={(depends_on) => set({ depends_on })}
          options={endpointOptions().filter(([each]) => each !== id)}
        />
      </div>
    </details>
  );
}

function HttpDetails({ draft, set, problem }: Pick<DetailsProps, 'draft' | 'set' | 'problem'>) {
  return (
    <>
      <TlsDetails draft={draft} set={set} problem={problem} />
      <details open={draft.headers.length > 0 || draft.body !== ''}>
        <summary>Request headers and body</summary>
        <div class="form">
          <HeaderList
            label="Headers"
            list={draft.headers}
            error={problem('/headers')}
            set={(headers) => set({ headers })}
          />
          <Lines label="Body" error={problem('/body')} value={draft.body} set={(body) => set({ body })} />
          <CheckField
            label="Follow redirects"
            value={draft.follow_redirects}
            set={(follow_redirects) => set({ follow_redirects })}
          />
        </div>
      </details>
    </>
  );
}

function TlsDetails({ draft, set, problem }: Pick<DetailsProps, 'draft' | 'set' | 'problem'>) {
  const { tls } = draft;
  const change = (changes: Partial<Draft['tls']>) => set({ tls: { ...tls, ...changes } });
  return (
    <details open={hasTls(draft)}>
      <summary>TLS</summary>
      <div class="form">
        <Choice
          label="Server certificate"
          error={problem('/tls/verify')}
          value={String(tls.verify)}
          set={(verify) => change({ verify: verify === 'true' })}
          options={[
            ['true', 'Must be valid'],
            ['false', 'Not verified'],
          ]}
        />
        <Lines
          label="Trusted certificates (optional)"
          hint="PEM certificates of your CA or the server. Only these are trusted."
          error={problem('/tls/ca')}
          // prose: the marker of the PEM format
          placeholder="-----BEGIN CERTIFICATE-----"
          value={tls.ca ?? ''}
          set={(ca) => change({ ca: ca || null })}
        />
        <Text
          label="Server name (optional)"
          hint="Used for SNI and certificate validation instead of the host in the URL."
          error={problem('/tls/server_name')}
          value={tls.server_name ?? ''}
          set={(name) => change({ server_name: name.trim() || null })}
        />
        <Text
          label="Warn before expiry (days, optional)"
          hint="From then on the endpoint is degraded. Its alert rules notify on this day and 7, 3, and 1 days before expiry. Leave empty to disable."
          error={problem('/tls/warn_days')}
          value={tls.warn_days === null ? '' : String(tls.warn_days)}
          set={(days) => change({ warn_days: days.trim() === '' ? null : Number(days) })}
        />
      </div>
    </details>
  );
}

interface AssertionRowProps {
  assertion: Assertion;
  change: (changes: Partial<Assertion>) => void;
  number: number;
  choices: EndpointChoices | undefined;
}

function AssertionRow({ assertion, change, number, choices }: AssertionRowProps) {
  const input = (key: 'property' | 'target', label: string, placeholder: string) => (
    <input
      aria-label={`${label} of condition ${number}`}
      placeholder={placeholder}
      value={assertion[key] ?? ''}
      onInput={(event) => change({ [key]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <Select
        label={`Subject of condition ${number}`}
        value={assertion.source}
        set={(source) => change({ source: source as Assertion['source'] })}
        options={withCurrent(choices?.sources, assertion.source)}
      />
      {assertion.source === 'header' && input('property', 'Header', 'Content-Type')}
      {assertion.source === 'json' && input('property', 'JSONPath', '$.status')}
      <Select
        label={`Comparison of condition ${number}`}
        value={assertion.comparison}
        set={(comparison) => change({ comparison: comparison as Assertion['comparison'] })}
        options={withCurrent(choices?.comparisons, assertion.comparison)}
      />
      {input('target', 'Target', '200-299,301')}
      <Select
        label={`Otherwise, of condition ${number}`}
        value={assertion.severity ?? 'critical'}
        set={(severity) => change({ severity: severity as Assertion['severity'] })}
        options={[
          ['critical', 'else down'],
          ['warning', 'else a warning'],
        ]}
      />
    </>
  );
}
