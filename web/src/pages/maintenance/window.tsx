import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { all, get, post, put } from '../../api/client';
import type { MaintenanceWindow, Occurrence, PublicPage } from '../../api/types';
import { ApiCall } from '../../components/form/api-call';
import { Chooser } from '../../components/form/chooser';
import { Check, Choice, Lines, Text } from '../../components/form/field';
import { Form, type FormState } from '../../components/form/form';
import { Button, Data, Facts, Head, Section, Table } from '../../components/layout';
import { cronOf, DAYS, effectsText, recurrenceText, scopeText } from '../../logic/maintenance';
import { type Draft, draftOf, newDraft, previewOf, requestOf } from '../../logic/maintenance-draft';
import { OWN_ZONE, zonedTime, zones } from '../../logic/zoned-time';
import { deleteLater } from '../../state/deletion';
import { forget, useDraft } from '../../state/drafts';
import { listen } from '../../state/live';
import { patch, useLoad } from '../../state/load';
import { refreshSoon } from '../../state/overview-store';
import { go } from '../../state/router';
import { may } from '../../state/session';
import { errorMessage, showToast } from '../../state/toast';
import { WindowActions } from './actions';
import { ScopeFields } from './scope-fields';
import { nameIn, nextText, useWebsites, WindowPill } from './words';

const ROOT = '/api/v1/maintenance-windows';

/** The page for a new or existing maintenance window: its times, scope, and effects. */
export function MaintenanceWindowPage({ id }: { id: string | null }) {
  const path = `${ROOT}/${id}`;
  const window = useLoad(path, (signal) =>
    id === null ? Promise.resolve(null) : get<MaintenanceWindow>(path, signal),
  );
  const pages = useLoad(`pages/${id}`, (signal) =>
    id === null ? all<PublicPage>('/api/v1/status-pages', signal) : Promise.resolve([]),
  );
  useEffect(() => listen({ maintenance: ({ window_id }) => window_id === id && window.reload() }), [id]);
  const destroy = (name: string) => {
    deleteLater([{ path, name }], `${name} is deleted. The history recorded under it is kept.`, refreshSoon);
    forget(`/maintenance/${id}`);
    go('/maintenance');
  };
  return (
    <Data of={window}>
      {(stored) => (
        <>
          <Head
            parent={['#/maintenance', 'Maintenance']}
            title={stored?.name ?? 'New maintenance window'}
            owner={stored?.owner}
            actions={
              stored && (
                <>
                  <WindowActions of={stored} then={window.reload} />
                  {may.write() && (
                    <Button class="danger" onClick={() => destroy(stored.name)}>
                      Delete
                    </Button>
                  )}
                </>
              )
            }
          >
            {stored && (
              <p>
                <WindowPill status={stored.status} /> {nextText(stored)}
                {stored.created_by !== null && <span class="muted"> · created by {stored.created_by}</span>}
              </p>
            )}
          </Head>
          {may.write() ? (
            <Data of={pages}>
              {(list) => (
                <WindowForm
                  key={stored?.id}
                  stored={stored}
                  hasPage={list.some(({ enabled }) => enabled)}
                  onSaved={window.reload}
                />
              )}
            </Data>
          ) : (
            stored && <WindowFacts of={stored} />
          )}
        </>
      )}
    </Data>
  );
}

function WindowFacts({ of }: { of: MaintenanceWindow }) {
  const websites = useWebsites();
  return (
    <Facts
      of={[
        ['Covers', scopeText(of.scope, nameIn(websites.data.value))],
        ['When', recurrenceText(of) ?? nextText(of)],
        ['Effect', effectsText(of)],
        ['Description', of.description],
      ]}
    />
  );
}

interface FormProps {
  stored: MaintenanceWindow | null;
  /** Whether there is a public status page. */
  hasPage: boolean;
  onSaved: () => void;
}

function WindowForm({ stored, hasPage, onSaved }: FormProps) {
  const what = stored ? `unsaved changes to ${stored.name}` : 'an unsaved maintenance window';
  const { draft, opened, saved } = useDraft(what, () => ({
    draft: signal(stored ? draftOf(stored) : newDraft(Date.now(), hasPage)),
    opened: signal(stored),
  }));
  const set = patch(draft);
  const websites = useWebsites();
  const { value } = draft;
  const path = stored ? `${ROOT}/${stored.id}` : ROOT;
  const body = requestOf(value, stored);
  const save = async () => {
    if (stored) {
      await put(path, body, opened.value);
      saved();
      showToast('The window is saved.');
      onSaved();
    } else {
      const made = await post<MaintenanceWindow>(path, body);
      saved();
      showToast(`${made.name} is ${made.status === 'active' ? 'active' : 'scheduled'}.`);
      go(`/maintenance/${made.id}`);
    }
    refreshSoon();
  };
  return (
    <div class="columns forms">
      <Form save={save} action={stored ? 'Save' : 'Create'}>
        {(form) => (
          <>
            <Text label="Name" error={form.problem('/name')} value={value.name} set={(name) => set({ name })} />
            <Lines
              label="Description (optional)"
              hint="Shown on status pages if the window is public."
              error={form.problem('/description')}
              value={value.description}
              set={(description) => set({ description })}
            />
            <ScopeFields
              form={form}
              websites={websites.data.value}
              value={value.scope}
              set={(scope) => set({ scope })}
            />
            <TimeFields form={form} draft={value} set={set} />
            <Check label="No alerts (mute)" value={value.mute} set={(mute) => set({ mute })} />
            <Check
              label="Checks do not count toward uptime"
              value={value.exclude_from_uptime}
              set={(exclude_from_uptime) => set({ exclude_from_uptime })}
            />
            <Check
              label="Announce it on status pages"
              value={value.public}
              set={(isPublic) => set({ public: isPublic })}
            />
          </>
        )}
      </Form>
      <div>
        <Section title="Schedule">
          <Preview {...previewOf(value, stored, Date.now())} zone={value.kind !== 'once' ? value.timezone : OWN_ZONE} />
        </Section>
        <ApiCall method={stored ? 'PUT' : 'POST'} path={path} body={body} />
      </div>
    </div>
  );
}

