import { useSignal } from '@preact/signals';
import { query } from '../../api/client';
import type { Check, Endpoint, UnrecordedCheck } from '../../api/types';
import { PHASES } from '../../logic/chart-data';
import { ms, time, words } from '../../logic/format';
import { now } from '../../state/clock';
import { into, usePages } from '../../state/load';
import { route, setQuery } from '../../state/router';
import { Empty } from '../empty';
import { Select } from '../form/field';
import { Button, DetailsButton, Facts, type Row, Table } from '../layout';
import { Icon } from '../icons';
import { StatusPill } from '../status';
import { outcomeOf, tookText } from './recent-beats';

const PLANNED = 'In maintenance, not counted';

interface Props {
  endpointId: string;
  /** Changes when there may be newer checks. */
  version: string;
  /** Whether the checks are job runs. For these, only the time, result, and reason are known. */
  isOfRuns: boolean;
  /** The endpoint's locations, unless only the service checks it. */
  locations: Endpoint['by_location'];
}

/** Returns one end of the range in the page's query, in ISO format. */
function zoomedTo(end: 'from' | 'to'): string | null {
  const ms = Number(route.value.query.get(end) ?? NaN);
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null;
}

/** Lists recent checks, newest first, each with its details. */
export function CheckList({ endpointId, version, isOfRuns, locations }: Props) {
  const [outcome, location] = [useSignal(''), useSignal('')];
  const open = useSignal('');
  // The range that the user has zoomed into in the chart.
  const [from, to] = [zoomedTo('from'), zoomedTo('to')];
  const path = `/api/v1/endpoints/${endpointId}/checks${query({ limit: 20, outcome: outcome.value, location: location.value, from, to })}`;
  const checks = usePages<Check>(path, version);

  const rows = checks.items.value?.flatMap((check): Row[] => {
    const isOpen = open.value === check.id;
    const at = time(check.checked_at, now.value);
    const row: Row = [
      at,
      <>
        <StatusPill status={outcomeOf(check)} />
        {check.planned && (
          <span class="wrench" title={PLANNED}>
            <Icon name="wrench" />
            <span class="sr">{PLANNED}</span>
          </span>
        )}
      </>,
      ...(locations ? [check.location ?? 'a deleted probe'] : []),
      ms(check.duration_ms),
      <>
        {check.error?.message ??
          check.warning?.message ??
          check.status_code ??
          check.records?.[0] ??
          (isOfRuns ? 'Reported' : 'OK')}
        {check.attempts > 1 && <span class="muted small"> · confirmed by a second attempt</span>}
        {check.combined_outcome === null && <span class="muted small"> · arrived too late to count</span>}
      </>,
      <span class="mono">{check.address ?? '–'}</span>,
      <DetailsButton of={`the check at ${at}`} isOpen={isOpen} toggle={() => (open.value = isOpen ? '' : check.id)} />,
    ];
    if (!isOpen) return [row];
    const details = (
      <>
        <Verdict check={check} isOfRun={isOfRuns} />
        <pre tabIndex={0}>{JSON.stringify(check, null, 2)}</pre>
      </>
    );
    return [row, { wide: details }];
  });

  return (
    <>
      <div class="filters">
        <Select
          label="Which checks"
          value={outcome.value}
          set={into(outcome)}
          options={[
            ['', 'All checks'],
            ['down', 'Failures only'],
            ['unknown', 'Unknown only'],
          ]}
        />
        {locations && locations.length > 1 && (
          <Select
            label="Location"
            value={location.value}
            set={into(location)}
            options={[
              ['', 'All locations'],
              ...locations.map((each): [string, string] => [each.location, `From ${each.name}`]),
            ]}
          />
        )}
        {from !== null && to !== null && (
          <>
            <p class="muted small">
              Checks from {time(from, now.value)} to {time(to, now.value)}
            </p>
            <Button onClick={() => setQuery({ from: null, to: null })}>Show all</Button>
          </>
        )}
      </div>
      <Table
        label="Recent checks"
        head={['Time', 'Result', ...(locations ? ['Location'] : []), '#Duration', 'Response', '~Address', '']}
        rows={rows ?? []}
      />
      {rows?.length === 0 && (
        <Empty drawing="calm">
          <p>No checks to show.</p>
        </Empty>
      )}
      {checks.older && <Button onClick={checks.older}>Older checks</Button>}
    </>
  );
}

/** Shows a check in words and as a bar of its phases. The check may be unrecorded. */
export function Verdict({ check, isOfRun = false }: { check: UnrecordedCheck; isOfRun?: boolean }) {
  const phases = PHASES.map((phase) => ({ ...phase, took: check.phases[phase.key] })).filter(
    ({ took }) => took !== null,
  );
  const total = phases.reduce((sum, { took }) => sum + (took ?? 0), 0) || 1;
  let x = 0;
  const facts: [string, string | number | null | undefined][] = [
    ['Status code', check.status_code],
    ['Address', check.address],
    ['Certificate expires', check.certificate?.expires_at.slice(0, 10)],
    ['Records', check.records?.join(', ')],
    ['First attempt', check.first_error && words(check.first_error.code)],
  ];
  return (
    <div class="verdict">
      <p>
        <StatusPill status={outcomeOf(check)} />{' '}
        {check.error?.message ?? check.warning?.message ?? tookText(check.duration_ms, isOfRun)}
      </p>
      {phases.length > 0 && (
        <>
          <svg class="phasebar" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
            {phases.map(({ key, color, took }) => {
              const width = ((took ?? 0) / total) * 1000;
              x += width;
              return <rect key={key} x={x - width} width={width} height="12" fill={`var(${color})`} />;
            })}
          </svg>
          <ul class="legend">
            {phases.map(({ key, name, color, took }) => (
              <li key={key}>
                <i style={{ background: `var(${color})` }} /> {name} {ms(took)}
              </li>
            ))}
          </ul>
        </>
      )}
      <Facts of={facts.filter(([, value]) => value !== null && value !== undefined)} />
    </div>
  );
}
