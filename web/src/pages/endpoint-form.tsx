import { useSignal } from '@preact/signals';
import { all, get, post, put } from '../api/client';
import { loadDocument } from '../api/document';
import type { Assertion, Endpoint, Header, UnrecordedCheck, Website } from '../api/types';
import { Verdict } from '../components/check/check-list';
import { ApiCall } from '../components/form/api-call';
import { Check as CheckField, Choice, Lines, Select, Text } from '../components/form/field';
import { Form, type FormState } from '../components/form/form';
import { EditableList, HeaderList } from '../components/form/header-list';
import { Button, Data, Head } from '../components/layout';
import { type EndpointChoices, endpointChoices } from '../logic/config-schema';
import { guessEndpoint } from '../logic/endpoint-guess';
import { into, patch, useLoad } from '../state/load';
import { refreshSoon } from '../state/overview-store';
import { go, route } from '../state/router';
import { may } from '../state/session';

/** The values of the form; numbers are text until they are sent. */
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
}

const EMPTY: Draft = {
  name: '',
  url: '',
  type: 'HTTPS',
  method: 'GET',
  interval: '60',
  timeout: '10',
  headers: [],
  body: '',
  assertions: [],
  follow_redirects: true,
};

const draftOf = (endpoint: Endpoint): Draft => ({
  ...endpoint,
  interval: String(endpoint.interval),
  timeout: String(endpoint.timeout),
  body: endpoint.body ?? '',
});

/** A bare host becomes the URL its type accepts. */
function urlOf(draft: Draft): string {
  const guess = guessEndpoint(draft.url);
  return guess?.type === draft.type ? guess.url : draft.url.trim();
}

/** The request body. For a new endpoint without the defaults, so that the shown command stays short. */
function bodyOf(draft: Draft, isNew: boolean): Record<string, unknown> {
  const { method, body, assertions, follow_redirects } = draft;
  const headers = draft.headers.filter(({ key }) => key !== '');
  return {
    name: draft.name.trim(),
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
  };
}

/** Creates or edits an endpoint. */
export function EndpointFormPage({ id }: { id: string | null }) {
  const existing = useLoad(`form/${id}`, (signal) =>
    id === null ? Promise.resolve(null) : get<Endpoint>(`/api/v1/endpoints/${id}`, signal),
  );
  if (!may.write()) return <p class="notice warn">This key may only read.</p>;
  return (
    <Data of={existing}>
      {(endpoint) => (
        <>
          <Head title={endpoint ? `Edit ${endpoint.name}` : 'Watch something'} />
          {endpoint ? <ExistingEndpoint endpoint={endpoint} /> : <NewEndpoint />}
        </>
      )}
    </Data>
  );
}

function ExistingEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const draft = useSignal(draftOf(endpoint));
  const path = `/api/v1/endpoints/${endpoint.id}`;
  const save = async () => {
    await put(path, bodyOf(draft.value, false));
    refreshSoon();
    go(`/endpoints/${endpoint.id}`);
  };
  return <Editor draft={draft.value} isNew={false} save={save} path={path} set={patch(draft)} />;
}

/** The URL comes first: type, name and website are guessed from it until the user chooses them. */
function NewEndpoint() {
  const draft = useSignal(EMPTY);
  const chosen = useSignal<Partial<Draft>>({});
  const website = useSignal<string | null>(route.peek().query.get('website_id'));
  const websiteName = useSignal('');
  const websites = useLoad('websites', (signal) => all<Website>('/api/v1/websites', signal));

  const set = (changes: Partial<Draft>) => {
    chosen.value = { ...chosen.value, ...changes };
    const guess = guessEndpoint(chosen.value.url ?? '');
    draft.value = { ...EMPTY, ...(guess && { type: guess.type, name: guess.name }), ...chosen.value };
  };
  const guess = guessEndpoint(draft.value.url);
  const known = websites.data.value?.find(
    (each) => new URL(each.url).hostname.replace(/^www\./, '') === guess?.website.host,
  );
  const websiteId = website.value ?? known?.id ?? '';
  const path = `/api/v1/websites/${websiteId || '<website id>'}/endpoints`;

  const save = async () => {
    let id = websiteId;
    if (id === '') {
      const name = websiteName.value.trim() || (guess?.website.host ?? draft.value.name);
      const made = await post<Website>('/api/v1/websites', { name, url: guess?.website.url ?? draft.value.url });
      website.value = id = made.id;
      websites.reload();
    }
    const made = await post<Endpoint>(`/api/v1/websites/${id}/endpoints`, bodyOf(draft.value, true));
    refreshSoon();
    go(`/endpoints/${made.id}`);
  };
  return (
    <Editor draft={draft.value} isNew set={set} save={save} path={path}>
      <div class="form-row">
        <Choice
          label="Website"
          value={websiteId}
          set={into(website)}
          options={[['', 'A new website'], ...(websites.data.value ?? []).map(({ id, name }) => [id, name] as const)]}
        />
        {websiteId === '' && (
          <Text
            label="Name of the website"
            placeholder={guess?.website.host ?? ''}
            value={websiteName.value}
            set={into(websiteName)}
          />
        )}
      </div>
    </Editor>
  );
}