interface TimeProps {
  form: FormState;
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
}

/** Edits the times: once, on certain days of the week, or using a cron expression. */
function TimeFields({ form, draft, set }: TimeProps) {
  const bound = (key: 'starts_at' | 'ends_at', label: string) => (
    <Text
      label={label}
      type="datetime-local"
      error={form.problem(`/${key}`)}
      value={draft[key]}
      set={(text) => set({ [key]: text })}
    />
  );
  const repeats = draft.kind !== 'once';
  return (
    <>
      <Choice
        label="How often"
        value={draft.kind}
        set={(kind) =>
          set({ kind: kind as Draft['kind'], ...(kind !== 'once' && !repeats && { starts_at: '', ends_at: '' }) })
        }
        options={[
          ['once', 'once'],
          ['weekly', 'on days of the week'],
          ['cron', 'by a cron expression'],
        ]}
      />
      {draft.kind === 'weekly' && <Weekdays draft={draft} set={set} error={form.problem('/cron')} />}
      {draft.kind === 'cron' && (
        <Text
          label="Cron expression"
          hint="Minute, hour, day of the month, month, and day of the week. L is the last day, and SUN#2 is the second Sunday."
          placeholder="0 2 * * SUN#2"
          error={form.problem('/cron')}
          value={draft.cron}
          set={(cron) => set({ cron })}
        />
      )}
      {repeats && (
        <div class="form-row">
          <Chooser
            label="Time zone"
            placeholder="Choose a time zone"
            error={form.problem('/timezone')}
            value={draft.timezone}
            set={(timezone) => set({ timezone })}
            options={zones().map((zone) => [zone, zone] as const)}
          />
          <Text
            label="Duration (minutes)"
            type="number"
            min={1}
            max={10_080}
            error={form.problem('/duration')}
            value={draft.minutes}
            set={(minutes) => set({ minutes })}
          />
        </div>
      )}
      <div class="form-row times">
        {bound('starts_at', repeats ? 'Earliest start (optional)' : 'Starts')}
        {bound('ends_at', repeats ? 'Latest end (optional)' : 'Ends')}
      </div>
      <p class="muted small">Both times are in your time zone, {OWN_ZONE}.</p>
    </>
  );
}

function Weekdays({ draft, set, error }: Pick<TimeProps, 'draft' | 'set'> & { error: string | undefined }) {
  const { days, time } = draft.weekly;
  const change = (weekly: Partial<Draft['weekly']>) => {
    const next = { ...draft.weekly, ...weekly };
    set({ weekly: next, cron: cronOf(next) });
  };
  return (
    <>
      <div class="field" role="group" aria-label="Days">
        <span class="label">Days</span>
        <div class="tags">
          {/* The week starts on Monday here. */}
          {[1, 2, 3, 4, 5, 6, 0].map((day) => (
            <button
              type="button"
              class="tag"
              key={day}
              aria-pressed={days.includes(day)}
              onClick={() =>
                change({ days: days.includes(day) ? days.filter((each) => each !== day) : [...days, day] })
              }
            >
              {DAYS[day]}
            </button>
          ))}
        </div>
      </div>
      <Text label="At" type="time" error={error} value={time} set={(at) => change({ time: at })} />
    </>
  );
}

const DEBOUNCE_MS = 300;
/** The number of times to show. */
const SHOWN = 6;

/** Shows the next times from the service, in the window's time zone and in the browser's time zone. */
function Preview({ times, known, zone }: ReturnType<typeof previewOf> & { zone: string }) {
  const key = JSON.stringify(times);
  const found = useSignal<Occurrence[]>([]);
  const problem = useSignal('');
  useEffect(() => {
    if (known) {
      found.value = [known];
      problem.value = '';
      return undefined;
    }
    let isOld = false;
    const timer = setTimeout(() => {
      post<Occurrence[]>(`${ROOT}/preview`, { name: 'Preview', scope: { all: true }, ...times }).then(
        (list) => {
          if (isOld) return;
          found.value = list.slice(0, SHOWN);
          problem.value = list.length === 0 ? 'It never occurs.' : '';
        },
        (error: unknown) => {
          if (isOld) return;
          found.value = [];
          problem.value = errorMessage(error);
        },
      );
    }, DEBOUNCE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [key]);
  const isElsewhere = zone !== OWN_ZONE;
  return (
    <div role="status">
      {problem.value !== '' && <p class="muted">{problem.value}</p>}
      {found.value.length > 0 && (
        <Table
          label="Next occurrences"
          head={['Starts', 'Ends', ...(isElsewhere ? ['Starts (your time)'] : [])]}
          rows={found.value.map(({ starts_at, ends_at }) => [
            zonedTime(starts_at, zone),
            zonedTime(ends_at, zone),
            ...(isElsewhere ? [zonedTime(starts_at, OWN_ZONE)] : []),
          ])}
        />
      )}
    </div>
  );
}
