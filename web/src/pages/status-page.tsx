import { signal, useSignal } from '@preact/signals';
import { all, get, post, put } from '../api/client';
import { home, statusPageAt } from '../api/home';
import type { PublicPage, Website } from '../api/types';
import { CopyButton } from '../components/copy';
import { Beside } from '../components/form/beside';
import { Check, Choice, Field, Lines, Text } from '../components/form/field';
import { Form, type FormState } from '../components/form/form';
import { Button, Data, Head, Section } from '../components/layout';
import { count } from '../logic/format';
import { problemText, titled } from '../logic/problem-text';
import { deleteLater } from '../state/deletion';
import { forget, useDraft } from '../state/drafts';
import { into, patch, useLoad } from '../state/load';
import { itemOf, items } from '../state/overview-store';
import { go } from '../state/router';
import { may } from '../state/session';
import { showToast } from '../state/toast';
import { OpenOnPage, PastOnPage } from './status-page-incidents';
import { isColour, PagePreview } from './status-page-preview';
import { titleOf } from './status-pages';

type Group = PublicPage['groups'][number];
const KINDS = ['endpoints', 'websites'] as const;

const EMPTY = {
  title: '',
  slug: '',
  description: '',
  accent: '',
  domain: '',
  support_url: '',
  indexed: true,
  enabled: false,
  down_after_minutes: null as number | null,
  groups: [{ name: '', endpoints: [], websites: [] }] as Group[],
};
/** When the page shows an endpoint as down. Shorter outages aren't listed. */
const DOWN_AFTER: [value: string, label: string][] = [
  ['', 'When an alert rule would trigger'],
  ['0', 'At the first failed check'],
  ['1', 'After 1 minute'],
  ['2', 'After 2 minutes'],
  ['5', 'After 5 minutes'],
  ['10', 'After 10 minutes'],
];
const MAX_LOGO_BYTES = 64 * 1024;
/** The number of matches to offer at once. */
const OFFERED = 8;

/** The form for a new or existing public page: its content, appearance, and URL. */
export function StatusPagePage({ id }: { id: string | null }) {
  const path = `/api/v1/status-pages/${id ?? ''}`;
  const page = useLoad(path, (signal) => (id === null ? Promise.resolve(null) : get<PublicPage>(path, signal)));
  const websites = useLoad('websites', (signal) => all<Website>('/api/v1/websites', signal));
  return (
    <Data of={page}>
      {(stored) => (
        <Data of={websites}>{(list) => <Editor key={id} stored={stored} websites={list} onSaved={page.reload} />}</Data>
      )}
    </Data>
  );
}

