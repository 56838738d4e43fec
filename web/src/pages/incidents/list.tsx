import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { all, post, query } from '../../api/client';
import type { Incident } from '../../api/types';
import { TargetFilter } from '../../components/alert/target-filter';
import { Empty } from '../../components/empty';
import { Select } from '../../components/form/field';
import { Icon } from '../../components/icons';
import { PublicMark, SaidPill } from '../../components/incident/incident-pill';
import { Button, Head } from '../../components/layout';
import { Shape } from '../../components/status';
import { acknowledgedBy } from '../../logic/acknowledged-text';
import { clockTime, count } from '../../logic/format';
import { byDay, calmText, causeText, downText, lengthText, reopenedText, titleOf } from '../../logic/incident';
import { now } from '../../state/clock';
import { openCount, openIncidents, refreshIncidents } from '../../state/incidents';
import { listen } from '../../state/live';
import { useEvery, useLoad, usePages, useSoon } from '../../state/load';
import { go, route, setQuery } from '../../state/router';
import { useSelection } from '../../state/selection';
import { may } from '../../state/session';
import { runAction } from '../../state/toast';
import '../../styles/incident.css';

/** The maximum number of open incidents to load while a filter is set. */
const MOST_OPEN = 200;

/** Returns the filter for a website or an endpoint. */
const aboutQuery = (of: string): { website_id?: string; endpoint_id?: string } =>
  of === '' ? {} : of.startsWith('ws_') ? { website_id: of } : { endpoint_id: of };

/** Lists open incidents, followed by past ones grouped by day. A filter selects a website or an endpoint. */
export function IncidentsPage() {
  const version = useSignal(0);
  const of = route.value.query.get('of') ?? '';
  const kind = route.value.query.get('kind') ?? '';
  const isFiltered = of !== '' || kind !== '';
  const filter = query({ kind: kind || undefined, ...aboutQuery(of) }).replace('?', '&');
  const ended = usePages<Incident>(`/api/v1/incidents?state=ended&limit=50${filter}`, version.value);
  const found = useLoad(`incidents-open${filter}`, (signal) =>
    isFiltered
      ? all<Incident>(`/api/v1/incidents?state=open&limit=100${filter}`, signal, MOST_OPEN)
      : Promise.resolve(null),
  );
  const reload = () => {
    void refreshIncidents();
    if (isFiltered) found.reload();
    version.value++;
  };
  const soon = useSoon(300, reload);
  useEffect(() => {
    void refreshIncidents();
    return listen({ incident: soon, ready: soon });
  }, []);
  useEvery(60, reload);

  const open = isFiltered ? (found.data.value ?? null) : openIncidents.value;
  const over = ended.items.value;
  const shown = [...(open ?? []), ...(over ?? [])];
  const { current, isSelecting, picked, toggle, select } = useSelection({
    ids: shown.map(({ id }) => id),
    path: '/incidents',
    maySelect: may.write(),
    canPick: (id) => shown.find((each) => each.id === id)?.kind === 'detected',
  });

  const row = (incident: Incident) => (
    <Row
      key={incident.id}
      of={incident}
      isCurrent={current.value === incident.id}
      isPicked={picked.value.has(incident.id)}
      toggle={isSelecting.value ? toggle : null}
    />
  );
  const detected = shown.filter(({ kind }) => kind === 'detected').length;
  return (
    <>
      <Head
        title="Incidents"
        actions={
          may.write() && (
            <>
              {detected > 1 && (
                <button type="button" aria-pressed={isSelecting.value} onClick={() => select(!isSelecting.value)}>
                  Select
                </button>
              )}
              <a class="button" href="#/incidents/new">
                <Icon name="plus" /> New incident
              </a>
            </>
          )
        }
      />
      <div class="filters">
        <TargetFilter value={of} set={(value) => setQuery({ of: value })} />
        <Select
          label="Kind"
          value={kind}
          set={(value) => setQuery({ kind: value })}
          options={[
            ['', 'Every kind'],
            ['detected', 'Detected'],
            ['manual', 'Created manually'],
          ]}
        />
      </div>
      {ended.hasFailed && (
        <div class="notice bad" role="alert">
          <p>The incidents could not be loaded.</p>
          <Button onClick={reload}>Try again</Button>
        </div>
      )}
      {(open === null || over === null) && !ended.hasFailed && <p class="muted">Loading…</p>}
      {isFiltered && open?.length === 0 && over?.length === 0 && <p class="muted">No incident matches.</p>}
      {!isFiltered && open?.length === 0 && over && (
        <Empty drawing="calm">
          <h2>{calmText(over[0], now.value)}</h2>
          {over.length === 0 && (
            <p>
              Endpoints that go down together become one incident: one place for what you know and for what customers
              see.
            </p>
          )}
        </Empty>
      )}
      {open && open.length > 0 && (
        <section class="section">
          <h2>Open</h2>
          <ol class="incidents open">{open.map(row)}</ol>
          {!isFiltered && openCount.value > open.length && (
            <p class="muted small below">
              The newest {open.length} of {openCount.value.toLocaleString('en')}.
            </p>
          )}
        </section>
      )}
      {byDay(over ?? [], now.value).map(({ title, incidents }) => (
        <section class="section" key={title}>
          <h2>{title}</h2>
          <ol class="incidents">{incidents.map(row)}</ol>
        </section>
      ))}
      {ended.older && (
        <p class="below">
          <Button onClick={ended.older}>Older incidents</Button>
        </p>
      )}
      {picked.value.size > 0 && (
        <MergeBar of={shown.filter(({ id }) => picked.value.has(id))} close={() => select(false)} />
      )}
    </>
  );
}