interface EditorProps {
  draft: Draft;
  isNew: boolean;
  path: string;
  set: (changes: Partial<Draft>) => void;
  save: () => Promise<void>;
  children?: preact.ComponentChildren;
}

function Editor({ draft, isNew, path, set, save, children }: EditorProps) {
  const verdict = useSignal<UnrecordedCheck | null>(null);
  const { value: choices } = useLoad('choices', () => loadDocument().then(endpointChoices)).data;
  const body = bodyOf(draft, isNew);
  const test = async () => {
    verdict.value = null;
    verdict.value = await post<UnrecordedCheck>('/api/v1/endpoints/test', {
      ...body,
      name: draft.name.trim() || 'Test',
    });
  };
  return (
    <div class="columns forms">
      <div>
        <Form save={save} action={isNew ? 'Create' : 'Save'} more={(form) => <TestButton form={form} test={test} />}>
          {({ problem }) => (
            <>
              <Text
                label="URL, host or host:port"
                hint={isNew ? 'Type and name are guessed from it.' : undefined}
                error={problem('/url')}
                autofocus={isNew}
                placeholder="https://shop.example.com/checkout"
                value={draft.url}
                set={(url) => set({ url })}
              />
              <div class="form-row">
                <Choice
                  label="Type"
                  error={problem('/type')}
                  options={withCurrent(choices?.types, draft.type)}
                  value={draft.type}
                  set={(type) => set({ type })}
                />
                <Text label="Name" error={problem('/name')} value={draft.name} set={(name) => set({ name })} />
              </div>
              {children}
              <Details draft={draft} set={set} problem={problem} choices={choices} />
            </>
          )}
        </Form>
        <div role="status">
          {verdict.value && (
            <div class="notice">
              <Verdict check={verdict.value} />
            </div>
          )}
        </div>
      </div>
      <ApiCall method={isNew ? 'POST' : 'PUT'} path={path} body={body} />
    </div>
  );
}

const TestButton = ({ form, test }: { form: FormState; test: () => Promise<void> }) => (
  <Button disabled={form.isBusy} onClick={() => form.run(test)}>
    Test
  </Button>
);

/** The choices, and the current value also where it is not among them (yet). */
const withCurrent = (choices: readonly string[] | undefined, current: string): string[] => [
  ...new Set([...(choices ?? []), current]),
];

type DetailsProps = Pick<EditorProps, 'draft' | 'set'> &
  Pick<FormState, 'problem'> & { choices: EndpointChoices | undefined };

/** How to check, and what counts as up. */
function Details({ draft, set, problem, choices }: DetailsProps) {
  const isHttp = draft.type.startsWith('HTTP');
  return (
    <>
      <div class="form-row">
        <Text
          label="Every (seconds)"
          type="number"
          min={1}
          max={86_400}
          error={problem('/interval')}
          value={draft.interval}
          set={(interval) => set({ interval })}
        />
        <Text
          label="Give up after (seconds)"
          type="number"
          min={1}
          max={300}
          error={problem('/timeout')}
          value={draft.timeout}
          set={(timeout) => set({ timeout })}
        />
        {isHttp && (
          <Choice
            label="Method"
            error={problem('/method')}
            options={withCurrent(choices?.methods, draft.method)}
            value={draft.method}
            set={(method) => set({ method })}
          />
        )}
      </div>
      <details open={draft.assertions.length > 0}>
        <summary>What counts as up</summary>
        <p class="muted small">All conditions must hold. One about the status code replaces the usual 200–299.</p>
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
      {isHttp && (
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
      )}
    </>
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
    </>
  );
}