function Editor(props: { stored: PublicPage | null; websites: readonly Website[]; onSaved: () => void }) {
  const { stored } = props;
  const what = stored ? `unsaved changes to ${titleOf(stored)}` : 'an unsaved status page';
  const { draft, logo, opened, saved } = useDraft(what, () => ({
    draft: signal({
      ...EMPTY,
      ...(stored && {
        ...stored,
        title: stored.title ?? '',
        accent: stored.accent ?? '',
        domain: stored.domain ?? '',
        support_url: stored.support_url ?? '',
      }),
    }),
    logo: signal<string | null | undefined>(undefined),
    opened: signal(stored),
  }));
  const logoProblem = useSignal<string | undefined>(undefined);
  const set = patch(draft);
  const { title, slug, description, accent, domain, support_url, indexed, enabled, down_after_minutes, groups } =
    draft.value;

  const path = `/api/v1/status-pages${stored ? `/${stored.id}` : ''}`;
  const body = {
    title: title === '' && stored?.website_id ? null : title,
    description,
    groups,
    enabled,
    down_after_minutes,
    accent: accent || null,
    domain: domain || null,
    support_url: support_url || null,
    indexed,
    ...(slug !== '' && { slug }),
    ...(logo.value !== undefined && { logo: logo.value }),
  };
  const save = async () => {
    const page = stored ? await put<PublicPage>(path, body, opened.value) : await post<PublicPage>(path, body);
    showToast(enabled ? 'The page is public.' : 'The page is saved. No one else can see it yet.');
    logo.value = undefined;
    if (stored) set({ slug: page.slug });
    saved();
    if (!stored) return go(`/status-pages/${page.id}`);
    props.onSaved();
  };
  const choose = (file: File | undefined) => {
    logoProblem.value =
      file && file.size > MAX_LOGO_BYTES ? 'The image must be at most 64 KiB. Choose a smaller one.' : undefined;
    if (!file || logoProblem.value !== undefined) return;
    const reader = new FileReader();
    reader.addEventListener('load', () => {
      logo.value = reader.result as string;
    });
    reader.readAsDataURL(file);
  };
  const destroy = (page: PublicPage) => {
    const name = titleOf(page);
    deleteLater([{ path: `/api/v1/status-pages/${page.id}`, name }], `The page ${name} is deleted.`);
    forget(`/status-pages/${page.id}`);
    go('/status-pages');
  };
  const shownLogo =
    logo.value === undefined ? (stored?.logo_url ? `${statusPageAt(stored.slug)}/logo` : null) : logo.value && 'chosen';
  const hasLogo = shownLogo !== null;

  return (
    <>
      <Head
        parent={['#/status-pages', 'Status pages']}
        title={stored ? titleOf(stored) : 'New status page'}
        owner={stored?.owner}
        actions={
          stored && (
            <>
              {stored.enabled && (
                <a class="button" href={statusPageAt(stored.slug)} target="_blank" rel="noreferrer">
                  Open
                </a>
              )}
              {may.write() && (
                <Button class="danger" onClick={() => destroy(stored)}>
                  Delete
                </Button>
              )}
            </>
          )
        }
      >
        {stored?.website_id && (
          <p>
            This is the page of a website. <a href={`#/websites/${stored.website_id}`}>Website settings</a>
          </p>
        )}
      </Head>
      {stored && <OpenOnPage page={stored} />}
      <div class="columns forms">
        <Form save={save} action="Save">
          {(form) => (
            <>
              <Section title="Page">
                <div class="form">
                  <Text
                    label="Title"
                    hint={stored?.website_id ? 'Empty: the name of the website.' : undefined}
                    error={form.problem('/title')}
                    value={title}
                    set={(value) => set({ title: value })}
                  />
                  <Text
                    label="URL"
                    hint={`${home()}/status/${slug || '… (created from the title)'}`}
                    error={form.problem('/slug')}
                    value={slug}
                    set={(value) => set({ slug: value })}
                  />
                  <Text
                    label="Domain (optional)"
                    hint="A host name that you point to this installation. It shows only this page."
                    placeholder="status.example.com"
                    error={form.problem('/domain')}
                    value={domain}
                    set={(value) => set({ domain: value })}
                  />
                  <Lines
                    label="Description (optional)"
                    error={form.problem('/description')}
                    value={description}
                    set={(value) => set({ description: value })}
                  />
                  <Field
                    label="Color (optional)"
                    hint="Used for links and the button Subscribe. It is made darker or lighter if it would not be readable."
                    error={form.problem('/accent')}
                  >
                    {(control) => (
                      <div class="colour">
                        <input
                          type="color"
                          aria-label="Choose a color"
                          disabled={control.disabled}
                          value={isColour(accent) ? accent : '#808a97'}
                          onInput={(event) => set({ accent: event.currentTarget.value })}
                        />
                        <input
                          {...control}
                          type="text"
                          autoComplete="off"
                          spellcheck={false}
                          placeholder="#7a3ff2"
                          value={accent}
                          onInput={(event) => set({ accent: event.currentTarget.value })}
                        />
                      </div>
                    )}
                  </Field>
                  <Field
                    label="Logo (optional)"
                    hint={hasLogo ? 'A logo is set. Another file replaces it.' : 'PNG, JPEG or WebP, at most 64 KiB.'}
                    error={logoProblem.value ?? form.problem('/logo')}
                  >
                    {(control) => (
                      <input
                        {...control}
                        type="file"
                        accept="image/png,image/jpeg,image/webp"
                        onChange={(event) => choose(event.currentTarget.files?.[0])}
                      />
                    )}
                  </Field>
                  {hasLogo && may.write() && (
                    <p>
                      <Button onClick={() => (logo.value = null)}>Remove the logo</Button>
                    </p>
                  )}
                  <Choice
                    label="Show an endpoint as down"
                    hint="Shorter outages are not listed."
                    error={form.problem('/down_after_minutes')}
                    value={String(down_after_minutes ?? '')}
                    set={(value) => set({ down_after_minutes: value === '' ? null : Number(value) })}
                    options={DOWN_AFTER}
                  />
                  <Text
                    label="Support URL (optional)"
                    hint="The target of the button “Report a problem”: a web page, or mailto: with an email address."
                    placeholder="https://example.com/support"
                    error={form.problem('/support_url')}
                    value={support_url}
                    set={(value) => set({ support_url: value })}
                  />
                  <Check
                    label="Search engines may index this page"
                    value={indexed}
                    disabled={!may.write()}
                    set={(value) => set({ indexed: value })}
                  />
                  <Check
                    label="Public"
                    value={enabled}
                    disabled={!may.write()}
                    set={(value) => set({ enabled: value })}
                  />
                  <p class="muted small">
                    Anyone with the link can see names, states, recent days, and outages. For failures they see a
                    general reason such as “connection refused”, never a URL or an error message.
                  </p>
                  {stored?.enabled && <Snippets page={stored} />}
                </div>
              </Section>
              <Section title="Content">
                <Groups groups={groups} websites={props.websites} form={form} set={(value) => set({ groups: value })} />
              </Section>
            </>
          )}
        </Form>
        <Beside
          stays
          preview={
            <PagePreview
              title={title}
              description={description}
              accent={accent}
              logo={shownLogo}
              groups={groups}
              websiteId={stored?.website_id ?? null}
              websites={props.websites}
            />
          }
          call={{ method: stored ? 'PUT' : 'POST', path, body, secrets: logo.value ? ['/logo'] : [] }}
        />
      </div>
      {stored?.enabled && <PastOnPage page={stored} />}
    </>
  );
}

