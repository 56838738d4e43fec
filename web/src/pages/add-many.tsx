import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { all, ApiProblem, post, sendDocument } from '../api/client';
import type { ConfigurationPlan, UnrecordedCheck, Website } from '../api/types';
import { outcomeOf } from '../components/check/recent-beats';
import { CopyButton } from '../components/copy';
import { ApiCall } from '../components/form/api-call';
import { Choice, Field, Text } from '../components/form/field';
import { Form, type FormState } from '../components/form/form';
import { Icon } from '../components/icons';
import { Button, Head, Section } from '../components/layout';
import { StatusPill } from '../components/status';
import {
  declared,
  type Declared,
  type Line,
  linesOf,
  MOST_LINES,
  openWebsites,
  sitemapText,
  type Test,
  testsText,
  without,
} from '../logic/add-many';
import { INTERVAL } from '../logic/endpoint-defaults';
import { guessEndpoint } from '../logic/endpoint-guess';
import { count, ms } from '../logic/format';
import { defaultContacts } from '../logic/new-alerts';
import { addAddresses, addresses } from '../state/add-many';
import { useContacts } from '../state/contacts';
import { into, useLoad } from '../state/load';
import { refreshSoon, refreshWebsites } from '../state/overview-store';
import { arrivals, go, route } from '../state/router';
import { may } from '../state/session';
import { errorMessage, showToast } from '../state/toast';

const PATH = '/api/v1/configuration';
/** The service runs eight tests at a time per organization, and other members need some of them. */
const AT_ONCE = 4;
/** How many milliseconds without a keystroke to wait before starting tests, so that half-typed lines aren't tested. */
const PAUSE = 700;

type Tests = Readonly<Record<string, Test>>;

/**
 * Adds many endpoints from a list, a file, or a sitemap. Each one is guessed and tested, and a single request creates
 * all of them.
 */
export function AddManyPage() {
  if (!may.write()) return <p class="notice warn">You have read-only access.</p>;
  return (
    <>
      <Head parent={['#/new', 'New endpoint']} title="New endpoints" />
      <AddMany />
    </>
  );
}

function AddMany() {
  const names = useSignal<Record<string, string>>({});
  const interval = useSignal('60');
  const target = useSignal(route.peek().query.get('website_id') ?? 'hosts');
  const websiteName = useSignal('');
  const box = useRef<HTMLDivElement>(null);
  const websites = useLoad('websites', (signal) => all<Website>('/api/v1/websites', signal)).data.value ?? [];
  const everyLine = linesOf(addresses.value);
  const lines = everyLine.slice(0, MOST_LINES);
  const readable = lines.filter(({ guess }) => guess !== null);
  const tests = useTests(lines);
  const made = declared(lines, {
    target: target.value,
    name: websiteName.value,
    interval: Number(interval.value),
    names: names.value,
    websites,
  });
  const json = JSON.stringify(made.document, null, 2);
  useEffect(() => box.current?.querySelector('textarea')?.focus(), [arrivals.value]);

  const save = async () => {
    if (readable.length === 0) throw wrong('', 'Enter at least one URL, host, or host:port.');
    if (readable.length < lines.length)
      throw wrong('', 'Correct or remove the lines that are not a URL, a host, or host:port.');
    const plan = await sendDocument<ConfigurationPlan>('POST', `${PATH}/plan`, json);
    refuseChanges(plan, made);
    const { summary } = await sendDocument<ConfigurationPlan>('PUT', PATH, json, plan);
    addresses.value = '';
    refreshSoon();
    void refreshWebsites();
    showToast(summary.create === 0 ? 'All of them already existed.' : `${count(readable.length, 'endpoint')} created.`);
    go('/');
  };
  return (
    <div class="columns forms">
      <div ref={box}>
        <Form save={save} action={`Create ${readable.length === 0 ? '' : readable.length}`.trim()}>
          {(form) => (
            <>
              <Field
                label="URLs or hosts, one per line"
                hint="URLs, hosts, or host:port. Type and name are detected, and each endpoint is tested once."
              >
                {(control) => (
                  <textarea
                    {...control}
                    rows={6}
                    spellcheck={false}
                    class="mono"
                    placeholder={'https://shop.example.com\nmail.example.com:25\n198.51.100.7'}
                    value={addresses.value}
                    onInput={(event) => {
                      addresses.value = event.currentTarget.value;
                    }}
                  />
                )}
              </Field>
              <Sources form={form} />
              {everyLine.length > MOST_LINES && (
                <p class="notice warn">
                  Only the first {MOST_LINES} of {everyLine.length} are created. Add the others afterwards.
                </p>
              )}
              <Lines lines={lines} names={names} tests={tests} form={form} places={made.places} />
              <div class="form-row">
                <Choice
                  label="Website"
                  value={target.value}
                  set={into(target)}
                  options={[
                    ['hosts', 'One for each host'],
                    ['new', 'One new website'],
                    ...openWebsites(websites).map(({ id, name }) => [id, name] as const),
                  ]}
                />
                {target.value === 'new' && (
                  <Text
                    label="Name of the website"
                    error={form.problem('/websites/0/name')}
                    placeholder={made.document.websites[0]?.name ?? ''}
                    value={websiteName.value}
                    set={into(websiteName)}
                  />
                )}
                <Text
                  label="Interval (seconds)"
                  type="number"
                  min={INTERVAL.minimum}
                  max={INTERVAL.maximum}
                  error={firstProblem(
                    form,
                    [...made.places.values()].map(({ pointer }) => `${pointer}/interval`),
                  )}
                  value={interval.value}
                  set={into(interval)}
                />
              </div>
              <Told />
            </>
          )}
        </Form>
      </div>
      <div class="many-calls">
        <ApiCall method="PUT" path={PATH} body={made.document} />
        <Section title="As code">
          <p class="muted small">
            Keep this document in your repository to plan changes, apply them, and detect drift. The command asks before
            it changes anything.
          </p>
          <pre>uptime apply monitors.json</pre>
          <p class="actions">
            <CopyButton text={`${json}\n`} label="Copy monitors.json" />
          </p>
        </Section>
      </div>
    </div>
  );
}