interface RowProps {
  of: Incident;
  isCurrent: boolean;
  isPicked: boolean;
  /** `null` while nothing can be selected. */
  toggle: ((id: string) => void) | null;
}

function Row({ of, isCurrent, isPicked, toggle }: RowProps) {
  const isOpen = of.state === 'open';
  const facts = [causeText(of), downText(of), reopenedText(of)];
  const title = titleOf(of);
  return (
    <li class={isOpen ? (of.severity ?? 'manual') : ''} data-current={isCurrent ? '' : undefined}>
      {toggle && (
        <input
          type="checkbox"
          aria-label={`Select ${title}`}
          checked={isPicked}
          disabled={of.kind === 'manual'}
          onChange={() => toggle(of.id)}
        />
      )}
      <div class="what">
        <p>
          {isOpen && of.severity && (
            <span class={`shape ${of.severity}`}>
              <Shape status={of.severity} size={14} />
            </span>
          )}{' '}
          <a id={`link-${of.id}`} href={`#/incidents/${of.id}`}>
            {title}
          </a>
        </p>
        <p class="muted small">
          {[`#${of.number}`, ...facts.filter((fact) => fact !== '')].join(' · ')}
          {of.acknowledgement && <span class="hand"> · acknowledged by {acknowledgedBy(of.acknowledgement.by)}</span>}
        </p>
      </div>
      <p class="marks">
        <PublicMark of={of} />
        {of.status && <SaidPill status={of.status} />}
      </p>
      <p class="num">
        <strong>{lengthText(of, now.value)}</strong>
        <span class="muted small">
          {isOpen ? 'since' : 'at'} {clockTime(Date.parse(of.started_at))}
        </span>
      </p>
    </li>
  );
}

/** Merges the selected incidents into an open one, or into the oldest one if none is open. */
function MergeBar({ of, close }: { of: readonly Incident[]; close: () => void }) {
  const chosen = useSignal('');
  const into = of.find(({ id }) => id === chosen.value) ?? of.find(({ state }) => state === 'open') ?? of.at(-1);
  if (!into) return null;
  const merge = async () => {
    const incident_ids = of.flatMap(({ id }) => (id === into.id ? [] : [id]));
    const text = `${count(of.length, 'incident')} were merged into #${into.number}.`;
    if (!(await runAction(() => post(`/api/v1/incidents/${into.id}/merge`, { incident_ids }), text))) return;
    close();
    go(`/incidents/${into.id}`);
  };
  return (
    <div class="bulk" role="region" aria-label="Selected incidents">
      <div class="actions">
        <strong>{of.length} selected</strong>
        {of.length === 1 ? (
          <span class="muted">Select another to merge them.</span>
        ) : (
          <>
            <Select
              label="Merge into"
              value={into.id}
              set={(id) => {
                chosen.value = id;
              }}
              options={of.map((each) => [each.id, `Into #${each.number}: ${titleOf(each)}`])}
            />
            <Button class="primary" onClick={merge}>
              Merge
            </Button>
          </>
        )}
        <Button onClick={close}>Cancel</Button>
      </div>
    </div>
  );
}