function Snippets({ page }: { page: PublicPage }) {
  const url = `${home()}/status/${page.slug}`;
  return (
    <p class="actions">
      <CopyButton label="Copy badge" text={`[![status](${url}.svg)](${url})`} />
      <CopyButton label="Copy feed URL" text={`${url}/feed.atom`} />
      <CopyButton label="Copy calendar URL" text={`${url}/calendar.ics`} />
    </p>
  );
}

const textAt = (form: FormState, pointer: string, kind: string): string | undefined => {
  const message = form.problem(pointer);
  return message && problemText(titled(kind), message);
};

interface GroupsProps {
  groups: readonly Group[];
  websites: readonly Website[];
  form: FormState;
  set: (groups: Group[]) => void;
}

function Groups({ groups, websites, form, set }: GroupsProps) {
  const change = (at: number, changes: Partial<Group>) =>
    set(groups.map((group, index) => (index === at ? { ...group, ...changes } : group)));
  // Reading a name loads the overview.
  const nameOf = (id: string): string => {
    const website = websites.find((each) => each.id === id);
    if (website) return `${website.name} (all endpoints)`;
    const item = itemOf(id);
    return item ? `${item.name} · ${item.website.name}` : id;
  };
  return (
    <div class="form">
      {groups.map((group, at) => (
        <fieldset class="form part" key={at}>
          <legend>Group {at + 1}</legend>
          <Text
            label="Heading (optional)"
            error={form.problem(`/groups/${at}/name`)}
            value={group.name}
            set={(name) => change(at, { name })}
          />
          {KINDS.map((kind) => (
            <Chosen
              key={kind}
              names={group[kind].map(nameOf)}
              ids={group[kind]}
              error={textAt(form, `/groups/${at}/${kind}`, kind)}
              set={(ids) => change(at, { [kind]: ids })}
            />
          ))}
          <Chooser
            taken={[...group.endpoints, ...group.websites]}
            websites={websites}
            add={(kind, id) => change(at, { [kind]: [...group[kind], id] })}
          />
          {may.write() && groups.length > 1 && (
            <p class="actions">
              {at > 0 && <Button onClick={() => set(swapped(groups, at))}>Move group {at + 1} up</Button>}
              <Button onClick={() => set(groups.filter((_, index) => index !== at))}>Remove group {at + 1}</Button>
            </p>
          )}
        </fieldset>
      ))}
      {may.write() && (
        <p>
          <Button onClick={() => set([...groups, { name: '', endpoints: [], websites: [] }])}>Add a group</Button>
        </p>
      )}
    </div>
  );
}