const wrong = (pointer: string, message: string) =>
  new ApiProblem(
    400,
    'validation_failed',
    pointer === '' ? message : 'Some of them cannot be created, so nothing was created.',
    pointer === '' ? [] : [{ pointer, code: 'taken', message }],
  );

/** Reads all problems, so that the form doesn't repeat them below its fields. */
const firstProblem = (form: FormState, pointers: readonly string[]): string | undefined =>
  pointers.map(form.problem).find((message) => message !== undefined);

/** Fields that are defined per line. The interval is the same for all lines. */
const OWN_FIELDS = ['url', 'name', 'type', 'key'];

/** Throws if the plan would change an existing endpoint with the same key, because this page only adds new ones. */
function refuseChanges({ changes }: ConfigurationPlan, { places }: Declared): void {
  const changed = changes.find(({ action, resource }) => action === 'update' && resource === 'endpoint');
  const place = [...places.values()].find(({ path }) => path === changed?.key);
  if (place)
    throw wrong(`${place.pointer}/key`, 'The website already has an endpoint with this key and other settings.');
}

function Sources({ form }: { form: FormState }) {
  const url = useSignal('');
  const told = useSignal('');
  const read = () =>
    form.run(async () => {
      told.value = '';
      const asked = guessEndpoint(url.value)?.url ?? url.value.trim();
      const found = await post<Parameters<typeof sitemapText>[0]>('/api/v1/endpoints/sitemap', { url: asked });
      addAddresses(found.urls.join('\n'));
      told.value = sitemapText(found);
    });
  return (
    <>
      <div class="many-sources">
        <div
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            read();
          }}
        >
          <Text
            label="From a sitemap (optional)"
            error={form.problem('/url')}
            placeholder="https://shop.example.com/sitemap.xml"
            value={url.value}
            set={into(url)}
          />
        </div>
        <Button disabled={form.isBusy || url.value.trim() === ''} onClick={read}>
          Read sitemap
        </Button>
        <label class="button">
          From a file
          <input
            type="file"
            class="sr"
            accept="text/plain,.txt,.csv,.list"
            onChange={({ currentTarget }) => {
              void currentTarget.files?.[0]?.text().then(addAddresses);
              currentTarget.value = '';
            }}
          />
        </label>
      </div>
      <p role="status" class="small muted">
        {told.value}
      </p>
    </>
  );
}

interface LinesProps {
  lines: readonly Line[];
  names: Signal<Record<string, string>>;
  tests: Tests;
  form: FormState;
  places: Declared['places'];
}