/** Returns the list with one item moved up by one. */
const swapped = <T,>(list: readonly T[], at: number): T[] =>
  list.map((item, index) => (index === at ? (list[at - 1] ?? item) : index === at - 1 ? (list[at] ?? item) : item));

interface ChosenProps {
  names: readonly string[];
  ids: readonly string[];
  error: string | undefined;
  set: (ids: string[]) => void;
}

/** A group's content, in order. */
const Chosen = ({ names, ids, error, set }: ChosenProps) => (
  <>
    {ids.length > 0 && (
      <ul class="chosen">
        {ids.map((id, at) => (
          <li key={id}>
            <span>{names[at]}</span>
            {may.write() && (
              <>
                <Button
                  class="plain"
                  label={`Move ${names[at]} up`}
                  disabled={at === 0}
                  onClick={() => set(swapped(ids, at))}
                >
                  Up
                </Button>
                <Button
                  class="plain"
                  label={`Remove ${names[at]}`}
                  onClick={() => set(ids.filter((each) => each !== id))}
                >
                  Remove
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
    )}
    {error !== undefined && <p class="error">{error}</p>}
  </>
);

interface ChooserProps {
  taken: readonly string[];
  websites: readonly Website[];
  add: (kind: (typeof KINDS)[number], id: string) => void;
}

/** Finds websites and endpoints by part of their name. Clicking one adds it. */
function Chooser({ taken, websites, add }: ChooserProps) {
  const typed = useSignal('');
  /** The list stays open after the first addition, because users usually add several. */
  const hasAdded = useSignal(false);
  if (!may.write()) return null;
  const all = [
    ...websites.map(({ id, name, endpoint_count }) => ({
      kind: 'websites' as const,
      id,
      text: `${name}, all of ${count(endpoint_count, 'endpoint')}`,
    })),
    ...(items.value ?? []).map(({ id, name, website }) => ({
      kind: 'endpoints' as const,
      id,
      text: `${name} · ${website.name}`,
    })),
  ];
  // If the group has content, nothing is listed until the user types.
  const isOffering = typed.value !== '' || taken.length === 0 || hasAdded.value;
  const words = typed.value.toLowerCase().split(/\s+/);
  const found = all.filter(
    ({ id, text }) => !taken.includes(id) && words.every((word) => text.toLowerCase().includes(word)),
  );
  const offered = isOffering ? found.slice(0, OFFERED) : [];
  return (
    <>
      <Text
        label="Add websites and endpoints"
        placeholder="Part of a name"
        hint={
          isOffering && found.length > OFFERED ? `${found.length} match; the first ${OFFERED} are shown.` : undefined
        }
        value={typed.value}
        set={into(typed)}
      />
      {offered.length > 0 && (
        <ul class="chosen" aria-label="Matches">
          {offered.map(({ kind, id, text }) => (
            <li key={id}>
              <span>{text}</span>
              <Button
                class="plain"
                label={`Add ${text}`}
                onClick={() => {
                  hasAdded.value = true;
                  add(kind, id);
                }}
              >
                Add
              </Button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