function Lines({ lines, names, tests, form, places }: LinesProps) {
  if (lines.length === 0) return null;
  return (
    <>
      <p role="status" class="small">
        {testsText(lines.map(({ text, guess }) => tests[guess?.url ?? text] ?? (guess ? undefined : NO_ADDRESS)))}
      </p>
      <ol class="many" aria-label="Endpoints to create">
        {lines.map((line) => {
          const { text, guess } = line;
          const place = guess && places.get(guess.url);
          const problem = place
            ? firstProblem(
                form,
                OWN_FIELDS.map((field) => `${place.pointer}/${field}`),
              )
            : undefined;
          return (
            <li key={guess?.url ?? text}>
              <div class="what">
                <span class="mono">{guess?.url ?? text}</span>
                {guess && <span class="tag">{guess.type}</span>}
              </div>
              {guess ? (
                <input
                  aria-label={`Name of ${guess.url}`}
                  aria-invalid={problem === undefined ? undefined : true}
                  value={names.value[guess.url] ?? guess.name}
                  onInput={(event) => {
                    names.value = { ...names.value, [guess.url]: event.currentTarget.value };
                  }}
                />
              ) : (
                <span />
              )}
              <div class="verdict-line">
                {problem === undefined ? (
                  <Verdict of={guess ? tests[guess.url] : NO_ADDRESS} />
                ) : (
                  <span class="reason">{problem}</span>
                )}
              </div>
              <Button
                class="plain"
                label={`Remove ${guess?.url ?? text}`}
                onClick={() => {
                  addresses.value = without(addresses.value, line);
                }}
              >
                <Icon name="close" size={14} />
              </Button>
            </li>
          );
        })}
      </ol>
    </>
  );
}

const NO_ADDRESS: Test = { state: 'refused', reason: 'Enter a URL, a host, or host:port.' };

function Verdict({ of }: { of: Test | undefined }) {
  if (!of || of.state === 'running') return <span class="muted">{of ? 'Testing…' : 'Waiting'}</span>;
  if (of.state === 'refused') return <span class="reason">{of.reason}</span>;
  const { check } = of;
  const reason = check.error?.message ?? check.warning?.message;
  return (
    <>
      <StatusPill status={outcomeOf(check)} />{' '}
      <span class={reason === undefined ? 'num' : 'small'}>{reason ?? ms(check.duration_ms)}</span>
    </>
  );
}

/** Shows who will be notified. */
function Told() {
  const contacts = useContacts().data.value;
  if (!contacts) return null;
  const told = defaultContacts(contacts);
  const names = contacts.filter(({ id }) => told.includes(id)).map(({ name }) => name);
  return (
    <p class="muted small">
      {names.length > 0 ? (
        `Each gets an alert rule through ${names.join(', ')}.`
      ) : (
        <>
          No one is notified when they go down, because there is no default contact. <a href="#/contacts">Contacts</a>
        </>
      )}
    </p>
  );
}

/** Tests each URL once, a few at a time, after the list has been unchanged for a moment. Returns the results by URL. */
function useTests(lines: readonly Line[]): Tests {
  const tests = useSignal<Tests>({});
  const wanted = useRef<Line[]>([]);
  const running = useRef(0);
  const pump = () => {
    while (running.current < AT_ONCE) {
      const next = wanted.current.find(({ guess }) => guess && !(guess.url in tests.peek()));
      if (!next?.guess) return;
      running.current++;
      void attempt(next.guess).then(() => {
        running.current--;
        pump();
      });
    }
  };
  const note = (url: string, test: Test) => {
    tests.value = { ...tests.peek(), [url]: test };
  };
  const attempt = async ({ url, type, name }: { url: string; type: string; name: string }): Promise<void> => {
    note(url, { state: 'running' });
    try {
      note(url, { state: 'done', check: await post<UnrecordedCheck>('/api/v1/endpoints/test', { url, type, name }) });
    } catch (error) {
      const isBusy = error instanceof ApiProblem && (error.status === 429 || error.status === 503);
      const wait = isBusy ? (error.retryAfter ?? 2) : null;
      if (wait === null) return note(url, { state: 'refused', reason: reasonOf(error) });
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
      const { [url]: _, ...others } = tests.peek();
      tests.value = others;
    }
  };
  const key = lines.map(({ guess }) => guess?.url ?? '').join('\n');
  useEffect(() => {
    const timer = setTimeout(() => {
      wanted.current = [...lines];
      pump();
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [key]);
  useEffect(
    () => () => {
      wanted.current = [];
    },
    [],
  );
  return tests.value;
}

const reasonOf = (error: unknown): string =>
  error instanceof ApiProblem && error.errors[0] ? error.errors[0].message : errorMessage(error);
